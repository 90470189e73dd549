"""What a grid shows of a response's text: its beginning, or what is around the first words found. Pure."""

import re
from collections.abc import Sequence

from pages.worddiff import Piece

_WANTED = re.compile(r'"([^"]*[^"\s][^"]*)"|(\S+)')


def wanted(query: str) -> list[str]:
    """The words of a query, each once; what is in quotation marks is kept together.

    A quotation mark without its second, or two with nothing between, are looked for as they are.
    """
    return list(dict.fromkeys(phrase or word for phrase, word in _WANTED.findall(query)))


def excerpt(text: str, words: Sequence[str], size: int) -> list[Piece]:
    """About `size` characters of the text, from near the first of the words; each word is a piece of kind "found".

    The first is whole, however long.
    """
    found = re.compile(f"({'|'.join(map(re.escape, words)) or '(?!)'})", re.IGNORECASE)
    text = text.strip()
    first = found.search(text)
    start = _after_space(text, max(0, first.start() - size // 3), first.start()) if first else 0
    whole = first.end() if first else 0
    end = max(start + size, whole)
    if end < len(text):
        end = max(whole, start + len(text[start:end].rpartition(" ")[0] or text[start:end]))
    parts = found.split(text[start:end])
    pieces = [Piece("found" if n % 2 else "same", part) for n, part in enumerate(parts) if part]
    before = [Piece("same", "… ")] if start else []
    after = [Piece("same", " …")] if end < len(text) else []
    return [*before, *pieces, *after]


def _after_space(text: str, start: int, end: int) -> int:
    """The beginning of the first whole word between the two places."""
    return text.find(" ", start, end) + 1 or start if start else 0
