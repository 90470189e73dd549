"""The script in a report's zip computes every number that the report has and its page shows, from the rows alone."""

import io
import re
import zipfile
from collections import Counter
from datetime import timedelta
from itertools import chain

import numpy as np
import pytest
from django.db.models import Count, F, Q
from django.http import QueryDict
from django.template.loader import render_to_string

from annotation.models import Campaign
from evaluation.archive import bundles
from evaluation.archive.recompute import (
    UNKNOWN,
    Findings,
    Recomputed,
    ReportRows,
    check,
    has_parts,
    kappa,
)
from evaluation.report.layout import laid_out
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.sections import comparison_entries
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from judging.files.predictions import import_predictions
from judging.models import JudgingSlot, Judgment, Round
from tests.annotation import factories as make
from tests.evaluation.factories import (
    INSTANCES,
    SCALE,
    exclude,
    judged_study,
    judged_twice,
    resolve_all,
)
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db

# Not computed: names and numbers of rows of this database, how a study was set up, when questions were excluded, how
# intervals were to be made, and the agreement of annotators.
GIVEN = re.compile(
    r"excluded_(before|after)_results$|"
    r"format$|snapshot\.(id|rows_format)$|id$|\.seed$|\.resamples$|_percent$|judges_per_response$|\.part$|n_round$|"
    r"\.round$|\.margin$|flow\.steps\[\]\.(lost|gained)|flow\.steps\[\]\.n$|study\.subset\.|"
    r"rounds\.rounds\[\]\.(n|could_read)$|rounds\.changed\[\]\.rounds$|^annotators"
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
    return SCALE[(place // 3 + (len(who) * place % 5 == 0)) % 3]


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
    monkeypatch.setattr(comparison_entries, "RESAMPLES", 200)
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
    monkeypatch.setattr(comparison_entries, "RESAMPLES", 200)
    made = judged_twice(
        again=("bob", "dora"), repeat_percent=25, drawn_from=answered(12), choose=varied
    )
    exclude(made, 2)
    return made


def report_of(study):
    return study_report(study, Clustering(resamples=200))


def rows_for(study, report):
    return b"".join(hashed_lines(study, report)), rows_of(study)


def findings_of(report, rows):
    findings = Findings()
    check(report, *rows, findings)
    return findings


def recomputed(report, rows):
    return Recomputed(report, ReportRows(*rows, report["prompts"])).whole()


def filled(reported, computed):
    """The report with what is computed in its place, where anything is."""
    if computed is UNKNOWN:
        return reported
    if isinstance(computed, Counter):
        return {name: computed[name] for name in reported}
    if isinstance(computed, dict):
        return reported | {key: filled(reported[key], one) for key, one in computed.items()}
    if has_parts(computed):
        return [filled(*both) for both in zip(reported, computed, strict=True)]
    return computed


def numbers(value, path=""):
    """(path, the entry, its key) of each number of a report; lists of numbers are one."""
    if isinstance(value, list):
        for place, one in enumerate(value):
            yield from numbers(one, f"{path}[{place}]")
    elif isinstance(value, dict):
        for key, one in value.items():
            where = f"{path}.{key}".lstrip(".")
            if holds_numbers(one):
                yield where, value, key
            else:
                yield from numbers(one, where)


def kind_of(path):
    return re.sub(r"\[\d+\]", "[]", path)


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
    rows = rows_for(study, report)
    findings = findings_of(report, rows)
    assert findings.wrong == []
    assert findings.checked > 900
    left = {kind_of(path) for path in findings.unchecked}
    assert {path for path in left if not GIVEN.search(path)} == set()
    made_anew = filled(report, recomputed(report, rows))
    assert cells(page_of(study, made_anew)) == cells(page_of(study, report))


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
    """The first number of each kind, by its path."""
    first = {}
    for path, entry, key in numbers(report):
        if entry[key] is not None and not GIVEN.search(kind_of(path)):
            first.setdefault(kind_of(path), (path, entry, key))
    return first.values()


def changed(value):
    if isinstance(value, dict):
        name = next(iter(value))
        return {**value, name: value[name] + 1}
    if isinstance(value, list):
        return [changed(value[0]), *value[1:]]
    return value + 1 if isinstance(value, int) else value + 1e-6


@pytest.mark.parametrize("made", ["annotated", "rejudged"])
def test_a_change_of_any_number_is_found_at_its_place(made, request):
    study = request.getfixturevalue(made)
    report = report_of(study)
    kinds = one_of_each(report)
    assert len(kinds) > 100
    for _, entry, key in kinds:
        entry[key] = changed(entry[key])
    found = [line.split(": ")[0] for line in findings_of(report, rows_for(study, report)).wrong]
    missed = [path for path, *_ in kinds if not any(line.startswith(path) for line in found)]
    assert missed == []


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
        made_anew = filled(report, recomputed(report, rows))
        assert cells(page_of(annotated, made_anew)) != cells(page_of(annotated, report)), path
        entry[key] -= 1


# ---------------------------------------------------------------- its own formulas


def test_the_scripts_kappa_of_cohens_table_and_of_none():
    table = np.array([[88, 14, 18], [10, 40, 10], [2, 6, 12]])
    assert kappa(table, range(3), "none") == pytest.approx(29 / 59)
    assert kappa(np.array([[4, 0], [0, 0]]), range(2), "none") is None
    assert kappa(np.zeros((2, 2), dtype=int), range(2), "none") is None


# ---------------------------------------------------------------- kinds of studies


def test_intervals_are_computed_whatever_is_drawn(study):
    for by in ("article", "tag", "instance"):
        report = study_report(study, Clustering(by=by, resamples=200, seed=11))
        assert findings_of(report, rows_for(study, report)).wrong == [], by


def test_more_articles_than_are_drawn_one_by_one(monkeypatch):
    monkeypatch.setattr(comparison_entries, "RESAMPLES", 200)
    run = judging.run()
    asked = [judging.instance(n, title=f"Title {n}") for n in range(1, 211)]
    judging.responses(run, asked, ["both-passages"], judging.MODEL_IDS[:1])
    study = judged_study("alice", "bob", drawn_from=run, choose=varied)
    report = report_of(study)
    kappa = report["agreement"]["prompts"][0]["pairs"][0]["coefficients"][1]
    assert kappa["clustered"]["clusters"] == 210
    assert findings_of(report, rows_for(study, report)).wrong == []


def test_a_study_that_was_closed_before_all_was_judged():
    study, _, _ = judging.closed_early()
    report = report_of(study)
    assert findings_of(report, rows_for(study, report)).wrong == []
    assert "incomplete" in {way["how"] for way in report["resolution"]}


def test_responses_without_a_verdict_that_a_report_keeps_back_are_found():
    study = judging.open_study()
    report = report_of(study)
    report["resolution"] = [way for way in report["resolution"] if way["how"] != "waiting"]
    wrong = findings_of(report, rows_for(study, report)).wrong
    assert any(line.startswith("resolution: ") for line in wrong)


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


def test_the_zip_holds_the_script_and_its_formulas(study):
    text = bundles.text_of(bundles.sealed(report_of(study)))
    data = bundles.write(text, hashed_lines(study), rows_of(study))
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        assert set(packed.namelist()) == set(bundles.NAMES)
        for name in bundles.SCRIPTS:
            source = packed.read(name).decode()
            assert not re.search(r"^\s*(from|import) (django|scipy|pages)", source, re.M), name
