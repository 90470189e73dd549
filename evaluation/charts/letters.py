"""How wide text is, estimated from above without a font, and text in lines that fit. Pure."""

import re
from dataclasses import dataclass
from functools import cache
from unicodedata import combining, east_asian_width, normalize

THIN, NARROW = frozenset("ijl.,:;!'|"), frozenset("ftrsI()[] -")
WIDE = frozenset("mwMW@%#&=+\N{MINUS SIGN}\N{EM DASH}\N{HORIZONTAL ELLIPSIS}\u00e6\u0153")
LAST_LATIN = 0x24F


@dataclass(frozen=True)
class Font:
    """The widest letter of each kind; `capital` also stands for letters beyond Latin."""

    thin: float
    narrow: float
    usual: float
    capital: float
    wide: float

    def width(self, text: str) -> float:
        """Of text on one line."""
        return sum(getattr(self, kind) for kind in map(_kind, normalize("NFC", text)) if kind)


@cache
def _kind(letter: str) -> str:
    """The kind of a letter; "" for one that stands above or below another."""
    if combining(letter):
        return ""
    base = normalize("NFD", letter)[0]
    if base in THIN:
        return "thin"
    if base in NARROW:
        return "narrow"
    if base in WIDE or east_asian_width(base) in "WF":
        return "wide"
    return "capital" if base.isupper() or ord(base) > LAST_LATIN else "usual"


def pieces(part: str, font: Font, room: float) -> list[str]:
    """A word in pieces that fit, broken anywhere."""
    found = [""]
    for letter in part:
        if found[-1] and font.width(found[-1] + letter) > room:
            found.append("")
        found[-1] += letter
    return found


def fitted(text: str, font: Font, room: float, most: int) -> list[str]:
    """Text in at most so many lines, which end after a space or a sign where they can.

    What does not fit is cut from its middle: names differ at either end.
    """
    lines = _lines(text, font, room)
    letters = len(text)
    while len(lines) > most:
        letters = min(letters - 1, int(letters * (most + 0.5) / len(lines)))
        lines = _lines(_without_middle(text, letters), font, room)
    return lines


def _lines(text: str, font: Font, room: float) -> list[str]:
    lines = [""]
    # A no-break space keeps its line.
    words = re.split(r"(?<=[^\S\xa0])|(?<=[_/.:@-])", text)
    for piece in (piece for word in words for piece in pieces(word, font, room)):
        if lines[-1] and font.width((lines[-1] + piece).rstrip()) > room:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _without_middle(text: str, letters: int) -> str:
    end = (letters - 1) // 2
    return f"{text[: letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{text[-end:] if end else ''}"
