"""What is remembered is what would be computed: of pure functions, and of a report whose rows change."""

from dataclasses import dataclass

import pytest

from datasets.models import Contradiction
from evaluation.archive.bundles import text_of
from evaluation.sections.study import study_report
from evaluation.statistics import memory
from evaluation.statistics.memory import Memory, remembered
from generation.models import LanguageModel
from judging.files.predictions import import_predictions
from judging.models import Judge, Judgment, MachineVerdict, Resolution, Verdict
from tests.evaluation.factories import exclude, judged_study, resolve_all

pytestmark = pytest.mark.once


@dataclass(frozen=True)
class Thing:
    n: int
    name: str = "a"


@pytest.fixture(autouse=True)
def nothing_remembered():
    memory.memory.clear()
    yield
    memory.memory.clear()


def counting():
    calls = []

    @remembered
    def doubled(values, *, plan=None):
        calls.append(1)
        return {"values": [2 * value.n for value in values], "plan": plan}

    return doubled, calls


def test_the_same_arguments_are_computed_once():
    doubled, calls = counting()
    for _ in range(3):
        assert doubled([Thing(1), Thing(2)], plan=Thing(7)) == {"values": [2, 4], "plan": Thing(7)}
    assert len(calls) == 1


@pytest.mark.parametrize(
    "other",
    [
        lambda f: f([Thing(2)]),
        lambda f: f([Thing(1, "b")]),
        lambda f: f([Thing(1), Thing(1)]),
        lambda f: f((Thing(1),)),
        lambda f: f([Thing(True)]),
        lambda f: f([Thing(1)], plan=Thing(1)),
        lambda f: f([]),
    ],
)
def test_any_other_argument_is_computed(other):
    doubled, calls = counting()
    doubled([Thing(1)])
    other(doubled)
    assert len(calls) == 2


def test_a_caller_who_changes_the_result_changes_it_for_nobody():
    doubled, _ = counting()
    doubled([Thing(1)])["values"].append("mine")
    doubled([Thing(1)])["values"].append("mine")
    assert doubled([Thing(1)])["values"] == [2]


def test_two_functions_share_nothing():
    @remembered
    def one(n):
        return n

    @remembered
    def other(n):
        return -n

    assert (one(3), other(3)) == (3, -3)


def test_an_iterator_is_refused_and_an_error_is_not_kept():
    doubled, calls = counting()
    with pytest.raises(TypeError):
        doubled(Thing(n) for n in range(2))
    for _ in range(2):
        with pytest.raises(AttributeError):
            doubled([3])
    assert len(calls) == 2


def test_the_memory_is_bounded_and_what_was_asked_for_longest_ago_goes_first():
    memory = Memory(most=2)
    memory.put(b"1", "one")
    memory.put(b"2", None)
    assert memory.get(b"1") == ("one",)
    memory.put(b"3", "three")
    assert [memory.get(key) for key in (b"1", b"2", b"3")] == [("one",), None, ("three",)]


# ---------------------------------------------------------------- a report


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
    return Verdict.values[n % 3]


@pytest.fixture
def few_articles_are_enough(monkeypatch):
    monkeypatch.setattr("evaluation.statistics.bootstrap.FEWEST_CLUSTERS", 2)


@pytest.mark.django_db
@pytest.mark.usefixtures("few_articles_are_enough")
@pytest.mark.parametrize("what", CHANGES)
def test_each_change_shows_at_once(what):
    study = judged_study(choose=mixed)
    replies = "".join(f"{n},evaluation: {Verdict.values[n % 3]}\n" for n in range(24))
    import_predictions(study, f"item,reply\n{replies}".encode(), "Elsewhere")
    study = type(study).objects.get(pk=study.pk)
    before = text_of(study_report(study))
    assert '"cluster_low": 0' in before
    assert text_of(study_report(study)) == before
    CHANGES[what](study)
    study = type(study).objects.get(pk=study.pk)
    after = text_of(study_report(study))
    assert after != before
    memory.memory.clear()
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
