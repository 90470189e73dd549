"""How labels and names from elsewhere are spelled: what means a missing label, and what looks alike. Pure."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from numpy.typing import NDArray

MISSING = frozenset({"", "na", "n/a", "nan"})
# The marker of statistics programs; labels that are words may use it as a label.
POINT = "."
PLACEHOLDERS = frozenset(
    {"none", "null", "nil", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "#n/a", "<na>", "n.a.", POINT}
)
_NUMBER = re.compile(r"[+-]?([0-9]{1,15}\.?[0-9]{0,15}|\.[0-9]{1,15})")
SHOWN = 10


@dataclass(frozen=True)
class Wishes:
    """How to read labels: their declared order, more markers of missing ones, whether what looks alike is one.

    A label of the order is never missing.
    """

    order: tuple[str, ...] = ()
    missing: frozenset[str] = MISSING
    fold: bool = False

    def is_missing(self, label: str) -> bool:
        return label.casefold() in self.missing and label not in self.order


def wishes_of(order: str, missing: str, *, fold: bool = False) -> Wishes:
    """The wishes as people type them: lists with commas between."""
    return Wishes(_listed(order), MISSING | {text.casefold() for text in _listed(missing)}, fold)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(plain, text.split(","))))


def plain(text: str) -> str:
    """Without blanks around it, and with each letter and its mark as one character (NFC)."""
    return unicodedata.normalize("NFC", text.strip())


def look(text: str) -> str:
    """What texts have in common that differ in blanks, letter case, or how a number is written (01 and 1.0 are 1)."""
    if not _NUMBER.fullmatch(text):
        return plain(" ".join(text.casefold().split()))
    number = format(Decimal(text), "f")
    number = number.rstrip("0").rstrip(".") if "." in number else number
    return "0" if number == "-0" else number


def alike(counts: Mapping[str, int], preferred: Sequence[str] = ()) -> dict[str, str]:
    """For each text that looks like another the one to stand for it: a preferred one, else the most frequent."""
    groups: dict[str, list[str]] = {}
    for text in dict.fromkeys([*preferred, *counts]):
        groups.setdefault(look(text), []).append(text)
    stands = {}
    for group in groups.values():
        if len(group) > 1:
            best = min(group, key=lambda text: (text not in preferred, -counts.get(text, 0), text))
            stands.update(dict.fromkeys(group, best))
    return {text: best for text, best in stands.items() if text != best}


def alike_in_words(noun: str, stands: Mapping[str, str], *, fold: bool) -> str:
    """What was seen, as a sentence."""
    what = "count as one, the second" if fold else "count apart; fold them if they are one"
    pairs = [f"{text!r} and {best!r}" for text, best in stands.items()]
    return f"{noun.capitalize()}s that look alike {what}: {some(pairs)}."


def some(texts: Sequence[object] | NDArray[Any]) -> str:
    """The first of them, with commas between, and how many more there are."""
    more = len(texts) - SHOWN
    return ", ".join(map(str, texts[:SHOWN])) + (f" and {more:,} more" if more > 0 else "")
