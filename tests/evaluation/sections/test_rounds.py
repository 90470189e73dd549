"""A report by round: never mixed, which round is final, what changed, and that its rows say the same."""

import json

import pytest

from accounts.roles import Role
from evaluation.archive.recompute import Findings, check
from evaluation.report.layout import laid_out
from evaluation.report.methods import methods_paragraph
from evaluation.rows.hashing import hashed_lines, rows_of
from evaluation.sections.study import study_report
from judging import rounds, studies
from judging.files.studyfile import entries, round_entry
from judging.rounds import RoundPlan
from tests.evaluation.factories import judged_study, judged_twice
from tests.factories import person, signed_in
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db
PROMPT = "both-passages"


@pytest.fixture
def study():
    return judged_twice(PROMPT)


def agreement(report, label="4"):
    return [one for one in report["agreement"]["prompts"] if one["prompt"] == label]


@pytest.mark.both
def test_agreement_is_of_each_round_that_gives_final_verdicts(study):
    report = study_report(study)
    one, two = agreement(report)
    (first,) = agreement(report, "1")
    assert [(e["round"], e["n"], len(e["pairs"])) for e in (one, two, first)] == [
        (1, 8, 1),
        (2, 8, 1),
        (1, 8, 1),
    ]
    assert two["pairs"][0]["judges"] != first["pairs"][0]["judges"] == one["pairs"][0]["judges"]
    assert [e["pairs"][0]["coefficients"][0]["value"] for e in (one, two)] == [0.75, 1]


def test_a_report_says_what_each_round_was_and_which_verdicts_are_its_own(study):
    (first, second) = study_report(study)["rounds"]["rounds"]
    assert (first["responses"], first["final"], first["rubric"]) == (24, 16, "wikicontradict v1")
    assert (second["responses"], second["final"], second["counts"]) == (8, 8, True)
    assert second["reason"] == "The criteria left it open."


@pytest.mark.both
def test_what_changed_from_round_to_round_has_its_n_and_interval(study):
    (changed,) = study_report(study)["rounds"]["changed"]
    first = {e["item"]: e["replaced"][0]["verdict"] for e in entries(study) if e["replaced"]}
    second = {e["item"]: e["final"]["verdict"] for e in entries(study) if e["replaced"]}
    same = sum(first[item] == second[item] for item in first)
    agreed = changed["coefficients"][0]
    assert (changed["rounds"], changed["n"], len(first)) == ([1, 2], 8, 8)
    assert agreed["value"] == pytest.approx(same / 8)
    assert agreed["clustered"]["method"]


def test_the_methods_paragraph_names_the_rounds_and_what_was_declared(study):
    text = methods_paragraph(study_report(study))
    assert "in 2 rounds" in text
    assert "rubric wikicontradict v2) was of 8 responses and gives 8 final verdicts" in text
    assert "declared final before it opened: its verdicts" in text
    assert "on prompt 4, round 2 (n = 8)" in text
    assert "On 8 responses with a verdict of rounds 1 and 2 the two agree in" in text


def test_judges_and_rounds_are_counted_by_the_verdicts_given(study, client):
    plan = RoundPlan("Once more.", study.rubric, False, [judging.judge(n) for n in ("fay", "gus")])
    rounds.judge_again(study, rounds.JudgedAgain(prompts=[PROMPT]), plan, by=study.created_by)
    shown = laid_out(study_report(study), {})
    assert shown["round_rows"][2][1] == "opened over 8 responses, so far without a verdict"
    studies.close_study(study)
    report = study_report(study)
    assert (report["study"]["judges"], report["study"]["short_rounds"]) == (4, {"3": [8]})
    text = methods_paragraph(report)
    assert "went to 2 people (4 people in all), who judged independently and saw neither" in text
    assert "nor each other's verdicts in 2 rounds. Round 1" in text
    empty = "opened over 8 responses, closed without a verdict"
    assert f"v2) was {empty}, and gives 0 final verdicts; declared final before it opened" in text
    signed_in(client, person("rita", Role.RESEARCHER))
    page = " ".join(client.get(f"/reports/{study.pk}/").content.decode().split())
    assert f"by wikicontradict v2, {empty}; 0 of the final verdicts." in page
    assert "4 in all, 2 for each response" in page
    two = client.get(f"/reports/{study.pk}/next-to/?first=round-2&with=round-3").content.decode()
    assert f"It was {empty}." in two
    report = json.loads(json.dumps(report))
    findings = Findings()
    check(report, b"".join(hashed_lines(study)), rows_of(study), findings)
    assert findings.wrong == []
    report["study"]["short_rounds"]["3"] = [7, 1]
    check(report, b"".join(hashed_lines(study)), rows_of(study), findings)
    assert [line.split(": ")[0] for line in findings.wrong] == ["study.short_rounds.3"]


def test_the_script_recomputes_the_rounds_from_the_rows_alone(study):
    report = json.loads(json.dumps(study_report(study)))
    rows = b"".join(hashed_lines(study)), rows_of(study)
    findings = Findings()
    check(report, *rows, findings)
    assert findings.wrong == []
    report["rounds"]["changed"][0]["table"][0][0] += 1
    report["rounds"]["rounds"][1]["final"] += 1
    check(report, *rows, findings)
    assert [line.split(": ")[0] for line in findings.wrong] == [
        "rounds.rounds[1].final",
        "rounds.changed[0].table",
    ]


def test_verdicts_by_two_rubrics_are_not_a_judges_agreement_with_themself(study):
    assert study_report(study)["agreement"]["self"]["n"] == 0


def test_the_page_of_a_report_has_its_rounds(study):
    page = laid_out(study_report(study), {})
    lines = {table.key: table.groups[0].lines for table in page["portions"]}
    assert [line.keys[1] for line in lines["changed"]] == ["rounds 1 and 2"]
    assert page["rounds"]["rounds"][1]["n"] == 2


def test_a_study_of_one_round_says_nothing_of_rounds():
    report = study_report(judged_study())
    assert "rounds" not in report
    assert all(one["round"] is None for one in report["agreement"]["prompts"])


def test_a_file_of_a_study_has_its_rounds_and_the_verdicts_that_were_replaced(study):
    kept = [round_entry(one) for one in study.rounds.order_by("n")]
    assert [(one["round"], one["rubric"]["version"], one["counts"]) for one in kept] == [
        (1, 1, True),
        (2, 2, True),
    ]
    replaced = [entry for entry in entries(study) if entry["replaced"]]
    assert {(e["final"]["round"], e["replaced"][0]["round"]) for e in replaced} == {(2, 1)}
    assert {e["prompt"] for e in replaced} == {PROMPT}
