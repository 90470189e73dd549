"""What a wiki does not read as wikitext, blanked at equal length so that offsets stay. Pure."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from wikifetch.wikitext.tag_names import FILL

UNREAD = ("nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce", "includeonly")
APART = ("ref", "references", "gallery", "poem", "imagemap", "indicator")
# Marks of what a template gives to other pages; an article is read as if they were not there.
_IGNORED = {"noinclude", "/noinclude", "onlyinclude", "/onlyinclude"}
_PREFORMATTED = {"pre", "syntaxhighlight", "source"}

Span = tuple[int, int]


@dataclass
class Reading:
    """Spans of comments and unread elements, none in another; name and span of what is read by itself, in order."""

    unread: list[Span] = field(default_factory=list)
    apart: list[tuple[str, Span]] = field(default_factory=list)
    preformatted: list[Span] = field(default_factory=list)  # of those unread


def reading_of(
    text: str, elements: tuple[str, ...] = UNREAD, apart: tuple[str, ...] = APART
) -> Reading:
    """In linear time: an element that is in itself ends where its first end is, so that none is read twice as deep.

    As in MediaWiki, an unclosed comment or includeonly runs to the end and another unclosed element is text.
    """
    reading = Reading()
    _read(reading, text, 0, len(text), elements, apart)
    return reading


def masked(text: str, unread: list[Span]) -> str:
    """`text` with as many FILL characters in place of these spans."""
    parts: list[str] = []
    kept = 0
    for start, end in unread:
        parts += (text[kept:start], FILL * (end - start))
        kept = end
    return "".join((*parts, text[kept:])) if parts else text


def unread_spans(text: str, elements: tuple[str, ...] = UNREAD) -> list[Span]:
    """Start and end of each comment and each whole element, in order, none inside another."""
    return reading_of(text, elements, ()).unread


def _read(
    reading: Reading, text: str, position: int, end: int, elements: tuple[str, ...], apart: tuple[str, ...]
) -> None:  # fmt: skip
    opening = _opening(elements + apart)
    never_closed: set[str] = set()
    while match := opening.search(text, position, end):
        position = match.end()
        if match[1] is None:
            close = text.find("-->", position, end)
            position = end if close < 0 else close + 3
            reading.unread.append((match.start(), position))
            continue
        name = match[1].lower()
        if name in _IGNORED:
            reading.unread.append(match.span())
            continue
        if match[2].endswith("/") or name in never_closed:
            continue
        closing = _closing(name).search(text, position, end)
        if closing is None and name != "includeonly":
            never_closed.add(name)
            continue
        inner, position = position, closing.end() if closing else end
        if name in elements:
            reading.unread.append((match.start(), position))
            if name in _PREFORMATTED:
                reading.preformatted.append(reading.unread[-1])
        elif closing:
            reading.apart.append((name, (match.start(), position)))
            _read(reading, text, inner, closing.start(), elements, apart)


@lru_cache(maxsize=16)
def _opening(elements: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"<!--|<({'|'.join(elements)}|/?(?:no|only)include)(?=[\s/>])([^<>]*)>", re.IGNORECASE
    )


@lru_cache(maxsize=32)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}\s*>", re.IGNORECASE)
