"""Tables as rows for CSV: one row a cell, with all that is known of it. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from evaluation.tables.table import Cell, Group, Line, Table
from evaluation.tables.words import Unit


class Sheet(NamedTuple):
    """Header and rows for CSV."""

    header: list[str]
    rows: Sequence[Sequence[object]]


FIGURE = ["unit", "value", "k", "n", "low", "high", "method", "clusters"]
OTHERS = ["second_low", "second_high", "second_method", "lowest", "highest"]
OTHERS += ["beside", "beside_value", "reason", "note"]


def sheet_of(tables: Iterable[Table]) -> Sheet:
    """The cells of tables, without empty ones. Where lines have other heads in each, their keys are one column."""
    listed = list(tables)
    heads = {table.heads for table in listed}
    shown = [head.lower() for head in next(iter(heads))] if len(heads) == 1 else ["line"]
    rows = [
        [table.title, group.title, *_keys(line, shown), column, *_figure(cell), _note(group, line)]
        for table in listed
        for group, line, column, cell in table.cells
        if cell.unit != Unit.TEXT or cell.text
    ]
    return Sheet(["table", "part", *shown, "column", *FIGURE, *OTHERS], rows)


def _keys(line: Line, heads: Sequence[str]) -> Sequence[str]:
    return line.keys if len(heads) == len(line.keys) else [", ".join(line.keys)]


def _figure(cell: Cell) -> Iterator[object]:
    first, second = (*cell.intervals, None, None)[:2]
    yield from (cell.unit, cell.text or cell.value, cell.k, cell.n)
    yield from (first.low, first.high, first.method, first.clusters) if first else (None,) * 4
    yield from (second.low, second.high, second.method) if second else (None,) * 3
    yield from (cell.lowest, cell.highest)
    values = ["" if value is None else str(value) for _, value in cell.beside]
    yield "; ".join(what for what, _ in cell.beside)
    yield cell.beside[0][1] if len(values) == 1 else "; ".join(values)
    yield cell.reason


def _note(group: Group, line: Line) -> str:
    return " ".join(filter(None, [group.note, line.note]))
