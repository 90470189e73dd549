"""Which braces and brackets belong together. Pure, one pass, linear in their number.

Follows MediaWiki's preprocessor: a run of braces is matched from the inside, three for an argument before two for a
template; while a link is open, braces around it do not close. mwparserfromhell is not used here because it is slow on
a whole page.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# Each way begins with a plain character, not with a repetition: the search is three times as fast so.
_RUN = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+")
_OPENS = {"}": "{", "]": "["}


@dataclass
class Braces:
    """Spans of templates and links (start, end), in the order of their ends; openings of templates left over."""

    templates: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)


@dataclass
class _Opened:
    mark: str
    at: int
    count: int


def match_braces(masked: str, notes: Iterable[tuple[int, int]] = ()) -> Braces:
    """`notes` are spans in order, none over another, which the wiki reads by themselves."""
    braces = Braces()
    position = 0
    outer: list[_Opened] = []
    for start, end in notes:
        _match(braces, outer, masked, position, start)
        _leave(braces, _match(braces, [], masked, start, end))
        position = end
    _leave(braces, _match(braces, outer, masked, position, len(masked)))
    return braces


def _match(
    braces: Braces, stack: list[_Opened], masked: str, start: int, end: int
) -> list[_Opened]:
    for run in _RUN.finditer(masked, start, end):
        mark, length = masked[run.start()], run.end() - run.start()
        if mark in _OPENS:
            _close(braces, stack, _OPENS[mark], run.start(), length)
        else:
            stack.append(_Opened(mark, run.start(), length))
    return stack


def _close(braces: Braces, stack: list[_Opened], mark: str, at: int, closing: int) -> None:
    while closing >= 2 and stack and stack[-1].mark == mark:
        opening = stack[-1]
        size = 3 if mark == "{" and min(opening.count, closing) >= 3 else 2
        opening.count -= size
        at += size
        closing -= size
        if size == 2:
            found = braces.templates if mark == "{" else braces.links
            found.append((opening.at + opening.count, at))
        if opening.count < 2:
            stack.pop()


def _leave(braces: Braces, stack: list[_Opened]) -> None:
    braces.unclosed += [o.at + o.count - 2 for o in stack if o.mark == "{" and o.count >= 2]
