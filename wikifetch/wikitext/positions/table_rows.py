"""Rows of wikitext tables. Pure, linear in the number of lines."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field

from wikifetch.wikitext.tag_names import FILL

_MARK = re.compile(
    rf"^[ \t:*#;{FILL}]*(?P<open>\{{\|)|^[ \t{FILL}]*(?:(?P<close>\|\}}(?!\}}))|(?P<row>\|-)|(?P<caption>\|\+))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class TableRow:
    """Offsets of a row's cells, without its `|-` line; `depth` is 1 in a table that is in no other."""

    start: int
    end: int
    depth: int = 1


@dataclass
class Tables:
    """The rows of all tables, nested ones too, and the offsets of the outermost tables."""

    rows: list[TableRow] = field(default_factory=list)
    outermost: list[tuple[int, int]] = field(default_factory=list)
    # (its beginning, its row's beginning)
    _open: list[tuple[int, int]] = field(default_factory=list)

    def begin(self, start: int, row: int) -> None:
        self._open.append((start, row))

    def end(self, row_end: int, table_end: int) -> None:
        start, row = self._open.pop()
        self.rows.append(TableRow(row, row_end, len(self._open) + 1))
        if not self._open:
            self.outermost.append((start, table_end))

    def next_row(self, row_end: int, next_start: int) -> None:
        start, row = self._open[-1]
        self.rows.append(TableRow(row, row_end, len(self._open)))
        self._open[-1] = (start, next_start)

    def caption(self, start: int, end: int) -> None:
        self.rows.append(TableRow(start, end, len(self._open)))

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    @property
    def table_start(self) -> int:
        return self._open[-1][0]

    @property
    def row_start(self) -> int:
        return self._open[-1][1]


def find_tables(
    masked: str, heading_starts: list[int], holder_of: Callable[[int], tuple[int, int] | None]
) -> Tables:
    """All tables with their rows and captions; a table that is never closed ends at the next heading.

    `holder_of` a position is the innermost template, note or link around it: its lines are no rows of a table around.
    """
    tables, length = Tables(), len(masked)
    for mark in _MARK.finditer(masked):
        line_end = _line_end(masked, mark.start(), mark.end(), holder_of)
        _end_before(tables, heading_starts, mark.start())
        if mark["open"]:
            tables.begin(mark.start(), line_end)
        elif not tables.is_open or holder_of(mark.start()) != holder_of(tables.table_start):
            continue
        elif mark["close"]:
            tables.end(mark.start(), mark.end())
        else:
            tables.next_row(mark.start(), line_end)
            if mark["caption"]:
                tables.caption(mark.start(), line_end)
    _end_before(tables, heading_starts, length)
    while tables.is_open:
        tables.end(length, length)
    return tables


def _line_end(
    masked: str, start: int, end: int, holder_of: Callable[[int], tuple[int, int] | None]
) -> int:
    """The newline at which a line ends: none in a template, note or link that begins on the line."""
    end = masked.find("\n", end)
    while end >= 0 and (holder := holder_of(end)) and holder[0] >= start:
        end = masked.find("\n", holder[1])
    return len(masked) if end < 0 else end


def _end_before(tables: Tables, heading_starts: list[int], position: int) -> None:
    while tables.is_open:
        at = bisect_right(heading_starts, tables.row_start)
        if at == len(heading_starts) or heading_starts[at] >= position:
            return
        tables.end(heading_starts[at], heading_starts[at])


def row_around(
    rows: list[TableRow], position: int, outside: tuple[int, int] | None
) -> TableRow | None:
    """The smallest row that holds `position`, and this span too."""
    start, end = outside or (position, position + 1)
    holding = [row for row in rows if row.start <= start and end <= row.end]
    return min(holding, key=lambda row: row.end - row.start, default=None)
