"""Each number leads to exactly the rows it counts."""

from urllib.parse import parse_qsl

import pytest

from evaluation.compare.families import Family
from evaluation.counts import final_verdicts
from evaluation.counts.judged import items_of
from evaluation.rows.choice import ResponseChoice, chosen
from evaluation.rows.export import records
from evaluation.rows.hashing import digest
from evaluation.sections.comparison_entries import answers_of, comparisons_entry
from evaluation.sections.study import study_report
from evaluation.tables.agreement import agreement_table, portion_tables
from evaluation.tables.all_tables import OF_VERDICTS
from evaluation.tables.differences import difference_tables
from judging.files.predictions import import_predictions
from judging.models import Judgment
from leases.refusal import Refusal
from tests.evaluation.factories import (
    exclude,
    judge_all,
    judged_in_three_rounds,
    judged_study,
    judged_twice,
    run_of_all_kinds,
)
from tests.judging import factories as judging

pytestmark = [pytest.mark.both, pytest.mark.django_db]
SAYS = ("correct", "partially correct", "incorrect", "?")


def changing_pairs():
    return judged_study("alice", "bob", "carl", order="random")


def count(study, query):
    return chosen(
        study, ResponseChoice.from_query(dict(parse_qsl(query.removeprefix("?"))), study)
    ).count()


def check(study, tables):
    """Each number that links to rows links to as many as it says; returns how many were followed."""
    followed = 0
    for table in tables:
        for _, line, column, cell in table.cells:
            for n, rows in ((cell.k, cell.rows), (cell.n, cell.whole)):
                if rows and n is not None:
                    assert count(study, rows) == n, (table.title, line.keys, column)
                    followed += 1
    return followed


@pytest.mark.parametrize("excluded", [0, 4])
def test_every_linked_number_of_a_report_counts_its_rows(excluded, study):
    """Two of the responses wait for a final verdict; a judge model replied to all."""
    replies = "".join(f"{n},evaluation: {SAYS[n % 4]}\n" for n in range(24))
    import_predictions(study, f"item,reply\n{replies}".encode(), "Elsewhere")
    if excluded:
        exclude(study, excluded)
    report = study_report(study)
    for name, tables in OF_VERDICTS.items():
        assert check(study, tables(report)) or name == "agreement", name
    assert check(study, [agreement_table(report), *portion_tables(report)])


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
    assert check(study, difference_tables(report, "correct")) >= 2


@pytest.mark.parametrize("make", [changing_pairs, judged_twice, judged_in_three_rounds])
def test_every_cell_of_agreement_counts_its_rows(make):
    study = make()
    report = study_report(study)
    assert check(study, [agreement_table(report), *OF_VERDICTS["confusion"](report)]) > 5


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
