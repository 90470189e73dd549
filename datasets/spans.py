"""The position of the contradicted span in its passage. Pure."""

from collections.abc import Iterable

Ranges = list[tuple[int, int]]


def ranges_in(passage: str, span: str | None, kept: Iterable[Iterable[int]] = ()) -> Ranges:
    """[start, end) of the span in the passage, in characters, ordered and disjoint.

    The stored ranges, if an annotator chose any and all are within the passage; else the first occurrence of the
    span; else none.
    """
    chosen = [tuple(pair) for pair in kept]
    if chosen and all(_lies_inside(pair, len(passage)) for pair in chosen):
        return _disjoint((pair[0], pair[1]) for pair in chosen)
    wanted = (span or "").strip()
    start = passage.find(wanted) if wanted else -1
    return [(start, start + len(wanted))] if start >= 0 else []


def segments(passage: str, ranges: Ranges) -> list[tuple[str, bool]]:
    """The passage in pieces, each with whether it is marked."""
    pieces, at = [], 0
    for start, end in ranges:
        pieces += [(passage[at:start], False), (passage[start:end], True)]
        at = end
    return [(text, marked) for text, marked in [*pieces, (passage[at:], False)] if text]


def _lies_inside(pair: tuple[int, ...], length: int) -> bool:
    return len(pair) == 2 and 0 <= pair[0] < pair[1] <= length


def _disjoint(pairs: Iterable[tuple[int, int]]) -> Ranges:
    merged: Ranges = []
    for start, end in sorted(pairs):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
