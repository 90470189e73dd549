"""Which cells of a table name another. Pure.

`grid` and `columnNames` of static/js/annotation/passages.js are the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.evidence.html_tree import HtmlElement

# Places that the cells of one table may cover, with all their columns and rows: in a larger one no span counts.
_MOST_PLACES = 200_000

Names = list[HtmlElement]


@dataclass(frozen=True)
class _Laid:
    """A cell in a row, with its first column there and the columns that it has."""

    cell: HtmlElement
    column: int
    width: int


class TableNames:
    """Tables are laid out as a browser does, each once."""

    def __init__(self) -> None:
        self._of_rows: dict[HtmlElement, list[tuple[HtmlElement, Names]]] = {}

    def named_cells(self, row: HtmlElement) -> list[tuple[HtmlElement, Names]]:
        """The cells of a row in order, its header first, with what names each: of an infobox, the label its value."""
        table = row.parent
        while table and table.name != "table":
            table = table.parent
        if row not in self._of_rows:
            self._of_rows |= _layout(table) if table else {}
        cells = self._of_rows.get(row, [])
        labels = [pair for pair in cells if pair[0].name == "th"]
        values = [pair for pair in cells if pair[0].name != "th"]
        if table and "infobox" in table.marks and len(labels) == 1 and values:
            return [(value, [labels[0][0]]) for value, _ in values]
        return [*labels, *values] if labels and values else cells


def cells_of(row: HtmlElement) -> list[HtmlElement]:
    return _children(row, "td", "th")


def _children(element: HtmlElement, *names: str) -> list[HtmlElement]:
    return [c for c in element.children if isinstance(c, HtmlElement) and c.name in names]


def _layout(table: HtmlElement) -> dict[HtmlElement, list[tuple[HtmlElement, Names]]]:
    """By row: its cells, each with the cells above it that name it."""
    rows = _children(table, "tr")
    cells = [[(cell, *_spans(cell)) for cell in cells_of(row)] for row in rows]
    if sum(width * height for row in cells for _, width, height in row) > _MOST_PLACES:
        cells = [[(cell, 1, 1) for cell, _, _ in row] for row in cells]
    laid = list(_grid(cells))
    return {
        row: [(each.cell, names.get(each.column, [])) for each in laid_row]
        for row, laid_row, names in zip(rows, laid, _column_names(laid), strict=True)
    }


def _spans(cell: HtmlElement) -> tuple[int, int]:
    given = (cell.attributes.get(name, "") for name in ("colspan", "rowspan"))
    width, height = (int(value) if value.isdigit() else 1 for value in given)
    return width or 1, height or 1


def _grid(rows: list[list[tuple[HtmlElement, int, int]]]) -> Iterator[list[_Laid]]:
    """For each row its cells in column order, with those that an earlier row holds."""
    over: dict[
        int, tuple[_Laid, int]
    ] = {}  # by column: one that goes on into so many of the next rows
    for cells in rows:
        laid: list[_Laid] = []
        waiting, column, last = cells[::-1], 0, max(over, default=-1)
        while waiting or column <= last:
            if column in over:
                held, left = over.pop(column)
                if not laid or laid[-1].cell is not held.cell:
                    laid.append(_Laid(held.cell, column, held.width))
                if left > 1:
                    over[column] = held, left - 1
                column += 1
            elif waiting:
                cell, width, height = waiting.pop()
                laid.append(_Laid(cell, column, width))
                for covered in range(column, column + width):
                    over.pop(covered, None)
                    if height > 1:
                        over[covered] = laid[-1], height - 1
                column += width
            else:
                column += 1
        yield laid


def _column_names(laid_rows: list[list[_Laid]]) -> Iterator[dict[int, Names]]:
    """For each row the names above each of its columns: of the rows of header cells nearest above it."""
    names: dict[int, Names] = {}
    was_header = False
    for laid in laid_rows:
        is_header = len(laid) > 1 and all(each.cell.name == "th" for each in laid)
        if is_header:
            names = names if was_header else {}
            for each in laid:
                for column in range(each.column, each.column + each.width):
                    above = names.setdefault(column, [])
                    if each.cell not in above:
                        above.append(each.cell)
        was_header = is_header
        yield {} if is_header else names
