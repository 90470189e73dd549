"""The first screen of a report: only differences that hold are its title, and models come by result."""

import pytest

from evaluation.report.drawings import LISTED, drawings, models_in
from evaluation.report.summary import (
    NO_DIFFERENCE,
    NOT_COMPARED,
    counted_off,
    findings,
    summary,
)
from evaluation.sections.study import study_report
from evaluation.tables.sentences import agreement_lines, in_words
from tests.evaluation.factories import judged_study


def row(model="a", first="4", second="5", value=0.3, low=0.1, high=0.5, p=0.01, prompt="", **more):
    ends = {"value": value, "low": low, "high": high, "p_clustered_corrected": p}
    return {"model": model, "prompt": prompt, "first": first, "second": second, **ends, **more}


def family(kind, *rows):
    return {"key": kind, "kind": kind, "title": kind, "margin": None, "reason": "", "rows": rows}


def report_of(*families, models=3):
    comparisons = {"verdict": "correct", "families": list(families)}
    return {"comparisons": comparisons, "models": [{"id": n} for n in range(models)]}


@pytest.mark.parametrize(
    "row",
    [
        row(p=0.05),
        row(p=None),
        row(low=-0.01),
        row(value=-0.1, low=-0.3, high=0.0),
        row(value=None, low=None, high=None),
    ],
)
def test_what_does_not_hold_is_no_finding(row):
    assert findings(report_of(family("prompts", row)), "correct") == []


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            family("prompts", row(), row("b")),
            "Prompt 5 gets more correct responses than prompt 4 from a and b, by 30.0 points",
        ),
        (
            family("prompts", row(), row("b", value=0.1461), row("c")),
            "Prompt 5 gets more correct responses than prompt 4 from all three models, by 14.6 to 30.0 points",
        ),
        (
            family("prompts", row(value=-0.3, low=-0.5, high=-0.1)),
            "Prompt 4 gets more correct responses than prompt 5 from a, by 30.0 points",
        ),
        (
            family(
                "models", row("", "a", "b", prompt="5"), row("", "b", "c", -0.3, -0.4, -0.2, prompt="5")
            ),
            "On prompt 5, b gives more correct responses than both others, by 30.0 points",
        ),
        (
            family("reasoning", row(first="implicit", second="explicit", prompt="4")),
            "On prompt 4, explicit questions get a larger share of correct responses than implicit ones from a, by "
            "30.0 points",
        ),
    ],
)  # fmt: skip
def test_a_finding_in_words(found, sentence):
    assert findings(report_of(found), "correct") == [sentence]


def test_the_widest_finding_comes_first_and_gains_are_none():
    gains = family("gains", row(explicit={}, implicit={}))
    alone = family("reasoning", row(first="implicit", second="explicit", prompt="4"))
    both = family("prompts", row(), row("b"))
    first, second = findings(report_of(gains, alone, both), "correct")
    assert first.startswith("Prompt 5")
    assert second.startswith("On prompt 4")


@pytest.mark.parametrize(
    ("names", "of", "words"),
    [
        ("a", 1, "a"),
        ("a", 4, "a"),
        ("ab", 3, "a and b"),
        ("abc", 4, "a, b and c"),
        ("ab", 2, "both others"),
        ("abcd", 4, "all four others"),
        ("abcd", 6, "four of the six others"),
        ("abcdefghijkl", 12, "all 12 others"),
    ],
)
def test_names_and_counts_partition_the_set(names, of, words):
    assert counted_off(list(names), of, "others") == words


@pytest.mark.parametrize("models", [3, 5, 8])
def test_a_title_never_counts_some_where_it_is_all(models):
    rows = [
        row("", "best", f"m{n}", value=-0.3, low=-0.5, high=-0.1, prompt="5")
        for n in range(models - 1)
    ]
    (title,) = findings(report_of(family("models", *rows), models=models), "correct")
    words = "both others" if models == 3 else f"all {in_words(models - 1)} others"
    assert title == f"On prompt 5, best gives more correct responses than {words}, by 30.0 points"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("families", "title"),
    [
        ([family("prompts", row(p=0.2))], NO_DIFFERENCE),
        ([family("prompts", row(p=0.2)), family("gains", row())], NOT_COMPARED),
        ([family("prompts", row(p=None))], NOT_COMPARED),
        ([family("prompts")], NOT_COMPARED),
        ([], NOT_COMPARED),
    ],
)
def test_the_title_without_a_finding_claims_only_what_was_tested(study, families, title):
    report = study_report(study)
    report["comparisons"]["families"] = families
    assert summary(report, drawings(report)).title == title


@pytest.mark.django_db
def test_findings_beyond_the_screen_are_counted(study):
    report = study_report(study)
    rows = [row("", f"m{n}", f"n{n}", prompt="5") for n in range(6)]
    report["comparisons"]["families"] = [family("models", *rows)]
    result = summary(report, drawings(report))
    assert (len(result.findings), result.more) == (3, 2)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("judges", "words"), [(("alice", "bob"), "Cohen's kappa"), (("alice", "bob", "charlie"), "Fleiss'")]
)  # fmt: skip
def test_agreement_is_that_of_two_people_or_of_all(judges, words):
    entries = study_report(judged_study(*judges))["agreement"]["prompts"]
    (line,) = agreement_lines(entries, entries[0]["prompt"])
    assert line.startswith(words)


def test_an_undefined_kappa_has_its_reason():
    same = {"name": "cohen_kappa", "weights": "none", "value": None, "reason": "One category only."}
    entry = {"prompt": "4", "round": None, "n": 5, "pairs": [{"coefficients": [same]}]}
    assert agreement_lines([entry], "4") == ("Cohen's kappa undefined, n = 5. One category only.",)


def test_agreement_that_was_not_measured_is_left_out():
    assert agreement_lines([], "4") == ()
    assert agreement_lines([{"prompt": "4", "pairs": []}], "4") == ()


@pytest.mark.django_db
def test_models_come_by_their_mean_share_or_as_listed(study):
    report = study_report(study)
    names = [model["name"] for model in report["models"]]
    for cell in report["tables"][0]["rows"]:
        if (cell["slice"], cell["verdict"]) == ("all", "correct"):
            cell |= {"k": names.index(cell["model"]), "n": len(names)}
    assert len(names) > 1
    assert models_in("", report) == names[::-1]
    assert models_in(LISTED, report) == names
    report["display"] = {f"place-model-{report['models'][-1]['id']}": "1"}
    assert models_in(LISTED, report)[0] == names[-1]
    assert [r[2] for r in drawings(report)["shares-0"].sheet.rows] == names[::-1]
    assert drawings(report, LISTED)["shares-0"].sheet.rows[0][2] == names[-1]
