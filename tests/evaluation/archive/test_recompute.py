"""The script in a report's zip computes every number that the report has and its page shows, from the rows alone."""

import io
import re
import zipfile
from collections import defaultdict
from copy import deepcopy
from datetime import timedelta
from itertools import chain

import pytest
from django.db.models import Count, F, Q
from django.http import QueryDict
from django.template.loader import render_to_string

from annotation.models import Campaign
from evaluation.archive import bundles
from evaluation.archive.recompute.agreement import check_agreement
from evaluation.archive.recompute.annotators import check_annotators
from evaluation.archive.recompute.checking import check
from evaluation.archive.recompute.comparisons import check_comparisons
from evaluation.archive.recompute.findings import Findings
from evaluation.archive.recompute.models import check_judge_models
from evaluation.archive.recompute.rounds import check_rounds
from evaluation.archive.recompute.rows import read_rows
from evaluation.archive.recompute.study import check_study
from evaluation.archive.recompute.tables import check_tables
from evaluation.report.layout import laid_out
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.sections import comparisons
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from judging.files.predictions import import_predictions
from judging.models import JudgingSlot, Judgment, Round, Verdict
from tests.annotation import factories as make
from tests.evaluation.factories import (
    INSTANCES,
    exclude,
    judged_study,
    judged_twice,
    resolve_all,
)
from tests.judging import factories as judging

pytestmark = [pytest.mark.once, pytest.mark.django_db]

# Not from rows: names and numbers of rows of this database, how a study was set up, how intervals were to be made.
GIVEN = re.compile(
    r"format$|snapshot\.(id|rows_format)$|id$|\.seed$|\.resamples$|_percent$|judges_per_response$|\.part$|n_round$|"
    r"\.round$|\.margin$|flow\.steps\[\]\.(lost|gained)|flow\.steps\[\]\.n$|study\.subset\.|"
    r"rounds\.rounds\[\]\.(n|could_read)$|rounds\.changed\[\]\.rounds$"
)
PROMPTS = ("internal-knowledge", "both-passages", "both-passages-comprehensive")
SAYS = ("correct", "partially correct", "incorrect", "?")


def answered(articles):
    """A run over questions of so many articles, some of them with two."""
    run = judging.run()
    titles = ({"title": f"Article {min(n, articles)}"} for n in range(1, articles + 4))
    asked = [
        judging.instance(n, **INSTANCES[n % len(INSTANCES)], **title)
        for n, title in enumerate(titles, start=1)
    ]
    judging.responses(run, asked, PROMPTS)
    return run


def varied(who, slot):
    """All three verdicts, in which judges differ often and not always, and a judge from themself."""
    place = slot.item.position * 7 + slot.repeat
    return Verdict.values[(place // 3 + (len(who) * place % 5 == 0)) % 3]


def later_round(study):
    """Two of the judges judge a third of the responses again."""
    study.rounds.update(is_latest=False)
    rest = {"reason": "Again", "rubric": study.rubric, "counts": False}
    again = Round.objects.create(study=study, n=2, **rest)
    for slot in JudgingSlot.objects.filter(round__n=1, repeat=1, item__position__lt=24):
        slot.pk, slot.round, slot._state.adding = None, again, True
        slot.save()
        verdict = varied("someone", slot)
        Judgment.objects.create(slot=slot, verdict=verdict, first_verdict=verdict)


@pytest.fixture
def study(monkeypatch):
    """Three judges in two rounds and on several days, repeats, exclusions, and a judge model."""
    monkeypatch.setattr(comparisons, "RESAMPLES", 200)
    made = judged_study(
        "alice", "bob", "charlie", judges_per_response=2, repeat_percent=25,
        drawn_from=answered(12), choose=varied,
    )  # fmt: skip
    resolve_all(made)
    exclude(made, 2)
    later_round(made)
    replies = "".join(f"{n},evaluation: {SAYS[n % 4]}\n" for n in range(60))
    import_predictions(made, f"item,reply\n{replies}".encode(), "Elsewhere")
    for n, slot in enumerate(JudgingSlot.objects.order_by("item__position", "pk")):
        moved = F("judged_at") - timedelta(hours=n * 7 % 50)
        Judgment.objects.filter(slot=slot).update(judged_at=moved)
    return made


@pytest.fixture
def annotated(study):
    """The study's questions come from a closed campaign of three annotators."""
    campaign = make.campaign(tags=9, people=3, into="abbeys")
    others = {"type_2": ["Text - Infobox/table"], "span_1": ""}
    for place, name in enumerate(("anna", "aron", "axel")):
        annotator = make.annotator(name)
        for n in range(9):
            invalid = make.nothing(validity="Invalid")
            entries = [make.whole(), make.whole(**others), invalid][(n * (place + 1)) % 3]
            make.submitted(annotator, within=campaign, entries=entries)
    Campaign.objects.update(state="closed")
    return study


@pytest.fixture
def rejudged(monkeypatch):
    """Two resolved rounds by two versions of the rubric, with exclusions and repeats; bob is in both."""
    monkeypatch.setattr(comparisons, "RESAMPLES", 200)
    made = judged_twice(
        again=("bob", "dora"), repeat_percent=25, drawn_from=answered(12), choose=varied
    )
    exclude(made, 2)
    return made


def report_of(study):
    return study_report(study, Clustering(resamples=200))


def rows_for(study, report):
    return read_rows(b"".join(hashed_lines(study, report)), rows_of(study))


class Filling(Findings):
    """Puts what is computed into the report, and keeps what was compared."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def compare(self, where, entry, key, computed):
        super().compare(where, entry, key, computed)
        self.seen.add((id(entry), key))
        entry[key] = computed


def numbers(value, path=""):
    """(path, the entry, its key) of each number of a report; lists of numbers are one."""
    if isinstance(value, list):
        for one in value:
            yield from numbers(one, f"{path}[]")
    elif isinstance(value, dict):
        for key, one in value.items():
            where = f"{path}.{key}".lstrip(".")
            if holds_numbers(one):
                yield where, value, key
            else:
                yield from numbers(one, where)


def holds_numbers(value):
    """Whether it is a number, or lists or a table of nothing else."""
    if isinstance(value, list):
        return bool(value) and all(map(holds_numbers, value))
    if isinstance(value, dict):
        return bool(value) and all(isinstance(one, int) for one in value.values())
    return isinstance(value, int | float) and not isinstance(value, bool)


def cells(page):
    """Every cell, sentence and drawn label of the page, without its tags."""
    return [" ".join(part.split()) for part in re.split(r"<[^>]*>", page) if part.strip()]


def page_of(study, report):
    return render_to_string(
        "evaluation/_report.html", {**laid_out(report, QueryDict()), "study": study}
    )


# ---------------------------------------------------------------- all numbers


@pytest.mark.parametrize("made", ["study", "annotated", "rejudged"])
def test_every_number_of_the_report_is_computed_from_its_rows(made, request):
    study = request.getfixturevalue(made)
    report = report_of(study)
    filled, findings = deepcopy(report), Filling()
    check(filled, findings, rows_for(study, report))
    assert findings.wrong == []
    left = {
        path
        for path, entry, key in numbers(filled)
        if (id(entry), key) not in findings.seen and not GIVEN.search(path)
    }
    assert left == set()
    steps = "steps before the study, of which it has no rows"
    assert set(findings.skipped) <= {steps, "no interval by resampling"}
    assert cells(page_of(study, filled)) == cells(page_of(study, report))


def test_the_study_has_what_there_is_to_compute(annotated):
    """Else the test before proves nothing."""
    report = report_of(annotated)
    prompt = report["agreement"]["prompts"][1]
    (campaign,) = report["annotators"]
    assert [one["round"] for one in report["agreement"]["other_rounds"]]
    assert len(prompt["over_time"]) == 3
    assert len(prompt["pairs"]) == 3
    assert report["agreement"]["self"]["judges"]
    assert campaign["measured"]
    assert len(report["days"]) > 1
    assert len(report["comparisons"]["families"]) == 5
    ends = {path for path, entry, key in numbers(report) if key.endswith("low") and entry[key]}
    assert len(ends) > 20


def test_a_study_judged_twice_has_what_rounds_add(rejudged):
    """As above."""
    report = report_of(rejudged)
    (changed,) = report["rounds"]["changed"]
    own = {one["judge"]: one["n"] for one in report["agreement"]["self"]["judges"]}
    bob = rejudged.judges.get(person__username="bob").pseudonym
    twice = Count("slots__round", filter=Q(slots__judge__pseudonym=bob), distinct=True)
    assert rejudged.items.annotate(rounds=twice).filter(rounds=2).exists()
    assert 0 < changed["coefficients"][0]["value"] < 1
    assert [one["final"] > 0 for one in report["rounds"]["rounds"]] == [True, True]
    assert own[bob] > 0


def one_of_each(report):
    """The first number of each kind: by its path."""
    first = {}
    for path, entry, key in numbers(report):
        if entry[key] is not None and not GIVEN.search(path):
            first.setdefault(path, (entry, key))
    return first


PART_OF = {
    "agreement": check_agreement,
    "rounds": check_rounds,
    "tables": check_tables,
    "comparisons": check_comparisons,
    "judge_models": check_judge_models,
    "halves": check_judge_models,
    "annotators": check_annotators,
    "snapshot": lambda report, rows, findings: check(report, findings, rows),
}


def changed(value):
    if isinstance(value, dict):
        name = next(iter(value))
        return {**value, name: value[name] + 1}
    if isinstance(value, list):
        return [changed(value[0]), *value[1:]]
    return value + 1 if isinstance(value, int) else value + 1e-6


class Finding(Findings):
    """Keeps which numbers differ."""

    def __init__(self):
        super().__init__()
        self.differ = set()

    def compare(self, where, entry, key, computed):
        before = len(self.wrong)
        super().compare(where, entry, key, computed)
        if len(self.wrong) > before:
            self.differ.add((id(entry), key))


def missed(report, rows, part, some):
    """The paths of those of these numbers whose change is not found: of all at once, then of each of the rest alone."""
    right = [entry[key] for _, entry, key in some]
    for _, entry, key in some:
        entry[key] = changed(entry[key])
    findings = Finding()
    try:
        part(report, rows, findings)
    except ValueError:  # a table that its labels do not fit
        findings.wrong.append("a table")
    for (_, entry, key), value in zip(some, right, strict=True):
        entry[key] = value
    if len(some) == 1:
        return [] if findings.wrong else [some[0][0]]
    rest = [one for one in some if (id(one[1]), one[2]) not in findings.differ]
    return [path for one in rest for path in missed(report, rows, part, [one])]


@pytest.mark.parametrize("made", ["annotated", "rejudged"])
def test_a_change_of_any_number_is_found(made, request):
    study = request.getfixturevalue(made)
    report = report_of(study)
    rows = rows_for(study, report)
    kinds = one_of_each(report)
    assert len(kinds) > 100
    # Those of one name are not computed from one another: one check finds all of them.
    together = defaultdict(list)
    for path, (entry, key) in kinds.items():
        part = PART_OF.get(path.partition(".")[0].removesuffix("[]"), check_study)
        together[part, key].append((path, entry, key))
    each = (missed(report, rows, part, some) for (part, _), some in together.items())
    assert list(chain.from_iterable(each)) == []


SHOWN = (
    ("study", "responses"),
    ("tables", 0, "rows", 0, "k"),
    ("comparisons", "families", 0, "rows", 0, "only_second"),
    ("agreement", "prompts", 0, "over_time", 2, "coefficients", 0, "value"),
    ("judge_models", 0, "prompts", 0, "accuracy", "k"),
    ("days", 0, "verdicts"),
)


def test_a_changed_number_is_a_cell_of_the_page_that_is_not_the_computed_one(annotated):
    report = report_of(annotated)
    rows = rows_for(annotated, report)
    for *path, key in SHOWN:
        entry = report
        for step in path:
            entry = entry[step]
        entry[key] += 1
        filled = deepcopy(report)
        check(filled, Filling(), rows)
        assert cells(page_of(annotated, filled)) != cells(page_of(annotated, report)), path
        entry[key] -= 1


# ---------------------------------------------------------------- kinds of studies


def test_intervals_are_computed_whatever_is_drawn(study):
    for by in ("article", "tag", "instance"):
        report = study_report(study, Clustering(by=by, resamples=200, seed=11))
        findings = Findings()
        check(report, findings, rows_for(study, report))
        assert findings.wrong == [], by


def test_more_articles_than_are_drawn_one_by_one(monkeypatch):
    monkeypatch.setattr(comparisons, "RESAMPLES", 200)
    run = judging.run()
    asked = [judging.instance(n, title=f"Title {n}") for n in range(1, 211)]
    judging.responses(run, asked, ["both-passages"], judging.MODEL_IDS[:1])
    study = judged_study("alice", "bob", drawn_from=run, choose=varied)
    report = report_of(study)
    kappa = report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][1]
    assert kappa["clustered"]["clusters"] == 210
    findings = Findings()
    check(report, findings, rows_for(study, report))
    assert findings.wrong == []


def test_a_study_that_was_closed_before_all_was_judged():
    study, _, _ = judging.closed_early()
    report = report_of(study)
    findings = Findings()
    check(report, findings, rows_for(study, report))
    assert findings.wrong == []
    assert "incomplete" in {way["how"] for way in report["resolution"]}


def test_every_interval_names_its_method(annotated):
    """The method is next to the ends, or in the part that holds them."""

    def unnamed(value, named, path=""):
        if isinstance(value, list):
            return chain.from_iterable(unnamed(one, named, path) for one in value)
        if not isinstance(value, dict):
            return ()
        named = named | {key for key in value if key.endswith("method")}
        lacks = [
            f"{path}.{low}"
            for low, method in (("low", "method"), ("cluster_low", "cluster_method"))
            if value.get(low) is not None and method not in named
        ]
        deeper = (unnamed(one, named, f"{path}.{key}") for key, one in value.items())
        return chain(lacks, *deeper)

    assert set(unnamed(report_of(annotated), frozenset())) == set()


def test_the_zip_holds_the_script_as_a_package(study):
    text = bundles.text_of(bundles.sealed(report_of(study)))
    data = bundles.write(text, hashed_lines(study), rows_of(study))
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert set(packed.namelist()) == set(bundles.NAMES)
        for name in bundles.SCRIPTS:
            source = packed.read(name).decode()
            assert not re.search(r"^\s*(from|import) (evaluation|django|scipy)", source, re.M), name
