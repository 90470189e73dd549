import pytest

from evaluation.report.sheets import agreement_sheet, confusion_sheet, verdict_sheet
from evaluation.sections.study import study_report
from tests.evaluation.factories import judged_study
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def dicts(sheet):
    assert all(len(row) == len(sheet.header) for row in sheet.rows)
    return [dict(zip(sheet.header, row, strict=True)) for row in sheet.rows]


def test_agreement_has_a_row_for_each_coefficient_and_verdict():
    report = study_report(judged_study())
    rows = [row for row in dicts(agreement_sheet(report)) if row["prompt"] == "4"]
    plain = {
        (row["coefficient"], row["weights"]): row
        for row in rows
        if not row["verdict"] and row["judge_1"] != "all"
    }
    assert plain["percent_agreement", "none"]["value"] == 0.75
    assert plain["cohen_kappa", "none"]["n"] == 8
    assert ("cohen_kappa", "quadratic") in plain
    alphas = {"krippendorff_alpha_nominal", "krippendorff_alpha_ordinal"}
    over_all = {row["coefficient"] for row in rows if row["judge_1"] == "all"}
    assert over_all == alphas | {"percent_agreement", "fleiss_kappa", "gwet_ac1"}
    assert plain["cohen_kappa", "none"]["clustered_reason"].startswith("Fewer than 8 clusters (4)")
    assert {row["cluster"] for row in rows} == {"article"}
    specific = {
        row["verdict"]: row["value"] for row in rows if row["coefficient"] == "specific_agreement"
    }
    of_correct = pytest.approx(12 / 14)
    assert specific == {"incorrect": 0.0, "partially correct": None, "correct": of_correct}


def test_the_confusion_sheet_adds_up_to_the_items():
    rows = dicts(confusion_sheet(study_report(judged_study())))
    counts = [row["count"] for row in rows if row["prompt"] == "4"]
    assert (len(counts), sum(counts)) == (9, 8)


def test_verdict_rows_say_what_their_n_leaves_out():
    rows = dicts(verdict_sheet(study_report(judged_study())))
    place = {"prompt": "2", "model": judging.MODEL_IDS[0], "slice": "all", "verdict": "correct"}
    (row,) = [row for row in rows if row.items() >= place.items()]
    assert (row["k"], row["n"], row["total"], row["unlabelled"], row["left_out"]) == (3, 3, 3, 0, 1)
    assert row["population"] == "final verdicts, after exclusions"
