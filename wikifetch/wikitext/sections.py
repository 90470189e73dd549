"""Headings of an article and the sections below them. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from operator import attrgetter

from wikifetch.wikitext.plain import plain_text
from wikifetch.wikitext.tag_names import FILL

_HIDDEN = ("<!--", "<noinclude", "<onlyinclude", "<includeonly")  # a heading may come after these
_HEADING_LINE = re.compile(rf"^{FILL}*=.*=[ \t{FILL}]*$", re.MULTILINE)


@dataclass(frozen=True)
class Heading:
    """A heading line: its level (1 to 6), its wikitext, and offsets of the line without its newline."""

    level: int
    wikitext: str
    start: int
    end: int

    @cached_property
    def text(self) -> str:
        return plain_text(self.wikitext)


def headings(masked: str, raw: str) -> list[Heading]:
    """The headings of a page, in order; `masked` decides what is one, `raw` gives its words."""
    in_order = []
    for match in _HEADING_LINE.finditer(masked):
        line = match.group().rstrip(f" \t{FILL}").lstrip(FILL)
        level = min(_marks(line), _marks(line[::-1]), (len(line) - 1) // 2, 6)
        if level:
            start = masked.index("=", match.start())
            if start > match.start() and not raw.startswith(_HIDDEN, match.start()):
                continue
            inner = raw[start + level : start + len(line) - level]
            in_order.append(Heading(level, inner, match.start(), match.end()))
    return in_order


def heading_at(all_headings: list[Heading], position: int) -> Heading | None:
    """The heading on whose line `position` is."""
    at = _index_above(all_headings, position)
    return all_headings[at] if at >= 0 and position < all_headings[at].end else None


def paths(all_headings: list[Heading]) -> Iterator[list[Heading]]:
    """For each heading the path to it, itself included; as path_to, for all of them in one pass."""
    path: list[Heading] = []
    for heading in all_headings:
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        yield path


def path_to(all_headings: list[Heading], position: int) -> list[Heading]:
    """The headings that `position` is under (or in), outermost first; empty in the lead."""
    path: list[Heading] = []
    at = _index_above(all_headings, position)
    while at >= 0 and not (path and path[-1].level == 1):
        if not path or all_headings[at].level < path[-1].level:
            path.append(all_headings[at])
        at -= 1
    return path[::-1]


def section_around(all_headings: list[Heading], position: int, length: int) -> tuple[int, int]:
    """Start and end of the section that holds `position`, sub-sections included; of the lead, without."""
    at = _index_above(all_headings, position)
    if at < 0:
        return 0, all_headings[0].start if all_headings else length
    own = all_headings[at]
    later = islice(all_headings, at + 1, None)
    return own.start, next((h.start for h in later if h.level <= own.level), length)


def _index_above(all_headings: list[Heading], position: int) -> int:
    return bisect_right(all_headings, position, key=attrgetter("start")) - 1


def _marks(line: str) -> int:
    return len(line) - len(line.lstrip("="))
