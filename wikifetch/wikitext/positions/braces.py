"""Which braces and brackets belong together. Pure, one pass, linear in their number.

Follows MediaWiki's preprocessor: a run of braces is matched from the inside, three for an argument before two for a
template; while a link, a heading's line or -{ is open, braces around it do not close. mwparserfromhell is not used here
because it is slow on a whole page.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

# A whole link with nothing to match in it, or a run of marks. Each way begins with a plain character, not with a
# repetition: the search is three times as fast so.
_RUN = re.compile(r"\[\[[^\[\]{}\n]*\]\]|\{\{+|\}+-|\}\}+|\[\[+|\]\]+|-\{(?!\{)|\n=+")
_OPENS = {"}": "{", "]": "["}
_NO_TITLE = re.compile(r"[\[\]<>]")
_LONGEST_NAME = 200
_LINE, _VARIANT = "\n", "-"


@dataclass
class Braces:
    """Spans in the order of their ends: of templates, links, arguments and -{ }-, and of what can be no template.

    `unclosed` are runs of opening marks left over.
    """

    templates: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    others: list[tuple[int, int]] = field(default_factory=list)
    unnamed: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class _Opened:
    mark: str
    at: int
    count: int


class _Matcher:
    """Reads a page from its beginning to its end, by parts."""

    def __init__(self, masked: str) -> None:
        self.braces = Braces()
        self._masked = masked

    def match(self, stack: list[_Opened], start: int, end: int) -> None:
        masked, position = self._masked, start
        for run in _RUN.finditer(masked, start, end):
            at, until = run.span()
            mark, length = masked[at], until - at
            # The line of a heading ends, unless braces are open on it.
            if stack and stack[-1].mark == _LINE and masked.find("\n", position, at + 1) >= 0:
                stack.pop()
            if mark == "[" and masked[until - 1] == "]":
                self.braces.links.append((at, until))
            elif mark in _OPENS:
                self._close(stack, run.group(), at)
            elif mark != _LINE or length > 2 or not self._awaits_value(stack, at):
                stack.append(_Opened(mark, at, length))
            position = until

    def _awaits_value(self, stack: list[_Opened], at: int) -> bool:
        """Whether a = there would be that of a parameter."""
        if not stack or stack[-1].mark != "{":
            return False
        _, bar, part = self._masked[max(stack[-1].at, at - _LONGEST_NAME) : at].rpartition("|")
        return bool(bar) and "=" not in part

    def leave(self, stack: list[_Opened]) -> None:
        left = ((o.at, o.at + o.count) for o in stack if o.mark in _OPENS.values() and o.count >= 2)
        self.braces.unclosed += left

    def _close(self, stack: list[_Opened], run: str, at: int) -> None:
        closing = len(run.rstrip("-"))
        while closing >= 2 and stack and stack[-1].mark == _OPENS[run[0]]:
            opening = stack[-1]
            size = 3 if run[0] == "}" and min(opening.count, closing) >= 3 else 2
            opening.count -= size
            at += size
            closing -= size
            span = opening.at + opening.count, at
            if run[0] == "]":
                self.braces.links.append(span)
            elif size == 3:
                self.braces.others.append(span)
            else:
                is_named = _is_named(self._masked, span)
                (self.braces.templates if is_named else self.braces.unnamed).append(span)
            if opening.count < 2:
                stack.pop()
        if closing and run[-1] == "-" and stack and stack[-1].mark == _VARIANT:
            self.braces.others.append((stack.pop().at, at + closing + 1))


def _is_named(masked: str, template: tuple[int, int]) -> bool:
    """Whether what is between braces can be a template; the wiki shows what no page can be named as text."""
    end = min(template[1] - 2, template[0] + _LONGEST_NAME)
    name = masked[template[0] + 2 : end].partition("|")[0]
    function, colon, _ = name.strip().partition(":")  # or a namespace
    if colon and "\n" not in function:
        return True
    return "\n" not in name.strip() and ("{{" in name or not _NO_TITLE.search(name))


def match_braces(masked: str, apart: Iterable[tuple[int, int]] = ()) -> Braces:
    """`apart` are spans by their beginnings, each in another or outside it, which are read by themselves."""
    matcher = _Matcher(masked)
    position = 0
    # The end of each that is read now, and what is open in it.
    around: list[tuple[int, list[_Opened]]] = [(len(masked), [])]

    def read(end: int) -> None:
        nonlocal position
        while around[-1][0] <= end and len(around) > 1:
            close, stack = around.pop()
            matcher.match(stack, position, close)
            matcher.leave(stack)
            position = close
        matcher.match(around[-1][1], position, end)
        position = end

    for start, end in apart:
        read(start)
        around.append((end, []))
    read(len(masked))
    matcher.leave(around[0][1])
    return matcher.braces
