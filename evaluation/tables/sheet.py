"""Tables as rows for CSV: one row a cell, with all that is known of it. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from evaluation.tables.table import Cell, Line, Table
from evaluation.tables.words import Unit


class Sheet(NamedTuple):
    """Header and rows for CSV."""

    header: list[str]
    rows: Sequence[Sequence[object]]


FIGURE = ["unit", "value", "k", "n", "low", "high", "method", "clusters"]
OTHERS = ["second_low", "second_high", "second_method", "lowest", "highest", "beside", "reason"]


def sheet_of(tables: Iterable[Table]) -> Sheet:
    """The cells of tables, without empty ones. Where lines have other heads in each, their keys are one column."""
    listed = list(tables)
    heads = {table.heads for table in listed}
    shown = [head.lower() for head in next(iter(heads))] if len(heads) == 1 else ["line"]
    rows = [
        [table.title, group.title, *_keys(line, shown), column, *_figure(cell)]
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
    yield "; ".join(f"{what} {value}" for what, value in cell.beside)
    yield cell.reason
