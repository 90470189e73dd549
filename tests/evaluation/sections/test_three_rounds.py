"""Agreement of a study of three rounds: that of each round that gives final verdicts, with its n, and of no other."""

import io
import re

import pytest
from django.core.management import call_command
from sklearn.metrics import cohen_kappa_score

from evaluation.paper.latex import latex
from evaluation.report.display import read_display
from evaluation.report.drawings import drawings
from evaluation.report.layout import laid_out
from evaluation.report.methods import methods_paragraph
from evaluation.report.summary import summary
from evaluation.sections.study import study_report
from evaluation.tables.agreement import agreement_table, portion_tables
from evaluation.tables.all_tables import sheet
from evaluation.tables.differences import difference_tables
from evaluation.tables.joined import Side, verdicts_of_two
from evaluation.tables.sentences import kappa_of
from evaluation.tables.words import number, p_value
from judging.models import JudgingSlot, Judgment
from tests.evaluation.factories import judged_in_three_rounds, judged_study, resolve_all
from tests.evaluation.frozen.write import ten_articles

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return judged_in_three_rounds()


@pytest.fixture
def report(study):
    return study_report(study)


def own_kappa(study, n):
    """Kappa of a round from its slots, by scikit-learn; and over how many responses."""
    given = {}
    slots = JudgingSlot.objects.filter(round__study=study, round__n=n)
    for slot in slots.exclude(judgment__first_verdict=None).select_related("judgment", "judge"):
        given.setdefault(slot.item_id, {})[slot.judge.pseudonym] = slot.judgment.first_verdict
    both = [[of[judge] for judge in sorted(of)] for of in given.values() if len(of) == 2]
    return cohen_kappa_score(*zip(*both, strict=True)), len(both)


def shown(entry):
    return f"{number(kappa_of(entry)[0]['value'], 2)}"


def test_each_round_that_gives_final_verdicts_has_its_kappa_and_n(study, report):
    entries, others = report["agreement"]["prompts"], report["agreement"]["other_rounds"]
    assert [(one["round"], one["n"], one["final"]) for one in entries] == [(1, 20, 7), (3, 15, 8)]
    assert [(one["round"], one["n"], one["final"]) for one in others] == [(2, 3, 0)]
    for entry in (*entries, *others):
        kappa, n = own_kappa(study, entry["round"])
        assert (kappa_of(entry)[0]["value"], entry["n"]) == (pytest.approx(kappa), n)


def test_a_round_that_lost_a_judge_is_told_by_the_verdicts_given(report):
    text = methods_paragraph(report)
    assert (
        " was of 8 responses, verdicts by 2 people on 3, by 1 person on 5, and gives 0 final"
        in text
    )
    assert "was to go to 2 people (5 people in all)" in text


def test_the_first_screen_has_a_line_for_each_round(report):
    first, third = report["agreement"]["prompts"]
    (panel,) = summary(report, drawings(report)).panels
    assert len(panel.agreement) == 2
    for line, entry in zip(panel.agreement, (first, third), strict=True):
        assert line.startswith(f"Round {entry['round']}: Cohen's kappa {shown(entry)}")
        assert line.endswith(f"n = {entry['n']}")


def test_no_form_of_the_report_puts_the_round_without_final_verdicts_forward(study, report):
    first, third = report["agreement"]["prompts"]
    (second,) = report["agreement"]["other_rounds"]
    left_out = re.compile(rf"[-\N{{MINUS SIGN}}]\$?{-kappa_of(second)[0]['value']:.2f}")
    out = io.StringIO()
    call_command("report", study.slug, stdout=out)
    compact, full = (
        latex(report, read_display({"form": form}, report)) for form in ("compact", "full")
    )
    forms = {
        "methods": methods_paragraph(report),
        "compact": compact,
        "full": full,
        "command": out.getvalue(),
        "two reports": str(
            verdicts_of_two(Side.of_report(report), Side.of_report(report), "correct")
        ),
        "chart": drawings(report)["kappa"].svg,
    }
    for name, text in forms.items():
        for entry in (first, third):
            assert shown(entry) in text, name
            assert f"round {entry['round']}" in text.lower(), name
            if name != "chart":
                assert str(entry["n"]) in text, name
        assert not left_out.search(text), name


def test_the_tables_lead_to_the_rows_of_their_round(study, report):
    [group] = agreement_table(report).groups
    assert [line.keys[1].rpartition(", ")[2] for line in group.lines] == ["round 1", "round 3"]
    [other] = [table for table in portion_tables(report) if table.key == "other-rounds"]
    [line] = other.groups[0].lines
    assert (line.keys[1], line.cells[0].k) == ("round 2", 3)


def test_the_csv_has_every_round(report):
    header, rows = sheet(report, "agreement")
    found = {re.search(r"round (\d)", row[header.index("line")]) for row in rows if not row[1]}
    assert {at[1] for at in found if at} == {"1", "2", "3"}
    for name, titled in (("agreement", "on each verdict"), ("confusion", "first verdicts of")):
        titles = [row[0] for row in sheet(report, name)[1] if titled in row[0]]
        assert {title for title in titles if ", round 2:" in title}, name


def test_while_no_round_gives_a_final_verdict_all_are_put_forward(study):
    study.items.first().resolutions.model.objects.filter(final_for__study=study).update(
        final_for=None
    )
    report = study_report(study)
    assert [one["round"] for one in report["agreement"]["prompts"]] == [1, 2, 3]
    assert report["agreement"]["other_rounds"] == []


def test_agreement_of_other_rounds_alone_does_not_count_as_measured(study):
    """The report would put nothing forward, and its methods paragraph would name no number."""
    of_second_judges = Judgment.objects.filter(slot__judge__person__username__in=("bob", "fay"))
    of_second_judges.delete()
    report = study_report(study)
    assert [one["n"] for one in report["agreement"]["other_rounds"]] == [3]
    assert not report["agreement"]["measured"]
    assert report["agreement"]["reason"]
    assert "Agreement between judges was not measured." in methods_paragraph(report)


def test_from_four_articles_no_form_of_the_report_gives_an_interval_of_kappa():
    study = judged_study()
    report = study_report(study)
    out = io.StringIO()
    call_command("report", study.slug, stdout=out)
    assert "no interval: fewer than 8 articles (4)" in out.getvalue()
    assert "(no interval) on prompt 4 (n = 8)" in methods_paragraph(report)
    assert "fewer than 8 articles, has no interval" in methods_paragraph(report)
    shown = laid_out(report, {})
    (line,) = shown["summary"].panels[2].agreement
    few = "ewer than 8 articles (4): too few for an interval."
    assert line.endswith(f"(no interval), n = 8. F{few}")
    assert f"It has no interval: f{few}" in shown["by_prompt"][2].sentence
    assert shown["agreement"].groups[0].lines[2].cells[2].reason == f"No interval: f{few}"
    table = latex(report, read_display({"form": "full"}, report))
    (row,) = [row for row in table.splitlines() if row.startswith("4") and " & 8 & " in row]
    agreed, kappa = row.split(" & ")[3:5]
    assert " W" in agreed
    assert "[" not in kappa


def better_with_both_passages(who, slot):
    """Correct on half of the articles under one prompt, on a fifth under the others, whatever order chance gives."""
    response = slot.item.response
    article = int(re.search(r"\d+", response.instance.contradiction.title)[0])
    return "incorrect" if article % (2 if response.prompt == "both-passages" else 5) else "correct"


def test_every_form_gives_both_p_values_with_their_names():
    """Next to an interval that is not corrected, a corrected p alone misleads."""
    study = judged_study(drawn_from=ten_articles(), choose=better_with_both_passages)
    resolve_all(study)
    report = study_report(study)
    comparisons = report["comparisons"]
    row = next(
        row
        for family in comparisons["families"]
        for row in family["rows"]
        if row["p_clustered"] not in (None, row["p_clustered_corrected"])
    )
    plain, corrected = (p_value(row[key]) for key in ("p_clustered", "p_clustered_corrected"))
    assert comparisons["correction"] == "Holm"
    compact, full = (
        latex(report, read_display({"form": form}, report)) for form in ("compact", "full")
    )
    tables = difference_tables(report, "correct")
    cells = [cell for table in tables for _, _, column, cell in table.cells if "by" in column]
    assert (plain, (f"Holm {corrected}",)) in [(c.words.value, c.words.beside) for c in cells]
    for text in (compact, full):
        assert f"{plain} Holm {corrected}" in text
    assert "intervals by the same resampling" in methods_paragraph(report)
    assert "corrected within each family by Holm's method" in methods_paragraph(report)
    header, rows = sheet(report, "comparisons")
    of_holm = [one for one in rows if one[header.index("beside")] == "Holm"]
    assert row["p_clustered_corrected"] in {one[header.index("beside_value")] for one in of_holm}
