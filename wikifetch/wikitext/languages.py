"""What wikis in other languages call namespaces, parameters, months and the options of files. Pure.

languages.json has the presets. A name in any of them counts on every wiki, but an option of a file may be a word in
another language: see captions. What a wiki says of itself counts too while its page is read: see `spoken`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

_PRESETS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("languages.json").read_text(encoding="utf-8")
)


# Of the others, the parameters and months alone.
LANGUAGES = tuple(language for language, preset in _PRESETS.items() if "file" in preset)


def spellings(key: str, *languages: str) -> frozenset[str]:
    """The names under this key in these languages, or in all, in lower case."""
    presets = (_PRESETS[language] for language in languages or LANGUAGES)
    return frozenset(name.lower() for preset in presets for name in preset[key])


def languages_with(key: str, name: str) -> set[str]:
    """Those with this name, in lower case, under the key."""
    return {language for language in LANGUAGES if name in spellings(key, language)}


def alternatives(names: Iterable[str]) -> str:
    """An expression for any of these names, the longest first."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_MONTHS = {
    name.lower(): number
    for preset in _PRESETS.values()
    for number, name in chain(
        enumerate(preset["months"], 1),
        enumerate(preset.get("short_months", ()), 1),
        enumerate(preset.get("genitive_months", ()), 1),
        ((number, name) for name, number in preset.get("other_months", {}).items()),
    )
}
# What a parameter of a tag is called -> what it is called in English.
PARAMETERS = {
    name: english
    for preset in _PRESETS.values()
    for english, names in preset["parameters"].items()
    for name in names
}


@dataclass(frozen=True)
class WikiWords:
    """What a wiki calls three of its namespaces and the months, in lower case, besides the presets."""

    file: frozenset[str] = frozenset()
    category: frozenset[str] = frozenset()
    template: frozenset[str] = frozenset()
    months: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "WikiWords":
        """From JSON as `as_json` gives it; nothing of what is missing."""
        names = {key: frozenset(kept.get(key, ())) for key in ("file", "category", "template")}
        return cls(**names, months=kept.get("months", {}))

    def as_json(self) -> dict[str, Any]:
        names = {key: sorted(getattr(self, key)) for key in ("file", "category", "template")}
        return {**names, "months": dict(self.months)}

    @cached_property
    def _file(self) -> str:
        return alternatives(spellings("file") | self.file)

    @cached_property
    def _category(self) -> str:
        return alternatives(spellings("category") | self.category)

    @cached_property
    def file_link(self) -> re.Pattern[str]:
        """The beginning of a link to a file."""
        return re.compile(rf"\[\[\s*(?:{self._file})\s*:", re.IGNORECASE)

    @cached_property
    def file_title(self) -> re.Pattern[str]:
        return re.compile(rf"\s*(?:{self._file})\s*:", re.IGNORECASE)

    @cached_property
    def category_title(self) -> re.Pattern[str]:
        """Also of a link to another language's article, which is no more shown than a category."""
        languages = "[a-z]{2,3}(?:-[a-z]+)?"
        return re.compile(rf"\s*(?:{self._category}|{languages})\s*:\s*\S", re.IGNORECASE)

    @cached_property
    def whole_link(self) -> re.Pattern[str]:
        """A link to a file or a category that holds no other link."""
        names = f"{self._file}|{self._category}"
        return re.compile(rf"\[\[(?:{names}):[^\[\]]{{0,2000}}\]\]", re.IGNORECASE)

    def month(self, name: str) -> int:
        """1 to 12; 0 for what names none."""
        return _MONTHS.get(name.lower()) or self.months.get(name.lower(), 0)


PRESETS = WikiWords()
_SPOKEN: ContextVar[WikiWords] = ContextVar("spoken", default=PRESETS)


def spoken() -> WikiWords:
    """The words of the wiki whose page is read now, as `speaking` was given them."""
    return _SPOKEN.get()


@contextmanager
def speaking(words: WikiWords) -> Iterator[None]:
    """Read pages of a wiki that has these words."""
    before = _SPOKEN.set(words)
    try:
        yield
    finally:
        _SPOKEN.reset(before)
