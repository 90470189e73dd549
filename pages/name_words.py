"""The words that name a person, where they are in a text, and a text without them. Pure."""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

ADDRESS = re.compile(r"[^\s@<>()\[\],;]+@[^\s@<>()\[\],;]+")
PART = re.compile(r"[^\W_]+")
LEAST = 2  # letters: an initial is a word of too many texts
AROUND = 60  # characters of an excerpt on each side


@dataclass(frozen=True)
class ExcerptPiece:
    """A part of an excerpt; `names` says whether it is one of the words."""

    text: str
    names: bool = False


@dataclass(frozen=True)
class NameWords:
    """`certain`: whole names of several words, and addresses. `likely`: other names, and parts of any."""

    certain: frozenset[str]
    likely: frozenset[str]

    @cached_property
    def all(self) -> list[str]:
        """The longest first, so that a whole name is found before its parts."""
        return sorted(self.certain | self.likely, key=lambda word: (-len(word), word))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Each as a word of its own, in any case and in both forms of accents; an underscore ends a word."""
        forms = {unicodedata.normalize(form, word) for word in self.all for form in ("NFC", "NFD")}
        either = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))
        return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])" if either else r"(?!)", re.I)

    def found(self, text: str) -> set[str]:
        """Those of the words that the text holds, in small letters."""
        return {unicodedata.normalize("NFC", word).lower() for word in self.pattern.findall(text)}

    def is_certain(self, text: str) -> bool:
        return bool(self.found(text) & {word.lower() for word in self.certain})

    def without(self, dropped: set[str]) -> "NameWords":
        return NameWords(
            self.certain, frozenset(word for word in self.likely if word.lower() not in dropped)
        )


def words_of(name: str, username: str, addresses: Iterable[str] = ()) -> NameWords:
    """The words that name a person: name and username, their parts, and the addresses with what is before the @."""
    given = [name, username, *addresses]
    addresses = {text for text in given if ADDRESS.fullmatch(text)}
    certain = {text for text in given if len(PART.findall(text)) > 1 and " " in text} | addresses
    names = [text.split("@")[0] if text in addresses else text for text in given]
    parts = {part for text in names for part in PART.findall(text)} | set(names)
    likely = {part for part in parts if len(part) >= LEAST and not part.isdigit()}
    return NameWords(frozenset(certain), frozenset(likely - certain))


def addresses_in(text: str) -> list[str]:
    return ADDRESS.findall(text)


def replaced(value: Any, words: NameWords, by: str, *, keys: bool = False) -> Any:
    """A text, or every text in JSON, with `by` in place of the words; in the names of its entries only with `keys`."""
    if isinstance(value, str):
        return words.pattern.sub(by, value)
    if isinstance(value, list):
        return [replaced(inner, words, by, keys=keys) for inner in value]
    if isinstance(value, dict):
        return {
            replaced(key, words, by) if keys else key: replaced(inner, words, by, keys=keys)
            for key, inner in value.items()
        }
    return value


def as_text(value: Any) -> str:
    """What is searched and shown of a value."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def excerpt(text: str, words: NameWords) -> list[ExcerptPiece]:
    """The first place of a word in the text, with what is around it."""
    first = words.pattern.search(text)
    if first is None:
        return []
    start, end = max(0, first.start() - AROUND), min(len(text), first.end() + AROUND)
    pieces, at = [ExcerptPiece("…")] if start else [], start
    for match in words.pattern.finditer(text, start, end):
        pieces += [ExcerptPiece(text[at : match.start()]), ExcerptPiece(match.group(), names=True)]
        at = match.end()
    pieces.append(ExcerptPiece(text[at:end] + ("…" if end < len(text) else "")))
    return [piece for piece in pieces if piece.text]
