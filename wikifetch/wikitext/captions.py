"""Which words of a file's link are its caption. Pure."""

import re
from dataclasses import dataclass

from wikifetch.wikitext.languages import alternatives, spellings

_PIECES = re.compile(r"\[\[|\]\]|\{\{|\}\}|\|")
_FRAMED = re.compile(rf"(?:{alternatives(spellings('framed'))})\s*(?:=.*)?", re.DOTALL)
_SETTINGS = alternatives(spellings("file_settings"))
_OPTION = re.compile(
    rf"(?:{alternatives(spellings('framed') | spellings('file_options'))}|(?:{_SETTINGS})\s*=.*"
    r"|(?:upright|hochkant|redresse)\s*[\d.]+|\d{0,5}\s?x?\s?\d{1,5}\s?px)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Caption:
    """A file's caption as wikitext, "" where it has none; whether the wiki shows it (a thumbnail or frame)."""

    wikitext: str
    is_shown: bool


def caption_of(file_link: str) -> Caption:
    """That of [[File:…|…]] or of a gallery's line: of its arguments, the last that is no option."""
    inner = file_link.strip()
    if inner.startswith("[["):
        inner = inner[2:].removesuffix("]]")
    arguments = _split(inner)[1:]
    words = [argument for argument in arguments if not _OPTION.fullmatch(argument.strip().lower())]
    is_shown = any(_FRAMED.fullmatch(argument.strip().lower()) for argument in arguments)
    return Caption(words[-1].strip() if words else "", is_shown)


def _split(inner: str) -> list[str]:
    """At the bars that no link or template holds."""
    depth, cuts = 0, [-1]
    for mark in _PIECES.finditer(inner):
        if mark.group() != "|":
            depth = depth + 1 if mark.group() in {"[[", "{{"} else max(0, depth - 1)
        elif depth == 0:
            cuts.append(mark.start())
    return [inner[a + 1 : b] for a, b in zip(cuts, [*cuts[1:], len(inner)], strict=True)]
