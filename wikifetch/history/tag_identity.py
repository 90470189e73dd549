"""Which tag of one revision is which of another. Pure.

A tag keeps its identity while its text is edited, a bot adds its month, or its paragraph moves. Tags are paired, each
once: the same words at the same place first, then whatever is closest. So two tags of one article stay apart.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wikifetch.wikitext import TagSeen

_COMPARED = 20_000  # characters of a block
_CLOSE_ENOUGH = 0.8


@dataclass(frozen=True)
class TagPlace:
    """What identifies a tag: its wikitext, its section and the text around it."""

    raw: str
    kind: str
    section: str
    block_clean: str
    reason: str = ""

    @cached_property
    def words(self) -> Counter[str]:
        return word_counts(self.block_clean)


def place_of(tag: TagSeen) -> TagPlace:
    return TagPlace(tag.raw, tag.kind, joined_headings(tag.section), tag.block_clean, tag.reason)


def joined_headings(section: Sequence[str]) -> str:
    """Headings as one line, outermost first."""
    return " / ".join(section)


def same_tags(before: Sequence[TagPlace], now: Sequence[TagPlace]) -> dict[int, int]:
    """Index in `now` -> index in `before`, for every tag that is the same; each index once."""
    pairs: dict[int, int] = {}
    for key in _KEYS:
        _match_equal(before, now, key, pairs)
    _match_closest(before, now, pairs)
    return pairs


def unchanged_tags(before: Sequence[TagPlace], now: Sequence[TagPlace]) -> dict[int, int]:
    """As same_tags, but only tags with the same words in the same block: for tags that had gone."""
    pairs: dict[int, int] = {}
    _match_equal(before, now, _KEYS[0], pairs)
    return pairs


_KEYS: tuple[Callable[[TagPlace], Hashable], ...] = (
    lambda place: (place.raw, place.block_clean),
    lambda place: (place.raw, place.section),
    lambda place: (place.kind, place.block_clean),
)


def _match_equal(
    before: Sequence[TagPlace],
    now: Sequence[TagPlace],
    key: Callable[[TagPlace], Hashable],
    pairs: dict[int, int],
) -> None:
    """Pair equal keys in order, so that the second of two copies stays the second."""
    free: dict[Hashable, list[int]] = {}
    taken = set(pairs.values())
    for index in reversed(range(len(before))):
        if index not in taken:
            free.setdefault(key(before[index]), []).append(index)
    for index, place in enumerate(now):
        if index not in pairs and (candidates := free.get(key(place))):
            pairs[index] = candidates.pop()


def _match_closest(
    before: Sequence[TagPlace], now: Sequence[TagPlace], pairs: dict[int, int]
) -> None:
    taken = set(pairs.values())
    left = [b for b in range(len(before)) if b not in taken]
    candidates = [
        (-_closeness(before[b], now[n]), abs(b - n), b, n)
        for n in range(len(now))
        if n not in pairs
        for b in left
    ]
    for score, _, b, n in sorted(candidates):
        if -score >= _CLOSE_ENOUGH and b not in taken and n not in pairs:
            pairs[n] = b
            taken.add(b)


def _closeness(before: TagPlace, now: TagPlace) -> float:
    """0 to 2.5: how alike the blocks are, and half a point for the same words, section, reason."""
    return (
        likeness(before.words, now.words)
        + 0.5 * (before.raw == now.raw)
        + 0.5 * (before.section == now.section)
        + 0.5 * (before.reason == now.reason != "")
    )


def word_counts(text: str) -> Counter[str]:
    return Counter(text[:_COMPARED].split())


def likeness(first: Counter[str], second: Counter[str]) -> float:
    """Share of words in common, 0 to 1 (Dice's coefficient over multisets)."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
