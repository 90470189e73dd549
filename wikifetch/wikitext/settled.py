"""Wikitext in which the tree parser finds what a wiki does. Pure, linear."""

import re
from collections import Counter
from collections.abc import Iterator

from wikifetch.wikitext.positions.braces import match_braces
from wikifetch.wikitext.positions.spans import Nesting, Span
from wikifetch.wikitext.positions.unread import masked, reading_of
from wikifetch.wikitext.tag_names import FILL

_BAR = "{{!}}"
_IGNORED = re.compile(r"</?(?:no|only)include\s*/?>", re.IGNORECASE)
_INDENTED_TABLE = re.compile(r"^:+(?=\s*\{\|)", re.MULTILINE)
_CAPTION = re.compile(r"^[ \t]*\|\+", re.MULTILINE)
_TAG = re.compile(r"<(/?)([a-z]+[1-6]?)\b[^<>]*?(/?)>", re.IGNORECASE)


def settled(wikitext: str) -> str:
    """With a FILL in what is text to a wiki, not markup; {{!}} outside of templates is a bar, a caption a row.

    Text are openings of templates that do not close, and ends of elements that did not begin in the same note.
    """
    if not any(mark in wikitext for mark in ("{{", "</", "{|", "|+", "include")):
        return wikitext
    reading = reading_of(wikitext)
    read = masked(wikitext, reading.unread)
    apart = [span for _, span in reading.apart]
    braces = match_braces(read, apart)
    changes = [
        (at, at + 1, "{" + FILL)
        for run in braces.unclosed
        for at in range(*run)
        if wikitext[at] == "{"
    ]
    changes += [(at, at + 1, "<" + FILL) for at in _stray_ends(read, apart)]
    if _BAR in wikitext:
        outer = Nesting(braces.templates).directly_in(None)
        changes += [(*span, "|") for span in outer if wikitext[slice(*span)] == _BAR]
    changes += [(*mark.span(), "") for mark in _IGNORED.finditer(wikitext)]
    changes += [(*mark.span(), "") for mark in _INDENTED_TABLE.finditer(read)]
    changes += _captions(read, Nesting([*apart, *braces.templates]))
    parts: list[str] = []
    kept = 0
    for start, end, words in sorted(changes):
        parts += (wikitext[kept:start], words)
        kept = end
    return "".join((*parts, wikitext[kept:]))


def _captions(read: str, nesting: Nesting) -> Iterator[tuple[int, int, str]]:
    """The tree parser does not know that of a table."""
    for mark in _CAPTION.finditer(read):
        end = read.find("\n", mark.end())
        while end >= 0 and nesting.innermost(end) and not nesting.innermost(mark.start()):
            end = read.find("\n", next(iter(nesting.around(end, end)))[1])
        end = len(read) if end < 0 else end
        yield *mark.span(), "|-\n|"
        yield end, end, "\n|-"


def _stray_ends(read: str, apart: list[Span]) -> Iterator[int]:
    around = Nesting(apart)
    opened: Counter[tuple[Span | None, str]] = Counter()
    for tag in _TAG.finditer(read):
        within = around.over(tag.start())
        if within and within[1] == tag.end():
            continue  # its own end
        element = within, tag[2].lower()
        if not tag[1]:
            opened[element] += not tag[3]
        elif opened[element]:
            opened[element] -= 1
        else:
            yield tag.start()
