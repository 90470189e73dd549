"""A table as a value, and how its writers show it."""

import pytest

from evaluation.paper.table_latex import written
from evaluation.statistics import wilson
from evaluation.tables.sheet import sheet_of
from evaluation.tables.table import Cell, Group, Interval, Line, Names, Table, count, renamed
from evaluation.tables.text import in_text
from evaluation.tables.words import Unit

BY_CLUSTER = Interval(0.1, 0.44, "resampling", 12)
BY_WILSON = Interval(0.05, 0.5, wilson.METHOD)
SHARE = Cell(Unit.SHARE, 0.25, 2, 8, (BY_CLUSTER, BY_WILSON))
KAPPA = Cell(
    Unit.COEFFICIENT,
    -0.2,
    n=8,
    intervals=(Interval(-0.5, 0.1, "closed"),),
    beside=(("unweighted", None),),
)
NONE = Cell(Unit.COEFFICIENT, reason="Both used one verdict.")


def table(*lines, **changed):
    parts = {"key": "t", "title": "Title", "heads": ("Model", "Slice")}
    parts |= {
        "columns": (("n",), ("Share",), ("Kappa",)),
        "groups": (Group("1", "1: Alone", lines),),
    }
    return Table(**{**parts, **changed})


LINES = (
    Line(("A", "All"), (count(8, 10, "?rows", "?whole"), SHARE, KAPPA)),
    Line(("A", "Some"), (count(3), SHARE, NONE), folded=True),
    Line(("B", "All"), (count(4), SHARE, NONE)),
)


@pytest.mark.parametrize(
    ("cell", "value", "counted", "ends", "beside"),
    [
        (SHARE, "25.0 %", "2/8", "10.0–44.0", ()),
        (Cell(Unit.SHARE, 0.25, 2, 8, (BY_WILSON,)), "25.0 %", "2/8", "5.0–50.0 W", ()),
        (KAPPA, "−0.200", "", "−0.500 to 0.100", ("unweighted undefined",)),
        (NONE, "–", "", "", ()),
        (Cell(Unit.SCORE, 0.123456, 1, 8), "12.35", "1/8", "", ()),
        (Cell(Unit.POINTS, -0.05, intervals=(Interval(-0.1, 0.0, ""),)), "−5.0", "", "−10.0 to 0.0", ()),
        (Cell(Unit.P, 0.0004, beside=(("Holm", 0.02),)), "< 0.001", "", "", ("Holm 0.020",)),
        (Cell(Unit.POINTS, 0.2, beside=(("n =", 5),)), "+20.0", "", "", ("n = 5",)),
        (count(1234), "", "1,234", "", ()),
        (count(8, 10), "", "8/10", "", ()),
        (count(8, 8), "", "8", "", ()),
        (Cell(Unit.TEXT, text="Within"), "Within", "", "", ()),
    ],
)  # fmt: skip
def test_a_cell_in_words(cell, value, counted, ends, beside):
    words = cell.words
    shown = "/".join(filter(None, [words.count, words.of]))
    assert (words.value, shown, words.ends, words.beside) == (value, counted, ends, beside)


def test_of_a_number_the_first_interval_is_put_forward():
    assert SHARE.words.others == ("Wilson 5.0–50.0",)


def test_names_and_order_are_by_what_heads_name():
    names = {"Model": Names({"B": "Ours", "A": "All"}), "Prompt": Names({"1": "P1"}, {"1": "P1!"})}
    [group] = renamed(table(*LINES, groups_of="Prompt"), names).groups
    assert group.title == "P1!"
    assert [line.keys for line in group.lines] == [("Ours", "All"), ("All", "All"), ("All", "Some")]


def test_columns_are_named_and_ordered_with_their_cells():
    made = table(*LINES, columns=(("2",), ("1",), ("3",)), of="Prompt")
    shown = renamed(made, {"Prompt": Names({"1": "One", "2": "Two"})})
    assert shown.column_words == ["3", "One", "Two"]
    assert shown.groups[0].lines[0].cells == (KAPPA, SHARE, LINES[0].cells[0])


def test_folded_lines_come_after_the_shown_ones():
    [group] = table(*LINES).groups
    parts = [(folded, [first for first, _ in firsts]) for folded, firsts in group.parts]
    assert parts == [(False, ["A", "B"]), (True, ["A"])]


@pytest.mark.parametrize(
    ("reasons", "shared"),
    [([], ""), (["x"], ""), (["x", "y"], ""), (["x", "x"], "x"), (["x", "", "x"], "")],
)
def test_a_reason_of_several_cells_is_shared(reasons, shared):
    cells = tuple(Cell(Unit.COEFFICIENT, reason=reason) for reason in reasons)
    assert Line(("A",), cells).shared == shared


def test_csv_has_a_row_a_cell_with_all_that_is_known_of_it():
    header, rows = sheet_of([table(*LINES)])
    first = dict(zip(header, rows[1], strict=True))
    assert len(rows) == 9
    assert {
        "model": "A",
        "slice": "All",
        "column": "Share",
        "k": 2,
        "n": 8,
    }.items() <= first.items()
    assert (first["low"], first["clusters"], first["second_method"]) == (0.1, 12, wilson.METHOD)


def test_csv_of_tables_with_other_heads_has_their_keys_in_one_column():
    other = table(Line(("X",), (count(1),)), heads=("Judge",), columns=(("n",),))
    header, rows = sheet_of([table(*LINES), other])
    at = header.index("line")
    assert {row[at] for row in rows} == {"A, All", "A, Some", "B, All", "X"}


def test_csv_of_nothing_is_a_header():
    header, rows = sheet_of([])
    assert (header[:2], rows) == (["table", "part"], [])


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        (True, r"A & All & 8/10 & 2/8 25.0 \mbox{[10.0--44.0]} & $-$0.200 \mbox{[$-$0.500 to 0.100]} unweighted"),
        (False, r"A & All & 8/10 & 25.0 \mbox{[10.0--44.0]} & $-$0.200 \mbox{[$-$0.500 to 0.100]} (8) unweighted"),
    ],
)  # fmt: skip
def test_latex_has_the_counts_if_asked_and_each_reason_once(counts, shown):
    lines = written(table(*LINES, about="95 % sure."), "t", counts=counts)
    text = "\n".join(lines)
    assert shown in text
    assert (
        "Title. 95\\,\\% sure. Where a number (--) or an interval is missing: both used one verdict."
        in text
    )
    assert text.count("both used one verdict") == 1
    assert r" & Some & 3 & " in text
    assert r"B & All & 4 & " in text


def test_latex_has_n_behind_a_share_where_no_column_has_it():
    lines = written(table(*LINES).with_columns("Share".__eq__), "t", counts=False)
    text = "\n".join(lines)
    assert r"A & All & 25.0 \mbox{[10.0--44.0]} (8) \\" in text
    assert "In round brackets: n." in text


@pytest.mark.parametrize("empty", [table(), table(*LINES).with_columns("".__eq__)])
def test_latex_of_a_table_without_lines_or_columns_is_nothing(empty):
    assert written(empty, "t") == []


def test_a_terminal_has_a_line_for_each_line():
    lines = list(in_text(table(*LINES)))
    assert lines[0] == "  1: Alone"
    assert lines[1].startswith("    A, All: n 8/10, Share 2/8 25.0 % (10.0–44.0), Kappa −0.200 (")
