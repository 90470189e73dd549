"""What changed between two texts, word by word. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

WORD = re.compile(r"\s+|\w+|[^\w\s]")
SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?\n]+\s*|$)")
# Comparing is cubic at worst in the pairs of equal tokens: some 600 tokens of prose, half a second of the worst.
MOST_PAIRS = 100_000


class Piece(NamedTuple):
    """A stretch of text that is "same", "gone" or "new"."""

    kind: str
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces in reading order; those that are not new joined are `before`, those not gone `after`.

    Long texts are compared by sentences, and word by word where a sentence has changed.
    """
    same = _alike(WORD.findall(before), WORD.findall(after))
    begun, left = before[:same], (before[same:], after[same:])
    same = _alike(*(WORD.findall(text)[::-1] for text in left))
    old, new = (text[: len(text) - same] for text in left)
    ended = before[len(before) - same :] if same else ""
    pieces = [Piece("same", begun), *_compared(old, new, (WORD, SENTENCE)), Piece("same", ended)]
    return list(_joined(piece for piece in pieces if piece.text))


def _alike(old: list[str], new: list[str]) -> int:
    """How many characters the first tokens have that both begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return sum(len(token) for token, _ in pairs)


def _compared(before: str, after: str, ways: tuple[re.Pattern[str], ...]) -> Iterator[Piece]:
    """Compared in the first of these ways that is not too much work; whole, one after the other, where all are."""
    for at, tokens in enumerate(ways):
        old, new = tokens.findall(before), tokens.findall(after)
        if _pairs(old, new) > MOST_PAIRS:
            continue
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            gone, came = "".join(old[a:b]), "".join(new[c:d])
            if tag == "equal":
                yield Piece("same", gone)
            else:
                yield from _compared(gone, came, ways[:at])
        return
    yield from (Piece(kind, text) for kind, text in (("gone", before), ("new", after)) if text)


def _pairs(old: list[str], new: list[str]) -> int:
    other = Counter(new)
    return sum(count * other[token] for token, count in Counter(old).items())


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Neighbours of one kind as one piece."""
    last: Piece | None = None
    for piece in pieces:
        if last and last.kind == piece.kind:
            last = Piece(last.kind, last.text + piece.text)
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last
