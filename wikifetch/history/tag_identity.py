"""Which tag of one revision is which of another. Pure.

A tag keeps its identity while its text is edited, a bot adds its month, or its paragraph moves. Tags are paired, each
once: the same words at the same place first, then whatever is closest. So two tags of one article stay apart. Where
the words of a tag's block still stand without a tag, that tag has gone: another of its section is a new one.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from wikifetch.wikitext import TagSeen

_COMPARED = 20_000  # characters of a block
_CLOSE_ENOUGH = 0.3
_STANDS = 0.5
# Chinese and Japanese put no blanks between words: each character is one.
_EAST = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_EAST}]|[^\s{_EAST}]+")

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class TagPlace:
    """What identifies a tag: its wikitext, its section and the block around it, which has that wikitext in it."""

    raw: str
    kind: str
    section: str
    block: str
    reason: str = ""
    is_banner: bool = False

    @cached_property
    def block_clean(self) -> str:
        return self.block.replace(self.raw, "")

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        """Of the block's words with those before them: common words alone make texts no more alike."""
        return Counter(_word_pairs(self.block_clean[:_COMPARED]))


def place_of(tag: TagSeen) -> TagPlace:
    section = joined_headings(tag.section)
    return TagPlace(tag.raw, tag.kind, section, tag.block, tag.reason, tag.scope is not None)


def joined_headings(section: Sequence[str]) -> str:
    """Headings as one line, outermost first."""
    return " / ".join(section)


def same_tags(
    before: Sequence[TagPlace], now: Sequence[TagPlace], text: str = ""
) -> dict[int, int]:
    """Index in `now` -> index in `before`, for every tag that is the same; each index once.

    `text` is the wikitext of the page now; without it, nothing is known of blocks that have lost their tag.
    """
    pairs: dict[int, int] = {}
    untagged = _UntaggedText(text, now)
    _match_equal(before, now, _same_words, pairs)
    _match_equal(before, now, _same_section, pairs, untagged)
    _match_equal(before, now, _same_block, pairs)
    _match_closest(before, now, pairs, untagged)
    return pairs


def returned_tags(gone: Sequence[TagPlace], now: Sequence[TagPlace]) -> dict[int, int]:
    """As same_tags, but only tags with the same words in a block like theirs: for tags that had gone."""
    return {
        n: b
        for n, b in same_tags(gone, now).items()
        if gone[b].raw == now[n].raw and likeness(gone[b].pairs, now[n].pairs) >= _CLOSE_ENOUGH
    }


class _UntaggedText:
    """The lines of a page outside the blocks of its inline tags. They are looked at when first asked for."""

    def __init__(self, text: str, tags: Sequence[TagPlace]) -> None:
        self._text, self._tags = text, tags
        self._shares: dict[TagPlace, float] = {}

    @cached_property
    def _lines(self) -> dict[tuple[str, str], Counter[int]]:
        """Pair of words -> in which lines it is, how often."""
        text = self._text
        for tag in self._tags:
            text = text if tag.is_banner else text.replace(tag.block, "")
        lines: dict[tuple[str, str], Counter[int]] = {}
        for number, line in enumerate(text.split("\n")):
            for pair in _word_pairs(line):
                lines.setdefault(pair, Counter())[number] += 1
        return lines

    def holds(self, before: TagPlace, now: TagPlace) -> bool:
        """Whether most of a block stands here, and more of it than in the block that would be the same."""
        if before.is_banner or not self._text:
            return False
        if before not in self._shares:
            self._shares[before] = self._share(before)
        smaller = min(before.pairs.total(), now.pairs.total()) or 1
        share = (before.pairs & now.pairs).total() / smaller
        return self._shares[before] > max(share, _STANDS)

    def _share(self, place: TagPlace) -> float:
        """How much of a block is in as many lines, one after another, as it has."""
        length, found = place.block_clean.count("\n") + 1, Counter[int]()
        for pair, count in place.pairs.items():
            for line, here in self._lines.get(pair, {}).items():
                found[line] += min(count, here)
        most = max((sum(found[line + n] for n in range(length)) for line in [*found]), default=0)
        return most / (place.pairs.total() or 1)


_NOTHING = _UntaggedText("", ())


def _same_words(place: TagPlace) -> Hashable:
    return place.raw, place.block_clean


def _same_section(place: TagPlace) -> Hashable:
    return place.raw, place.section


def _same_block(place: TagPlace) -> Hashable:
    return place.kind, place.block_clean


def _match_equal(
    before: Sequence[TagPlace],
    now: Sequence[TagPlace],
    key: Callable[[TagPlace], Hashable],
    pairs: dict[int, int],
    untagged: _UntaggedText = _NOTHING,
) -> None:
    """Pair equal keys in order, so that the second of two copies stays the second."""
    free: dict[Hashable, list[int]] = {}
    taken = set(pairs.values())
    for index in range(len(before)):
        if index not in taken:
            free.setdefault(key(before[index]), []).append(index)
    for index, place in enumerate(now):
        candidates = free.get(key(place), []) if index not in pairs else []
        stayed = (b for b in candidates if not untagged.holds(before[b], place))
        if (first := next(stayed, None)) is not None:
            pairs[index] = first
            candidates.remove(first)


def _match_closest(
    before: Sequence[TagPlace],
    now: Sequence[TagPlace],
    pairs: dict[int, int],
    untagged: _UntaggedText,
) -> None:
    taken = set(pairs.values())
    left = [b for b in range(len(before)) if b not in taken]
    candidates = [
        (-_closeness(before[b], now[n]), before[b].section != now[n].section, abs(b - n), b, n)
        for n in range(len(now))
        if n not in pairs
        for b in left
    ]
    for score, _, _, b, n in sorted(candidates):
        is_close = -score >= _CLOSE_ENOUGH and not untagged.holds(before[b], now[n])
        if is_close and b not in taken and n not in pairs:
            pairs[n] = b
            taken.add(b)


def _closeness(before: TagPlace, now: TagPlace) -> float:
    """0 to 1.65: how alike the blocks are, and what the same reason and the same words of the tag count."""
    return (
        likeness(before.pairs, now.pairs)
        + 0.5 * (before.reason == now.reason != "")
        + 0.15 * (before.raw == now.raw)
    )


def _word_pairs(text: str) -> Iterable[tuple[str, str]]:
    for line in text.split("\n"):
        yield from pairwise(["", *_WORD.findall(line)])


def word_counts(text: str) -> Counter[str]:
    return Counter(text[:_COMPARED].split())


def likeness(first: Counter[T], second: Counter[T]) -> float:
    """Share of what they have in common, 0 to 1 (Dice's coefficient over multisets)."""
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 1.0
