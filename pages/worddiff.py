"""What changed between two texts, word by word. Pure."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

TOKEN = re.compile(r"\s+|\w+|[^\w\s]")
# Comparing is quadratic at worst; longer texts are shown whole, one after the other.
MOST_TOKENS = 4_000


class Piece(NamedTuple):
    """A stretch of text that is "same", "gone" or "new"."""

    kind: str
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """The pieces in reading order; those that are not new joined are `before`, those not gone `after`."""
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if max(len(old), len(new)) > MOST_TOKENS:
        return [Piece(kind, text) for kind, text in (("gone", before), ("new", after)) if text]
    pieces: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[a:b])))
            continue
        pieces += [Piece("gone", "".join(old[a:b]))] if b > a else []
        pieces += [Piece("new", "".join(new[c:d]))] if d > c else []
    return pieces
