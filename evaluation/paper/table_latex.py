"""A table of a report as LaTeX. Pure."""

from collections.abc import Iterator

from evaluation.paper.parts import TableRows, bracketed, table
from evaluation.paper.widths import breakable
from evaluation.tables.table import Cell, Table
from evaluation.tables.words import FORMS, Unit
from pages.latex import escaped


def written(of: Table, name: str, *, counts: bool = True) -> list[str]:
    """All its groups; `counts` whether a share has its k of n before it. `name` is that of its label."""
    *above, last = ([breakable(words) for words in axis] for axis in zip(*of.columns, strict=True))
    heads = [*map(breakable, of.heads), *last]
    over = [[*("" for _ in of.heads), *axis] for axis in above]
    groups = []
    for group in of.groups:
        before, rows = "", []
        for line in group.lines:
            first, *others = line.keys
            keys = ["" if others and first == before else first, *others]
            rows.append([*map(breakable, keys), *(_cell(cell, counts) for cell in line.cells)])
            before = first
        groups.append(TableRows(rows, group.title))
    caption = breakable(f"{of.title}. {of.about}").replace(r" \%", r"\,\%")
    return table(name, caption, heads, groups, keys=len(of.heads), over=over, gaps=_gaps(of))


def _gaps(of: Table) -> Iterator[str]:
    for _, _, _, cell in of.cells:
        if not cell.intervals or cell.value is None:
            yield cell.reason


def _cell(cell: Cell, counts: bool) -> str:
    words = cell.words
    counted = "/".join(filter(None, [words.count, words.of]))
    if cell.unit == Unit.COUNT:
        return counted
    if cell.unit != Unit.TEXT and cell.value is None:
        return "--"
    sign = FORMS[cell.unit].sign if cell.unit in FORMS else ""
    n = "" if counts or cell.k is not None or cell.n is None else f"({cell.n:,})"
    parts = [counted if counts else "", words.value.removesuffix(sign)]
    others = (escaped(part) for part in (n, *words.beside) if part)
    return " ".join([*(escaped(part) for part in parts if part), *_ends(words.ends), *others])


def _ends(ends: str) -> Iterator[str]:
    if ends:
        yield bracketed(ends)
