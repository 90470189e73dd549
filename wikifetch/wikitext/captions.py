"""Which words of a file's link are its caption. Pure."""

import re
from dataclasses import dataclass
from itertools import pairwise

from wikifetch.wikitext.languages import LANGUAGES, alternatives, languages_with, spellings
from wikifetch.wikitext.positions.braces import match_braces
from wikifetch.wikitext.positions.spans import Nesting
from wikifetch.wikitext.positions.unread import masked, unread_spans

_FRAMED = re.compile(rf"(?:{alternatives(spellings('framed'))})\s*(?:=.*)?", re.DOTALL)

_MOST_ARGUMENTS = 20


def _options_in(*languages: str) -> re.Pattern[str]:
    words = spellings("framed", *languages) | spellings("file_options", *languages)
    settings = alternatives(spellings("file_settings", *languages))
    return re.compile(
        rf"(?:{alternatives(words)}|(?:{settings})\s*=.*"
        r"|(?:upright|hochkant|redresse)\s*[\d.]+|\d{0,5}\s?x?\s?\d{1,5}\s?px)",
        re.DOTALL,
    )


_OPTION = _options_in(*LANGUAGES)
_OPTIONS = {language: _options_in(language) for language in LANGUAGES}


@dataclass(frozen=True)
class Caption:
    """A file's caption as wikitext, "" where it has none; whether the wiki shows it (a thumbnail or frame)."""

    wikitext: str
    is_shown: bool


def caption_of(file_link: str) -> Caption:
    """That of [[File:…|…]] or of a gallery's line: of its arguments, the last that is no option.

    An option in another language alone is a word: “Mini” in [[File:…|thumb|Mini]], but not in [[Datei:…|Mini]].
    """
    inner = file_link.strip()
    if inner.startswith("[["):
        inner = inner[2:].removesuffix("]]")
    name, *arguments = (argument.strip() for argument in _split(inner))
    words = [argument for argument in arguments if not _OPTION.fullmatch(argument.lower())]
    if not words and arguments and _is_foreign(name, arguments):
        words = [arguments.pop()]
    is_shown = any(_FRAMED.fullmatch(argument.lower()) for argument in arguments)
    return Caption(words[-1] if words else "", is_shown)


def is_framed(file_link: str) -> bool:
    """Whether one of a short link's arguments says that the file is shown beside the text, with its caption."""
    arguments = file_link.removesuffix("]]").lower().split("|")[1:_MOST_ARGUMENTS]
    return any(_FRAMED.fullmatch(argument.strip()) for argument in arguments)


def _is_foreign(name: str, options: list[str]) -> bool:
    """Whether the last option is one word, in no language that the file's name and the others show, nor English."""
    if "=" in options[-1]:
        return False
    here = {"en"} | languages_with("file", name.partition(":")[0].strip().lower())
    *others, last = map(_languages_of, options)
    for languages in others:
        if not languages & here:
            here |= languages
    return not last & here


def _languages_of(option: str) -> set[str]:
    return {language for language, of in _OPTIONS.items() if of.fullmatch(option.lower())}


def _split(inner: str) -> list[str]:
    """At the bars that no link or template holds."""
    read = masked(inner, unread_spans(inner))
    braces = match_braces(read)
    held = Nesting([*braces.templates, *braces.links, *braces.others])
    bars = (bar.start() for bar in re.finditer(r"\|", read))
    cuts = [-1, *(bar for bar in bars if not held.innermost(bar)), len(inner)]
    return [inner[a + 1 : b] for a, b in pairwise(cuts)]
