import re
from xml.etree import ElementTree

import pytest

from evaluation.charts.axis import axis_over
from evaluation.charts.bars import BarPart, StackedBar, stacked_bars
from evaluation.charts.confusion import confusion_matrix
from evaluation.charts.flow_diagram import FlowBox, flow_diagram
from evaluation.charts.forest import Estimate, forest_plot
from evaluation.charts.sparkline import Trend, trend_lines
from evaluation.charts.svg import LINE, SANS

SVG = "{http://www.w3.org/2000/svg}"
AXES = ("Parts", "Agreement, %")
PARTS = (BarPart("incorrect", "Incorrect", "bad"), BarPart("correct", "Correct", "good"))


def bars(*given, **changes):
    options = {"title": "Verdicts", "describe": "By model.", "key": "verdicts"}
    return stacked_bars(given, PARTS, **{**options, **changes})


def matrix(table=((3, 1), (0, 4)), labels=("incorrect", "partially correct")):
    return confusion_matrix(
        table, labels, sides=("J1", "J2"), title="First verdicts", describe="J1 by J2.", key="m"
    )


def texts(svg):
    return list(ElementTree.fromstring(svg).iter(f"{SVG}text"))


def segments(svg):
    root = ElementTree.fromstring(svg)
    return [rect for rect in root.iter(f"{SVG}rect") if rect.get("height") == "22"]


def test_segments_fill_the_bar_in_proportion():
    first, second = segments(bars(StackedBar("m", (1, 3))))
    assert (first.get("x"), first.get("width")) == ("0.000%", "25.000%")
    assert (second.get("x"), second.get("width")) == ("25.000%", "75.000%")
    assert second.find(f"{SVG}title").text == "Correct: 3 of 4"


def test_an_empty_bar_says_so_and_draws_nothing():
    svg = bars(StackedBar("m", (0, 0)))
    assert segments(svg) == []
    assert "no responses counted" in svg


def test_a_narrow_segment_carries_no_number():
    shown = [text.text for text in texts(bars(StackedBar("m", (1, 99))))]
    assert "99" in shown
    assert "1" not in shown


def trends(*shares, label="1: Question alone"):
    points = tuple((f"part {n}", share, f"{share}") for n, share in enumerate(shares))
    return trend_lines(
        [Trend(label, points)], title="Agreement", describe="In parts.", key="t", axes=AXES
    )


@pytest.mark.parametrize("svg", [bars(StackedBar("m", (1, 3))), matrix(), trends(0.5, 1.0)])
def test_a_chart_has_title_and_description_tied_to_it(svg):
    root = ElementTree.fromstring(svg)
    named = root.get("aria-labelledby").split()
    assert [child.get("id") for child in root[:2]] == named
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert root.get("role") == "img"


@pytest.mark.parametrize("svg", [bars(StackedBar("m", (1, 3))), matrix(), trends(0.5, 1.0)])
def test_nothing_that_a_strict_policy_refuses(svg):
    assert not re.search(r"<style|<script|\bstyle=|\bon\w+=|href", svg)


def test_labels_from_outside_stay_text():
    svg = bars(StackedBar('</text><script>alert("1")</script>\x00', (1, 1)), title="a & b")
    shown = ["".join(text.itertext()) for text in texts(svg)]
    assert any('</text><script>alert("1")</script>' in text for text in shown)
    assert "<script" not in svg


@pytest.mark.parametrize("wide", [244, 353, 722])
def test_a_name_of_a_hundred_letters_is_whole_in_every_width(wide):
    for name in ("a-model_of.a/hundred letters " * 5)[:100], "x" * 100:
        found = texts(bars(StackedBar(name, (1, 1)), wide=wide))
        (text,) = [text for text in found if text.get("class") == "chart-label"]
        assert "".join(text.itertext()).replace(" ", "") == name.replace(" ", "")
        for line in filter(None, text.itertext()):
            assert SANS.width(line) <= wide


def kappas(wide):
    row = Estimate(
        "2: Question with passage 1 (n\xa0=\xa020)", 0.9, 0.6, 1.0, "0.90 (0.60 to 1.00)"
    )
    return forest_plot(
        [row, row], title="Kappa", describe="Squares.", key="k", unit="Kappa", wide=wide
    )


def test_a_no_break_space_keeps_its_line():
    lines = ["2: Question with passage 1", "(n\xa0=\xa020)"]
    label = next(text for text in texts(kappas(244)) if text.text.startswith("2:"))
    assert [label.text, *(line.text for line in label.findall(f"{SVG}tspan"))] == lines


@pytest.mark.parametrize(
    "svg", [kappas(244), kappas(722), bars(StackedBar("(m)", (1, 3))), trends(0.5, 1.0)]
)
def test_grid_lines_leave_all_letters_free(svg):
    """Letters reach from 10 pixels above their line to 4 below, as in g and brackets."""
    lines = [
        float(text.get("y")) + LINE * n
        for text in texts(svg)
        for n in range(1 + len(text.findall(f"{SVG}tspan")))
    ]
    grid = ElementTree.fromstring(svg).findall(f"{SVG}line[@class='grid']")
    assert grid
    for drawn in grid:
        top, end = sorted(float(drawn.get(side)) for side in ("y1", "y2"))
        assert not [y for y in lines if top < y + 4 and end > y - 10]


def test_a_longer_name_is_shortened_in_its_middle_and_kept_whole_in_its_title():
    name = "a-model-of-a-very-long-name" * 7 + "-instruct"
    svg = bars(StackedBar(name, (1, 1)))
    (text,) = [text for text in texts(svg) if text.find(f"{SVG}title") is not None]
    assert text.find(f"{SVG}title").text == name
    shown = "".join(text.itertext()).removeprefix(name)
    assert shown.startswith("a-model-of")
    assert "\N{HORIZONTAL ELLIPSIS}" in shown
    assert shown.endswith("-instruct")


@pytest.mark.parametrize(
    ("low", "high", "wide", "shown"),
    [
        (0, 1, 244, "0.0 0.2 0.4 0.6 0.8 1.0"),
        (0, 100, 244, "0 20 40 60 80 100"),
        (0, 100, 722, "0 10 20 30 40 50 60 70 80 90 100"),
        (-0.07, 1, 244, "\u22120.2 0.0 0.2 0.4 0.6 0.8 1.0"),
        (-0.4, 1, 244, "\u22120.5 0.0 0.5 1.0"),
        (-0.07, 0.47, 722, "\u22120.10 \u22120.05 0.00 0.05 0.10 0.15 0.20 0.25 0.30 0.35 0.40 0.45 0.50"),
        (0, 0.05, 244, "0.00 0.01 0.02 0.03 0.04 0.05"),
        (-3000, 4000, 244, "\u22124000 \u22122000 0 2000 4000"),
    ],
)  # fmt: skip
def test_ticks_are_round_and_written_with_the_digits_that_they_need(low, high, wide, shown):
    across = axis_over(low, high, wide)
    assert [text for _, text in across.ticks] == shown.split()
    for value, text in across.ticks:
        assert float(text.replace("\u2212", "-")) == pytest.approx(value)
    assert (across.place(across.low), across.place(across.high)) == ("0.000%", "100.000%")


def test_the_matrix_holds_every_count_and_marks_agreement():
    counts = [text.text for text in texts(matrix()) if text.get("class") == "chart-count"]
    assert counts == ["3", "1", "0", "4"]
    kinds = [rect.get("class") for rect in ElementTree.fromstring(matrix()).iter(f"{SVG}rect")]
    assert kinds == ["square square-agree", "square", "square", "square square-agree"]


def test_a_matrix_of_nothing_is_drawn_without_shade():
    root = ElementTree.fromstring(matrix(((0, 0), (0, 0))))
    assert {rect.get("fill-opacity") for rect in root.iter(f"{SVG}rect")} == {"0.000"}


@pytest.mark.parametrize(
    ("shares", "points", "lines"),
    [
        ((1.0, 0.5, 0.0), [46.0, 66.0, 86.0], 2),
        ((0.5, None, 0.5), [66.0, 66.0], 0),
        ((None, 0.25, 0.75), [76.0, 56.0], 1),
        ((0.5,), [66.0], 0),
        ((), [], 0),
    ],
)
def test_a_trend_goes_through_its_points_and_leaves_gaps(shares, points, lines):
    root = ElementTree.fromstring(trends(*shares))
    assert [float(one.get("cy")) for one in root.iter(f"{SVG}circle")] == points
    assert len([line for line in root.iter(f"{SVG}line") if line.get("class") == "trend"]) == lines
    shown = [text.text for text in texts(trends(*shares))]
    rules, values = ["100", "0"], [str(share) for share in shares]
    assert shown == ["Agreement, %", "1: Question alone", *rules, *values, "Parts"]


def test_trends_stand_below_each_other_and_their_labels_stay_text():
    rows = [Trend(label, (("a", 0.5, "50 %"),)) for label in ("one", "<script>")]
    root = ElementTree.fromstring(trend_lines(rows, title="T", describe="D", key="t", axes=AXES))
    one, other = root.iter(f"{SVG}circle")
    assert float(one.get("cy")) + 40 < float(other.get("cy")) < float(root.get("height"))
    assert "<script>" in [text.text for text in root.iter(f"{SVG}text")]


def test_columns_are_numbered_where_a_word_of_a_label_would_be_broken():
    labels = ["Ignored the modification", "World knowledge", "Abstained", "Other"]
    shown = ["".join(text.itertext()) for text in texts(matrix([[1] * 4] * 4, labels))]
    assert {"1", "4", "4 Other"} <= {*shown}
    three = matrix([[1] * 3] * 3, ["Incorrect", "Partially correct", "Correct"])
    assert "Incorrect" in [text.text for text in texts(three)]


def test_more_than_four_columns_of_a_matrix_are_numbered_and_rows_have_the_number_too():
    labels = ("useless", "poor", "fair", "good", "excellent")
    shown = ["".join(text.itertext()) for text in texts(matrix([[1] * 5] * 5, labels))]
    assert shown[2:7] == ["1", "2", "3", "4", "5"]
    assert "4 good" in shown


def test_further_parts_of_a_tone_are_hatched_and_their_number_stands_on_a_plain_ground():
    parts = [
        BarPart("a", "A", "middling"),
        BarPart("b", "B", "middling", 1),
        BarPart("c", "C", "middling", 2),
    ]
    svg = stacked_bars([StackedBar("m", (4, 4, 4))], parts, title="T", describe="D", key="k")
    root = ElementTree.fromstring(svg)
    assert [one.get("id") for one in root.iter(f"{SVG}pattern")] == ["k-b", "k-c"]
    assert svg.count('fill="url(#k-b)"') == svg.count('fill="url(#k-c)"') == 2
    assert len([one for one in root.iter(f"{SVG}rect") if one.get("class") == "plate"]) == 2


@pytest.mark.parametrize(
    ("label", "count", "lines"),
    [
        ("In the study", "6 responses", 1),
        ("In the collection", "553,117 responses", 1),  # the number stands below
        ("Accepted and published by reviewers", "12 tags", 2),  # longer than the box
    ],
)
def test_the_flow_breaks_a_label_only_where_it_fits_on_no_line(label, count, lines):
    svg = flow_diagram([FlowBox(label, count)], title="t", describe="d", key="k")
    text = re.search(r'class="chart-label".*?</text>', svg)[0]
    assert 1 + text.count("<tspan") == lines
    places = re.findall(r' y="(\d+)" fill="currentColor"', svg)
    assert (places[0] == places[1]) == (label != "In the collection")
