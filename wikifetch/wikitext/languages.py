"""What wikis in other languages call namespaces, parameters, months and the options of files. Pure.

languages.json has the presets. A name of any of them counts on every wiki; but an option of a file may be a word in
another language: see captions.
"""

import json
import re
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

_PRESETS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("languages.json").read_text(encoding="utf-8")
)


LANGUAGES = tuple(_PRESETS)


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


FILE = alternatives(spellings("file"))
CATEGORY = alternatives(spellings("category"))
MONTHS = {
    name.lower(): number
    for preset in _PRESETS.values()
    for number, name in chain(
        enumerate(preset["months"], 1),
        enumerate(preset["short_months"], 1),
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
