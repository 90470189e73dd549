"""Blanking what a wiki does not read as wikitext, at equal length, so that offsets stay. Pure."""

import re

from wikifetch.wikitext.tag_names import FILL

UNREAD = ("nowiki", "pre", "syntaxhighlight", "source", "math", "chem", "ce", "includeonly")


def masked(text: str, elements: tuple[str, ...] = UNREAD) -> str:
    """`text` with comments and these elements replaced by as many FILL characters, in linear time.

    As in MediaWiki, an unclosed comment or includeonly runs to the end and another unclosed element is text. Captions
    of galleries are kept.
    """
    parts: list[str] = []
    kept = 0
    for start, end in unread_spans(text, elements):
        parts += (text[kept:start], FILL * (end - start))
        kept = end
    return "".join((*parts, text[kept:])) if parts else text


def unread_spans(text: str, elements: tuple[str, ...] = UNREAD) -> list[tuple[int, int]]:
    """Start and end of each comment and each whole element, in order, none inside another."""
    opening = re.compile(rf"<!--|<({'|'.join(elements)})\b([^<>]*)>", re.IGNORECASE)
    spans: list[tuple[int, int]] = []
    never_closed: set[str] = set()
    position = 0
    while match := opening.search(text, position):
        position = match.end()
        if match.group(1) is None:
            close = text.find("-->", position)
            position = len(text) if close < 0 else close + 3
        else:
            name = match.group(1).lower()
            if match.group(2).endswith("/") or name in never_closed:
                continue
            closing = re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, position)
            if closing is None and name != "includeonly":
                never_closed.add(name)
                continue
            position = closing.end() if closing else len(text)
        spans.append((match.start(), position))
    return spans
