"""Each number leads to exactly the rows it counts."""

import re
from urllib.parse import parse_qsl

import pytest

from evaluation.compare.families import Family
from evaluation.counts import final_verdicts
from evaluation.counts.judged import items_of
from evaluation.report.agreement_rows import agreement_rows, agreement_sections
from evaluation.report.comparison_rows import family_sections
from evaluation.report.verdict_rows import prompt_sections
from evaluation.rows.choice import ResponseChoice, chosen
from evaluation.rows.export import records
from evaluation.rows.hashing import digest
from evaluation.sections.comparison_entries import answers_of, comparisons_entry
from evaluation.sections.study import study_report
from judging.models import Judgment
from leases.refusal import Refusal
from tests.evaluation.factories import exclude, judge_all, judged_study, run_of_all_kinds
from tests.judging import factories as judging

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def count(study, query):
    return chosen(
        study, ResponseChoice.from_query(dict(parse_qsl(query.removeprefix("?"))), study)
    ).count()


def check(study, figures):
    """Each figure that links to rows links to as many as it says."""
    linked = [figure for figure in figures if figure.query]
    numbers = [int(re.split("[ /]", figure.value)[0]) for figure in linked]
    assert [count(study, figure.query) for figure in linked] == numbers
    return linked


def test_every_linked_verdict_counts_its_rows(study):
    exclude(study, 4)
    rows = [
        row
        for section in prompt_sections(study_report(study))
        for row in (*section.rows, *section.few)
    ]
    assert len(check(study, [figure for row in rows for figure in row.cells])) > 10


def test_every_linked_n_counts_its_rows_judged_or_not(study):
    rows = [
        row
        for section in prompt_sections(study_report(study))
        for row in (*section.rows, *section.few)
    ]
    linked = [row.n for row in rows if row.n.query]
    assert any(" of " in figure.value for figure in linked)
    assert [count(study, figure.query) for figure in linked] == [
        int(figure.value.split()[-1]) for figure in linked
    ]


@pytest.mark.parametrize(
    ("family", "left_out"),
    [
        (Family("f", "", "prompts", (("internal-knowledge", "both-passages"),)), None),
        (Family("f", "", "prompts", (("passage-1", "both-passages"),)), None),
        (Family("f", "", "models", (("both-passages",),)), None),
        (Family("f", "", "reasoning", (("both-passages",),)), None),
        (Family("f", "", "prompts", (("internal-knowledge", "both-passages"),)), 1),
    ],
)
def test_every_side_of_a_comparison_counts_its_rows(family, left_out, study):
    """Two of the responses wait for a final verdict, and their questions are in no pair."""
    if left_out:
        exclude(study, left_out)
    report = study_report(study)
    names = {model["id"]: model["name"] for model in report["models"]}
    answers = answers_of(final_verdicts.answered(items_of(study), names), "correct")
    report["comparisons"] = comparisons_entry(answers, 0, [family])
    (section,) = family_sections(report, "correct")
    assert len(check(study, [side for row in section.rows for side in row.sides])) >= 2


@pytest.mark.parametrize("judges", [("alice", "bob"), ("alice", "bob", "carl")])
def test_every_cell_of_a_matrix_counts_its_rows(judges):
    study = judged_study(*judges, order="random")
    report = study_report(study)
    matrices = [matrix for section in agreement_sections(report) for matrix in section.matrices]
    check(study, [figure for matrix in matrices for _, row in matrix.rows for figure in row])
    for row in agreement_rows(report):
        assert count(study, row.query) == row.n


@pytest.mark.parametrize(
    "query",
    [
        {"verdict": "maybe"},
        {"slice": "half"},
        {"of": "all"},
        {"first_1": "x"},
        {"model": "1 OR 1=1"},
        {"model": "²"},
        {"with_model": "m"},
        {"match": "maybe"},
        {"either": "x"},
    ],
)
def test_what_no_number_links_to_is_refused(query, study):
    with pytest.raises(Refusal):
        ResponseChoice.from_query(query, study)


def test_other_tables_columns_cannot_be_reached_by_a_query(study):
    choice = ResponseChoice.from_query(
        {"judge__person__password__startswith": "a", "prompt": "both-passages"}, study
    )
    assert choice == ResponseChoice(prompt="both-passages")


def test_a_record_a_judge_with_pseudonyms_only(study):
    result = list(records(study.items.all()))
    assert len(result) == 48
    pseudonyms = set(study.judges.values_list("pseudonym", flat=True))
    assert {record["judge"] for record in result} == pseudonyms
    assert not {"alice", "Alice", "bob", "Bob"} & {str(v) for r in result for v in r.values()}
    assert {record["reasoning"] for record in result} == {"explicit", "implicit", "untyped"}


def test_a_verdict_that_may_still_change_is_in_no_record():
    study = judge_all(judging.open_study(drawn_from=run_of_all_kinds()), hand_in=False)
    assert Judgment.objects.count() == 48
    for record in records(study.items.all()):
        assert (record["first_verdict"], record["comment"], record["seconds"]) == (None, None, None)


def test_a_response_without_slots_has_a_record():
    study = judging.draft()
    assert len(list(records(study.items.all()))) == study.items.count() == 12


def test_the_hash_follows_verdicts_not_comments(study):
    before = digest(study)
    Judgment.objects.update(comment="Read again")
    assert digest(study) == before
    Judgment.objects.filter(pk=Judgment.objects.first().pk).update(
        first_verdict="partially correct"
    )
    assert digest(study)[0] != before[0]
