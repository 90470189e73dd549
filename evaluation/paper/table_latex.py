"""A table of a report as LaTeX. Pure."""

from collections.abc import Iterator

from evaluation.paper.parts import TableRows, bracketed, table
from evaluation.paper.widths import breakable
from evaluation.tables.table import Cell, Table
from evaluation.tables.words import FORMS, Unit
from pages.latex import escaped


def written(of: Table, name: str, *, counts: bool = True) -> list[str]:
    """All its groups with lines; nothing of a table without any. `name` is that of its label.

    `counts` is whether a share has its k of n before it; else its n comes after it, unless the table has a column n.
    """
    groups_shown = [group for group in of.groups if group.lines]
    if not groups_shown or not of.columns:
        return []
    with_n = not counts and "n" not in of.column_words
    *above, last = ([breakable(words) for words in axis] for axis in zip(*of.columns, strict=True))
    heads = [*map(breakable, of.heads), *last]
    over = [[*("" for _ in of.heads), *axis] for axis in above]
    groups = []
    for group in groups_shown:
        before, rows = "", []
        for line in group.lines:
            first, *others = line.keys
            keys = ["" if others and first == before else first, *others]
            rows.append(
                [*map(breakable, keys), *(_cell(cell, counts, with_n) for cell in line.cells)]
            )
            before = first
        groups.append(TableRows(rows, group.title))
    about = f"{of.about} In round brackets: n." if with_n else of.about
    caption = breakable(f"{of.title}. {about}").replace(r" \%", r"\,\%")
    return table(name, caption, heads, groups, keys=len(of.heads), over=over, gaps=_gaps(of))


def _gaps(of: Table) -> Iterator[str]:
    for _, _, _, cell in of.cells:
        if not cell.intervals or cell.value is None:
            yield cell.reason


def _cell(cell: Cell, counts: bool, with_n: bool) -> str:
    words = cell.words
    counted = "/".join(filter(None, [words.count, words.of]))
    if cell.unit == Unit.COUNT:
        return counted
    if cell.unit != Unit.TEXT and cell.value is None:
        return "--"
    sign = FORMS[cell.unit].sign if cell.unit in FORMS else ""
    has_n = cell.n is not None and (with_n or (not counts and cell.k is None))
    n = f"({cell.n:,})" if has_n else ""
    parts = [counted if counts else "", words.value.removesuffix(sign)]
    others = (escaped(part) for part in (n, *words.beside) if part)
    return " ".join([*(escaped(part) for part in parts if part), *_ends(words.ends), *others])


def _ends(ends: str) -> Iterator[str]:
    if ends:
        yield bracketed(ends)
