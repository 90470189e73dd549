"""What changed between two texts, word by word. Pure."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple

WORD = re.compile(r"\s+|\w+|[^\w\s]")
SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?\n]+\s*|$)")
# The work grows with the pairs of equal tokens, at worst with their cube. This allows about 600 tokens of prose,
# and half a second at worst.
MOST_PAIRS = 100_000


class Piece(NamedTuple):
    """A part of the text; `kind` is "same", "gone" or "new"."""

    kind: str
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces in reading order: "same" and "gone" joined are `before`, "same" and "new" are `after`.

    Long texts are compared by sentences, and word by word within a changed sentence.
    """
    same = _common_prefix(WORD.findall(before), WORD.findall(after))
    prefix, rest = before[:same], (before[same:], after[same:])
    same = _common_prefix(*(WORD.findall(text)[::-1] for text in rest))
    old, new = (text[: len(text) - same] for text in rest)
    suffix = before[len(before) - same :] if same else ""
    pieces = [Piece("same", prefix), *_compared(old, new, (WORD, SENTENCE)), Piece("same", suffix)]
    return list(_joined(piece for piece in pieces if piece.text))


def _common_prefix(old: list[str], new: list[str]) -> int:
    """The number of characters in the tokens that both lists begin with."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    return sum(len(token) for token, _ in pairs)


def _compared(before: str, after: str, units: tuple[re.Pattern[str], ...]) -> Iterator[Piece]:
    """Compare by the first of `units` that is not too much work; if all are, the whole text has changed."""
    for at, tokens in enumerate(units):
        old, new = tokens.findall(before), tokens.findall(after)
        if _pairs(old, new) > MOST_PAIRS:
            continue
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            gone, added = "".join(old[a:b]), "".join(new[c:d])
            if tag == "equal":
                yield Piece("same", gone)
            else:
                yield from _compared(gone, added, units[:at])
        return
    yield from (Piece(kind, text) for kind, text in (("gone", before), ("new", after)) if text)


def _pairs(old: list[str], new: list[str]) -> int:
    other = Counter(new)
    return sum(count * other[token] for token, count in Counter(old).items())


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
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
