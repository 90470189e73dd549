"""What is remembered is what would be computed: of a report whose rows change."""

import pytest

from datasets.models import Contradiction
from evaluation.archive.bundles import text_of
from evaluation.sections.study import study_report
from generation.models import LanguageModel
from judging.files.predictions import import_predictions
from judging.models import Judge, Judgment, MachineVerdict, Resolution
from pages.memory import FIGURES
from tests.evaluation.factories import SCALE, exclude, judged_study, resolve_all


@pytest.fixture(autouse=True)
def nothing_remembered():
    FIGURES.clear()
    yield
    FIGURES.clear()


def change_one(rows, **values):
    type(rows.first()).objects.filter(pk=rows.first().pk).update(**values)


def contradiction(position):
    return Contradiction.objects.filter(position=position)


def rename(study):
    type(study).objects.filter(pk=study.pk).update(name="Renamed")


JUDGED = Judgment.objects.filter(first_verdict="correct")
RESOLVED = Resolution.objects.filter(verdict="correct")
REPLIED = MachineVerdict.objects.filter(verdict="correct")
QUOKKA = LanguageModel.objects.filter(model_id="quokka-7b-secret")
BOB = Judge.objects.filter(person__username="bob")
CHANGES = {
    "a first verdict": lambda _: change_one(JUDGED.all(), first_verdict="partially correct"),
    "a resolution": resolve_all,
    "a final verdict": lambda _: change_one(RESOLVED.all(), verdict="incorrect"),
    "an exclusion": lambda study: exclude(study, 1),
    "a type": lambda _: contradiction(2).update(type_4="Explicit"),
    "an article": lambda _: contradiction(2).update(title=contradiction(1).get().title),
    "passages": lambda _: contradiction(1).update(same_passage="Same"),
    "a model's name": lambda _: QUOKKA.update(model_id="renamed-7b"),
    "a judge's name": lambda _: BOB.update(pseudonym="P-AAAAAA"),
    "a judge model's verdict": lambda _: change_one(REPLIED.all(), verdict="incorrect"),
    "the study's name": rename,
}


def mixed(who, slot):
    """All three verdicts, and a few disagreements, which wait for a third person."""
    n = slot.item.position + (who == "bob" and slot.item.position % 8 == 7)
    return SCALE[n % 3]


@pytest.fixture
def few_articles_are_enough(monkeypatch):
    monkeypatch.setattr("evaluation.statistics.bootstrap.FEWEST_CLUSTERS", 2)


@pytest.mark.django_db
@pytest.mark.usefixtures("few_articles_are_enough")
@pytest.mark.parametrize("what", CHANGES)
def test_each_change_shows_at_once(what):
    study = judged_study(choose=mixed)
    replies = "".join(f"{n},evaluation: {SCALE[n % 3]}\n" for n in range(24))
    import_predictions(study, f"item,reply\n{replies}".encode(), "Elsewhere")
    study = type(study).objects.get(pk=study.pk)
    before = text_of(study_report(study))
    assert '"cluster_low": 0' in before
    assert text_of(study_report(study)) == before
    CHANGES[what](study)
    study = type(study).objects.get(pk=study.pk)
    after = text_of(study_report(study))
    assert after != before
    FIGURES.clear()
    assert text_of(study_report(study)) == after


@pytest.mark.django_db
@pytest.mark.usefixtures("few_articles_are_enough")
def test_a_report_computed_again_resamples_nothing(monkeypatch):
    study = judged_study(choose=mixed)
    study_report(study)

    def never(*args):
        raise AssertionError("This was computed before.")

    monkeypatch.setattr("evaluation.statistics.groups.intervals", never)
    monkeypatch.setattr("evaluation.statistics.cells.intervals", never)
    study_report(study)
