"""A table as lines of text, for the terminal. Pure."""

from collections.abc import Iterator

from evaluation.tables.table import Cell, Table


def in_text(table: Table) -> Iterator[str]:
    """A line for each of its lines, below the titles of groups: "Model A, all: Correct 41/42 97.6 %"."""
    for group in table.groups:
        if group.title:
            yield f"  {group.title}"
        for line in group.lines:
            cells = zip(table.column_words, map(_words, line.cells), strict=True)
            figures = ", ".join(f"{column} {words}" for column, words in cells if words)
            yield f"    {', '.join(filter(None, line.keys))}: {figures}"


def _words(cell: Cell) -> str:
    words = cell.words
    counted = "/".join(filter(None, [words.count, words.of]))
    ends = words.ends and f"({words.ends})"
    about = "; ".join(filter(None, [*words.beside, words.reason]))
    return " ".join(filter(None, [counted, words.value, ends, about and f"({about})"]))
