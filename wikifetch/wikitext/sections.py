"""Headings of an article and the sections below them. Pure."""

import re
from dataclasses import dataclass

from wikifetch.wikitext.names import FILL
from wikifetch.wikitext.plain import plain_text

_HEADING_LINE = re.compile(rf"^=.*=[ \t{FILL}]*$", re.MULTILINE)


@dataclass(frozen=True)
class Heading:
    """A heading line: its level (1 to 6), readable text, and offsets of the line without its newline."""

    level: int
    text: str
    start: int
    end: int


def headings(masked: str, raw: str) -> list[Heading]:
    """The headings of a page, in order; `masked` decides what is one, `raw` gives its words."""
    found = []
    for match in _HEADING_LINE.finditer(masked):
        line = match.group().rstrip(f" \t{FILL}")
        level = min(_marks(line), _marks(line[::-1]), (len(line) - 1) // 2, 6)
        if level:
            start = match.start()
            inner = raw[start + level : start + len(line) - level]
            found.append(Heading(level, plain_text(inner), start, match.end()))
    return found


def path_to(all_headings: list[Heading], position: int) -> list[Heading]:
    """The headings that `position` stands under (or in), outermost first; empty in the lead."""
    path: list[Heading] = []
    for heading in all_headings:
        if heading.start > position:
            break
        path = [above for above in path if above.level < heading.level] + [heading]
    return path


def section_around(all_headings: list[Heading], position: int, length: int) -> tuple[int, int]:
    """Start and end of the section that holds `position`, sub-sections included; of the lead, without."""
    path = path_to(all_headings, position)
    if not path:
        return 0, all_headings[0].start if all_headings else length
    own = path[-1]
    for heading in all_headings:
        if heading.start > own.start and heading.level <= own.level:
            return own.start, heading.start
    return own.start, length


def _marks(line: str) -> int:
    return len(line) - len(line.lstrip("="))
