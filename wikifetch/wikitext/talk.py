"""A talk page's sections, those that speak of a contradiction first. Pure.

The reason of a tag is often only there (WikiContradict, section 3.1). Sections are recognised by words: those of
contradiction, of the tag's reason, and of the heading above the tag.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wikifetch.wikitext.limits import too_long
from wikifetch.wikitext.positions.unread import masked, unread_spans
from wikifetch.wikitext.sections import headings

MAX_HEADINGS = 2_000  # a page of more is read as one piece: no talk page is so long

_SPEAKS = re.compile(
    r"\b(?:(?:self-)?contradict\w*|inconsisten\w*|discrepan\w*|conflict(?:s|ing)?\b|disagree\w*|mismatch\w*"
    r"|does(?:n.t| not) (?:match|agree|add up)|which (?:one )?is (?:right|correct|true))",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]{4,}|\d{2,}")
_COMMON = frozenset({
    "that", "this", "with", "from", "have", "were", "been", "they", "there", "their", "which", "article", "section",
    "says", "said", "also", "than", "then", "when", "what", "where", "about", "other", "being", "does", "more", "only",
    "some", "such", "into", "could", "would", "should",
})  # fmt: skip


@dataclass(frozen=True)
class TalkSection:
    """A section of a talk page: its heading ("" above the first), its wikitext, whether it is to the point."""

    heading: str
    wikitext: str
    to_the_point: bool


def talk_sections(wikitext: str, hints: Iterable[str] = ()) -> list[TalkSection]:
    """The sections of the highest level, the most to the point first, else in the page's order.

    `hints` are the tag's reason, the heading above it and the like. A page over the limits comes in one piece.
    """
    if too_long(wikitext):
        return [TalkSection("", wikitext, False)]
    wanted = words_of_hints(hints)
    parts = list(_parts(wikitext))
    scores = [_score(f"{heading} {text}", wanted) for heading, text in parts]
    order = sorted(range(len(parts)), key=lambda index: (-scores[index], index))
    return [TalkSection(*parts[index], scores[index] > 0) for index in order]


def words_of_hints(hints: Iterable[str]) -> frozenset[str]:
    words = (word.casefold() for hint in hints for word in _WORD.findall(hint))
    return frozenset(words) - _COMMON


def _parts(wikitext: str) -> Iterable[tuple[str, str]]:
    above = headings(masked(wikitext, unread_spans(wikitext)), wikitext)
    if len(above) > MAX_HEADINGS:
        above = []
    top = min((heading.level for heading in above), default=2)
    starts = [heading for heading in above if heading.level == top]
    lead = wikitext[: starts[0].start if starts else len(wikitext)].strip()
    if lead:
        yield "", lead
    ends = [*(heading.start for heading in starts[1:]), len(wikitext)]
    for heading, end in zip(starts, ends[: len(starts)], strict=True):
        yield heading.text, wikitext[heading.end : end].strip()


def _score(text: str, wanted: frozenset[str]) -> int:
    """0 for a section that is not to the point; one shared word with the hints is chance."""
    shared = len(wanted & {word.casefold() for word in _WORD.findall(text)})
    speaks = len(_SPEAKS.findall(text))
    return min(speaks, 5) + (shared if shared > 1 or speaks else 0)
