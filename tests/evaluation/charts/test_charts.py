import re
from xml.etree import ElementTree

import pytest

from evaluation.charts.bars import Bar, stacked_bars
from evaluation.charts.confusion import confusion_matrix
from evaluation.charts.sparkline import Trend, trend_lines

SVG = "{http://www.w3.org/2000/svg}"
NAMES = (("incorrect", "Incorrect"), ("correct", "Correct"))


def bars(*given, **changes):
    options = {"title": "Verdicts", "describe": "By model.", "key": "verdicts"}
    return stacked_bars(given, NAMES, **{**options, **changes})


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
    first, second = segments(bars(Bar("m", (1, 3))))
    assert (first.get("x"), first.get("width")) == ("0.000%", "25.000%")
    assert (second.get("x"), second.get("width")) == ("25.000%", "75.000%")
    assert second.find(f"{SVG}title").text == "Correct: 3 of 4"


def test_an_empty_bar_says_so_and_draws_nothing():
    svg = bars(Bar("m", (0, 0)))
    assert segments(svg) == []
    assert "no responses counted" in svg


def test_a_narrow_segment_carries_no_number():
    shown = [text.text for text in texts(bars(Bar("m", (1, 99))))]
    assert "99" in shown
    assert "1" not in shown


def trends(*shares, label="1: Question alone"):
    points = tuple((f"part {n}", share, f"{share}") for n, share in enumerate(shares))
    return trend_lines([Trend(label, points)], title="Agreement", describe="In parts.", key="t")


@pytest.mark.parametrize("svg", [bars(Bar("m", (1, 3))), matrix(), trends(0.5, 1.0)])
def test_a_chart_has_title_and_description_tied_to_it(svg):
    root = ElementTree.fromstring(svg)
    named = root.get("aria-labelledby").split()
    assert [child.get("id") for child in root[:2]] == named
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert root.get("role") == "img"


@pytest.mark.parametrize("svg", [bars(Bar("m", (1, 3))), matrix(), trends(0.5, 1.0)])
def test_nothing_that_a_strict_policy_refuses(svg):
    assert not re.search(r"<style|<script|\bstyle=|\bon\w+=|href", svg)


def test_labels_from_outside_stay_text():
    svg = bars(Bar('</text><script>alert("1")</script>\x00', (1, 1)), title="a & b")
    shown = ["".join(text.itertext()) for text in texts(svg)]
    assert any('</text><script>alert("1")</script>' in text for text in shown)
    assert "<script" not in svg


def test_a_long_name_is_shortened_in_its_middle_and_kept_whole_in_its_title():
    name = "a-model-of-a-very-long-name" * 7 + "-instruct"
    svg = bars(Bar(name, (1, 1)))
    (text,) = [text for text in texts(svg) if len(text)]
    assert text.find(f"{SVG}title").text == name
    shown = text.find(f"{SVG}title").tail
    assert len(shown) == 30
    assert shown.startswith("a-model-of")
    assert shown.endswith("-instruct")


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
        ((1.0, 0.5, 0.0), [24.0, 44.0, 64.0], 2),
        ((0.5, None, 0.5), [44.0, 44.0], 0),
        ((None, 0.25, 0.75), [54.0, 34.0], 1),
        ((0.5,), [44.0], 0),
        ((), [], 0),
    ],
)
def test_a_trend_goes_through_its_points_and_leaves_gaps(shares, points, lines):
    root = ElementTree.fromstring(trends(*shares))
    assert [float(one.get("cy")) for one in root.iter(f"{SVG}circle")] == points
    assert len([line for line in root.iter(f"{SVG}line") if line.get("class") == "trend"]) == lines
    shown = [text.text for text in texts(trends(*shares))]
    assert shown == ["1: Question alone", *(str(share) for share in shares)]


def test_trends_stand_below_each_other_and_their_labels_stay_text():
    rows = [Trend(label, (("a", 0.5, "50 %"),)) for label in ("one", "<script>")]
    root = ElementTree.fromstring(trend_lines(rows, title="T", describe="D", key="t"))
    one, other = root.iter(f"{SVG}circle")
    assert float(other.get("cy")) - float(one.get("cy")) == float(root.get("height")) / 2
    assert "<script>" in [text.text for text in root.iter(f"{SVG}text")]
