"""Readable text without a tree parser: for headings, and for blocks too hostile to parse. Pure, linear."""

import html
import re

from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.positions.unread import unread_spans

_REMOVED = (re.compile(r"<[^<>]{0,500}>"), re.compile(r"\{\{[^{}]{0,2000}\}\}"))
_LINK = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{0,1000})\]\]")
_OUTER_LINK = re.compile(r"\[[a-z]{3,6}://[^\s\[\]]{0,1000} ?([^\[\]]{0,1000})\]")
_QUOTES = re.compile(r"'{2,}")
_SPACES = re.compile(r"[ \t]+")


def plain_text(wikitext: str) -> str:
    """The words of a text: references, templates, files and markup left out, links by their label."""
    text = without_spans(wikitext, unread_spans(wikitext, ("ref",)))
    for pattern in (*_REMOVED, spoken().whole_link):
        text = pattern.sub("", text)
    text = _OUTER_LINK.sub(r"\1", _LINK.sub(r"\1", text))
    return tidy(html.unescape(_QUOTES.sub("", text)))


def without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    parts, kept = [], 0
    for start, end in spans:
        parts.append(text[kept:start])
        kept = end
    return "".join((*parts, text[kept:]))


def tidy(text: str) -> str:
    """Runs of blanks to one, no blank at the ends of lines, at most one empty line between others."""
    lines = [_SPACES.sub(" ", line.replace("\u00a0", " ")).strip() for line in text.split("\n")]
    kept = [line for n, line in enumerate(lines) if line or (n and lines[n - 1])]
    return "\n".join(kept).strip()
