"""Spans of a text (start, end): those in a row, and those in one another. Pure."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator

Span = tuple[int, int]


class Spans(tuple[Span, ...]):
    """Spans in order, none over another."""

    __slots__ = ()

    def over(self, start: int, end: int) -> Span | None:
        """The last one that begins before `end`, if it reaches beyond `start`."""
        at = bisect_left(self, (end, 0)) - 1
        return self[at] if at >= 0 and self[at][1] > start else None


def outermost(spans: Iterable[Span]) -> Spans:
    """Of spans in order, of which none overlaps another in part, those that are in no other."""
    outer: list[Span] = []
    for span in spans:
        if not outer or span[0] >= outer[-1][1]:
            outer.append(span)
    return Spans(outer)


class Nesting:
    """Spans of which each is in another or apart from it; one that overlaps another in part is left out."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._within: dict[Span, Span | None] = {}
        self._children: defaultdict[Span | None, list[Span]] = defaultdict(list)
        # From each of these offsets on, the innermost span is the one beside it.
        self._begins: list[int] = [0]
        self._innermost: list[Span | None] = [None]
        opened: list[Span] = []
        for span in sorted(set(spans), key=lambda span: (span[0], -span[1])):
            self._leave(opened, span[0])
            around = opened[-1] if opened else None
            if around and span[1] > around[1]:
                continue
            self._within[span] = around
            self._children[around].append(span)
            self._mark(span[0], span)
            opened.append(span)
        while opened:
            self._leave(opened, opened[-1][1])

    def _leave(self, opened: list[Span], position: int) -> None:
        while opened and opened[-1][1] <= position:
            _, end = opened.pop()
            self._mark(end, opened[-1] if opened else None)

    def _mark(self, begin: int, innermost: Span | None) -> None:
        self._begins.append(begin)
        self._innermost.append(innermost)

    def innermost(self, position: int) -> Span | None:
        return self._innermost[bisect_right(self._begins, position) - 1]

    def over(self, position: int) -> Span | None:
        """The innermost that holds a position and does not begin there."""
        span = self.innermost(position)
        while span and span[0] == position:
            span = self._within[span]
        return span

    def around(self, start: int, end: int) -> Iterator[Span]:
        """Those that hold this span and are larger than it, innermost first."""
        span = self.innermost(start)
        while span:
            if span[1] >= end and span != (start, end):
                yield span
            span = self._within[span]

    def directly_in(self, span: Span | None) -> Spans:
        """The outermost of those in this one, or of all."""
        return Spans(self._children.get(span, ()))
