"""What is missing: each response is in one kind, and the kinds and the ways of the others are all of them."""

import itertools
import re
from collections import Counter

import pytest

from evaluation.counts.judged import Judged
from evaluation.counts.without_verdict import kind_of
from evaluation.report.drawings import drawings
from evaluation.report.methods import HOW, methods_paragraph
from evaluation.report.summary import summary
from evaluation.sections.study import study_report
from evaluation.sections.verdict_table import resolution_entry
from evaluation.shapes.verdict_tables import ABSENT, KINDS
from evaluation.tables.all_tables import sheet
from judging import studies, verdicts
from judging.models import JudgingSlot, Resolution, Study
from judging.states import SlotState
from tests.evaluation.factories import (
    exclude,
    judge_all,
    judged_in_three_rounds,
    judged_study,
    resolve_all,
    run_of_all_kinds,
)
from tests.judging import factories as judging

SEATS = [(state, reason) for state in SlotState.values for reason in ("", "No idea")]
OPEN = ["free", "waiting", "judged", "skipped"]
EXPECTED = [
    ([], "waiting"),
    (["locked", "locked"], "disagreement"),
    (["locked", "skip"], "skipped"),
    (["skip", "skip"], "skipped"),
    (["locked", "gone"], "incomplete"),
    (["skip", "gone"], "incomplete"),
    (["gone", "gone"], "incomplete"),
    *((["locked", state], "waiting") for state in OPEN),
    *((["skip", state], "waiting") for state in OPEN),
    *((["gone", state], "incomplete") for state in OPEN),
]
SEAT = {"skip": ("withdrawn", "No idea"), "gone": ("withdrawn", "")}


@pytest.mark.parametrize(("seats", "kind"), EXPECTED)
def test_why_a_response_has_no_final_verdict(seats, kind):
    assert kind_of(SEAT.get(seat, (seat, "")) for seat in seats) == kind


def test_whatever_state_its_slots_are_in_a_response_is_in_one_kind():
    kinds = {kind_of(seats) for seats in itertools.product(SEATS, repeat=3)}
    assert kinds | {ABSENT} == set(KINDS)


def test_the_methods_paragraph_has_words_for_every_way_and_kind():
    assert set(HOW) == set(Resolution.How.values)


def sums(report):
    """The n that the paragraph names, the numbers of its ways, and those of what is missing by kind."""
    text = methods_paragraph(report)
    found = re.search(r"Of ([\d,]+) responses?[^,]*, (.*?)\. (?=[A-Z])", text)
    n, parts = found.groups()
    ways, _, kinds = parts.replace(",", "").rstrip(")").partition("(")
    numbers = [[int(one) for one in re.findall(r"(?<![\d.])\d+(?= )", of)] for of in (ways, kinds)]
    return int(n.replace(",", "")), *numbers


def is_partition(report):
    n, ways, kinds = sums(report)
    gone = sum(way["count"] for way in report["resolution"] if not way["final"])
    assert n == sum(ways) == sum(way["count"] for way in report["resolution"])
    assert sum(kinds) == gone
    assert not gone or ways[-1] == gone


def of_every_kind() -> Study:
    """A closed study: alice and bob differ on some, skipped some, and never came to others; one question excluded."""
    study = judging.open_study(drawn_from=run_of_all_kinds(models=("quokka", "wombat", "dingo")))
    order = {item: n for n, item in enumerate(study.items.values_list("pk", flat=True))}

    def choose(who, slot):
        n = order[slot.item_id]
        if who == "bob" and n % 4 == 0:
            return ""
        return "incorrect" if who == "bob" and n % 4 == 1 else "correct"

    judge_all(study, choose, hand_in=False)
    skipped = [item for item, n in order.items() if n % 8 == 4]
    for slot in JudgingSlot.objects.filter(item__in=skipped, state="waiting"):
        verdicts.skip(verdicts.slot_of(slot.judge.person, slot.pk), "Cannot tell.")
    studies.close_study(study)
    exclude(study, 2)
    return Study.objects.get(pk=study.pk)


@pytest.mark.both
@pytest.mark.django_db
def test_the_kinds_are_a_partition_of_the_responses_that_were_kept():
    study = of_every_kind()
    report = study_report(study)
    counts = Counter({way["how"]: way["count"] for way in report["resolution"]})
    assert set(counts) == {"unanimous", "disagreement", "skipped", "incomplete"}
    assert sum(counts.values()) == 36 - 9
    is_partition(report)


@pytest.mark.django_db
@pytest.mark.parametrize("make", [judged_study, judging.open_study, judged_in_three_rounds])
def test_so_they_are_in_studies_of_other_states(make):
    study = make()
    is_partition(study_report(study))
    resolve_all(study)
    is_partition(study_report(study))


@pytest.mark.django_db
def test_an_imported_study_says_that_its_file_has_no_verdict():
    study = judged_study()
    Study.objects.filter(pk=study.pk).update(is_imported=True)
    study.refresh_from_db()
    ways = {way["how"]: way["count"] for way in resolution_entry(Judged.of_study(study))}
    assert ways == {"unanimous": 22, "absent": 2}


@pytest.mark.django_db
def test_the_first_screen_counts_them_and_says_which_shares_they_allow():
    report = study_report(of_every_kind())
    shown = summary(report, drawings(report))
    gone = sum(way["count"] for way in report["resolution"] if not way["final"])
    assert shown.missing.startswith(f"{gone} of 27 responses to the questions that were kept have")
    assert "open disagreements" in shown.missing
    (table,) = report["tables"]
    lines = {(one["prompt"], one["model"]): one for one in table["lines"] if one["slice"] == "all"}
    for panel in shown.panels:
        short = [
            model
            for (prompt, model), one in lines.items()
            if prompt == panel.prompt and one["unlabelled"]
        ]
        in_chart = [row[2] for row in panel.drawing.sheet.rows]
        assert [one.model for one in panel.ranges] == [one for one in in_chart if one in short]
    for cell in table["rows"]:
        if cell["verdict"] == "correct" and cell["slice"] == "all":
            line = lines[cell["prompt"], cell["model"]]
            assert cell["lowest"] == cell["k"] / line["total"]
            assert cell["highest"] == (cell["k"] + line["unlabelled"]) / line["total"]
            if cell["n"]:
                assert cell["lowest"] <= cell["k"] / cell["n"] <= cell["highest"]
    header, rows = sheet(report, "verdicts")
    assert {row[header.index("highest")] for row in rows} >= {c["highest"] for c in table["rows"]}


@pytest.mark.django_db
def test_where_nothing_is_missing_nothing_is_said():
    study = judged_study()
    resolve_all(study)
    report = study_report(study)
    shown = summary(report, drawings(report))
    assert shown.missing == ""
    assert all(not panel.ranges for panel in shown.panels)
    assert "no final verdict" not in methods_paragraph(report)


@pytest.mark.django_db
def test_a_number_is_written_in_one_way():
    report = study_report(judged_study())
    report["study"]["responses"] = 1_224
    report["resolution"] = [{"how": "unanimous", "label": "", "count": 1_224, "final": True}]
    assert "1,224 responses of 2 models" in methods_paragraph(report)
    assert "Of 1,224 responses, 1,224 were unanimous." in methods_paragraph(report)
