"""The names under which editors write the three kinds of tag. Pure.

names.json is the list used where no wiki can be asked (files); a live wiki gives its own redirects.
Source of the kinds: WikiContradict, section 3.1.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from wikifetch.wikitext.languages import PRESETS, WikiWords, spellings

INCONSISTENT = "inconsistent"
SELF_CONTRADICTORY = "self-contradictory"
CONTRADICT_OTHER = "contradict-other"
KINDS = (INCONSISTENT, SELF_CONTRADICTORY, CONTRADICT_OTHER)

# Templates that hold several banners; before 2012 each was a parameter whose value is the date.
HOLDERS = ("article issues", "articleissues", "multiple issues", "multipleissues", "issues")

FILL = "\x1a"
# Marks of direction, which are no part of a title: wikis drop these wherever they are in it. Isolates, soft hyphens and
# what has no width are kept there, so they make another template's name; and so are all of them in a parameter's name.
_DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
_NO_DIRECTIONS = str.maketrans("", "", _DIRECTIONS)
# Where a name may have one.
BLANK = rf"[\s_{FILL}{_DIRECTIONS}]"
# Possessive: no name begins with a blank, and going back over a long run of them would take quadratic time.
_BLANK = rf"{BLANK}*+"
_TEMPLATE = spellings("template")


def undirected(name: str) -> str:
    """A name without marks of direction."""
    return name.translate(_NO_DIRECTIONS)


def fold(name: str) -> str:
    """A template's name as a key: case, underscores and the namespace aside."""
    folded = " ".join(undirected(name).replace("_", " ").replace(FILL, " ").split()).casefold()
    prefix, colon, rest = folded.partition(":")
    return rest.strip() if colon and prefix.strip() in _TEMPLATE else folded


@dataclass(frozen=True)
class TagNames:
    """Folded name -> kind; and what the wiki of these tags calls its namespaces and the months."""

    kinds: Mapping[str, str]
    words: WikiWords = PRESETS

    @classmethod
    def from_spellings(
        cls, spellings: Mapping[str, Iterable[str]], words: WikiWords = PRESETS
    ) -> "TagNames":
        """From kind -> names as a wiki spells them. Raises ValueError for a kind that is not one."""
        if unknown := set(spellings) - set(KINDS):
            raise ValueError(
                f"Unknown kinds of tag: {sorted(unknown)}; there are {', '.join(KINDS)}."
            )
        kinds = {fold(name): kind for kind, names in spellings.items() for name in names}
        return cls(kinds, words)

    def kind_of(self, name: str) -> str | None:
        return self.kinds.get(fold(name))

    def spellings(self) -> dict[str, list[str]]:
        """Kind -> folded names, as JSON can keep them."""
        return {kind: [name for name, of in self.kinds.items() if of == kind] for kind in KINDS}

    @cached_property
    def name_pattern(self) -> re.Pattern[str]:
        """Matches, right after two opening braces of masked text, a whole name of a tag or a holder."""
        return re.compile(
            rf"{_BLANK}{self._namespace}(?P<name>{_alternatives(self.looked_for)}){_BLANK}"
            rf"(?=\||\}}\}})",
            re.IGNORECASE,
        )

    @cached_property
    def hint_pattern(self) -> re.Pattern[str]:
        """A cheap test of raw text: where it does not match, there is no tag."""
        comment = rf"(?:<!--[^>]{{0,200}}-->{_BLANK})?"
        opening = rf"\{{\{{{_BLANK}{comment}{self._namespace}"
        return re.compile(rf"{opening}(?:{_alternatives(self.looked_for)})", re.IGNORECASE)

    @property
    def namespaces(self) -> frozenset[str]:
        """What may stand before a name and a colon."""
        return _TEMPLATE | self.words.template

    @property
    def looked_for(self) -> frozenset[str]:
        """The folded names of tags and of templates that hold them."""
        return frozenset({*self.kinds, *HOLDERS})

    @cached_property
    def _namespace(self) -> str:
        return rf"(?:(?:{_alternatives(self.namespaces)}){_BLANK}:{_BLANK})?"


@lru_cache(maxsize=16)  # each page that is shown asks for the names of its wiki
def _alternatives(names: frozenset[str]) -> str:
    """A pattern of any of these, the longest first; a mark of direction may be in each."""
    longest_first = sorted(names, key=len, reverse=True)
    return "|".join(
        rf"[\s_{_DIRECTIONS}]++".join(map(_undisturbed, name.split())) for name in longest_first
    )


def _undisturbed(word: str) -> str:
    return f"[{_DIRECTIONS}]*+".join(map(re.escape, word))


CONFIGURED: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("names.json").read_text(encoding="utf-8")
)
CANONICAL: dict[str, list[str]] = {kind: CONFIGURED[kind]["canonical"] for kind in KINDS}
KNOWN_NAMES = TagNames.from_spellings(
    {kind: [*entry["canonical"], *entry["redirects"]] for kind, entry in CONFIGURED.items()}
)
