"""Rows of wikitext tables. Pure, linear in the number of lines."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from wikifetch.wikitext.names import FILL

_MARK = re.compile(
    rf"^[ \t:*#;{FILL}]*(?P<open>\{{\|)|^[ \t{FILL}]*(?:(?P<close>\|\}}(?!\}}))|(?P<row>\|-)|(?P<caption>\|\+))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class TableRow:
    """Offsets of a row's cells, without its `|-` line."""

    start: int
    end: int


def table_rows(masked: str, heading_starts: list[int]) -> list[TableRow]:
    """All rows and captions of all tables, nested ones too; a table never closed ends at the next heading."""
    rows: list[TableRow] = []
    open_rows: list[int] = []  # for each open table, where its present row begins
    for mark in _MARK.finditer(masked):
        line_end = masked.find("\n", mark.end())
        line_end = len(masked) if line_end < 0 else line_end
        while open_rows and (bound := _next_heading(heading_starts, open_rows[-1])) < mark.start():
            rows.append(TableRow(open_rows.pop(), bound))
        if mark["open"]:
            open_rows.append(line_end)
        elif not open_rows:
            continue
        elif mark["close"]:
            rows.append(TableRow(open_rows.pop(), mark.start()))
        else:
            rows.append(TableRow(open_rows.pop(), mark.start()))
            if mark["caption"]:
                rows.append(TableRow(mark.start(), line_end))
            open_rows.append(line_end)
    length = len(masked)
    rows += [
        TableRow(start, min(length, _next_heading(heading_starts, start))) for start in open_rows
    ]
    return rows


def row_around(rows: list[TableRow], position: int) -> TableRow | None:
    """The smallest row that holds `position`."""
    holding = [row for row in rows if row.start <= position < row.end]
    return min(holding, key=lambda row: row.end - row.start, default=None)


def _next_heading(heading_starts: list[int], position: int) -> int:
    at = bisect_right(heading_starts, position)
    return heading_starts[at] if at < len(heading_starts) else 2**62
