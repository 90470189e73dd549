"""Where a contradicted span is in its passage. Pure.

The page stores what a person selected as "12-18 40-52": ranges [start, end) in characters of the passage as models read
it (static/js/annotation/spans.js). A place counts only while it gives the words of the span.
"""

import re

PLACE = re.compile(r"(?:[0-9]{1,6}-[0-9]{1,6}(?: [0-9]{1,6}-[0-9]{1,6})*)?")
BETWEEN = " … "
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:\.\.\.|…)\]?|\n)\s*")


def ranges_at(passage: str, span: str, place: str) -> list[list[int]]:
    """The ranges of `place`; none if they do not give the span, since the passage or the span was changed later."""
    if not PLACE.fullmatch(place):
        return []
    ranges = [[int(at) for at in pair.split("-")] for pair in place.split()]
    words = BETWEEN.join(passage[start:end] for start, end in ranges)
    return ranges if span and words == span else []


def marked(passage: str, span: str, place: str) -> list[tuple[str, bool]]:
    """The passage in pieces, each with whether it is of the span: at its place, else where its words are."""
    pieces, end = [], 0
    for start, stop in ranges_at(passage, span, place) or _located(passage, span):
        pieces += [(passage[end:start], False), (passage[start:stop], True)]
        end = stop
    return [(text, is_span) for text, is_span in [*pieces, (passage[end:], False)] if text]


def _located(passage: str, span: str) -> list[list[int]]:
    """Where the pieces of a span that was typed are; none where one is not there."""
    ranges: list[list[int]] = []
    for piece in filter(None, _ELLIPSIS.split(span)):
        start = passage.find(piece, ranges[-1][1] if ranges else 0)
        if start < 0:
            return []
        ranges.append([start, start + len(piece)])
    return ranges
