"""Which braces belong together. Pure, one pass, linear in the number of braces.

Follows MediaWiki's preprocessor: a run of braces is matched from the inside, three for an argument
before two for a template. mwparserfromhell is not used here because it is slow on a whole page.
"""

import re
from dataclasses import dataclass, field

# Each way begins with a plain character, not with a repetition: the search is three times as fast so.
_RUN = re.compile(r"\{\{+|\}\}+")


@dataclass
class Braces:
    """Spans of templates (start, end) with their braces, in the order of their ends; openings left over."""

    templates: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)

    def around(self, start: int, end: int) -> list[tuple[int, int]]:
        """The templates that hold this span and are larger than it, innermost first."""
        holding = [t for t in self.templates if t[0] <= start and t[1] >= end and t != (start, end)]
        return sorted(holding, key=lambda t: t[1] - t[0])


def match_braces(masked: str) -> Braces:
    braces = Braces()
    stack: list[list[int]] = []  # [offset of the run, braces of it still open]
    for run in _RUN.finditer(masked):
        if masked[run.start()] == "{":
            stack.append([run.start(), run.end() - run.start()])
        else:
            _close(braces, stack, run.start(), run.end() - run.start())
    braces.unclosed = [at + count - 2 for at, count in stack if count >= 2]
    return braces


def _close(braces: Braces, stack: list[list[int]], at: int, closing: int) -> None:
    while closing >= 2 and stack:
        opening = stack[-1]
        size = 3 if min(opening[1], closing) >= 3 else 2
        opening[1] -= size
        at += size
        closing -= size
        if size == 2:
            braces.templates.append((opening[0] + opening[1], at))
        if opening[1] < 2:
            stack.pop()
