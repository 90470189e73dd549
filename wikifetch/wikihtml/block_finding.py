"""Where in a wiki's HTML the tagged block is. Pure.

The wikitext's offsets are not in it, so the words decide: a block is found if exactly one unit of its kind has them.
"""

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from wikifetch.wikihtml.html_blocks import HtmlBlock, WrittenArticle

# A template may read differently on the wiki. A unit with the tag is the block if so many of the block's words, and
# so many of the unit's, are the other's too.
_MOST_OF_BLOCK, _MOST_OF_UNIT = 0.8, 0.5
_MOST_OF_SECTION = 0.6
# The wiki may have several units for a block, as below a hatnote or around a quotation: how much of it must be found,
# and how many letters and digits a line must have.
_MOST_OF_LINES, _SHORTEST = 0.6, 20

_NOT_A_SIGN = re.compile(r"[\W_]+")
_UNITS = {
    "paragraph": {"text"},
    "list item": {"item"},
    "table row": {"row", "caption"},
    "infobox field": {"cell"},
    "caption": {"caption"},
    "gallery": {"item", "caption"},
    "heading": {"heading"},
}


@dataclass(frozen=True)
class Sought:
    """A tagged block: its kind, its words, and for a banner's the heading above it ("" for the lead)."""

    kind: str
    text: str
    heading: str = ""


def find_block(article: WrittenArticle, sought: Sought) -> list[HtmlBlock]:
    """The units of the block in their order; none where it is not in the article exactly once."""
    if sought.kind in {"section", "lead"}:
        return _range(article, sought)
    text = sought.text
    if sought.kind == "infobox field":  # the wiki has a label of its own
        text = text.partition(": ")[2]
    finder = _Finder(article, _UNITS.get(sought.kind, set()))
    found = finder.one_with(text) or finder.those_with(text.splitlines())
    names = {name for block in found for name in block.notes}
    notes = [block for block in article.blocks if block.has_tag and block.name in names - {""}]
    return [_row_of(article, block) if block.kind == "cell" else block for block in found] + notes


class _Finder:
    """Finds units of some kinds by their words."""

    def __init__(self, article: WrittenArticle, kinds: set[str]) -> None:
        self._units = [
            (block, _signs(block.text)) for block in article.blocks if block.kind in kinds
        ]
        self._tagged_notes = {block.name for block in article.blocks if block.has_tag} - {""}

    def one_with(self, text: str) -> list[HtmlBlock]:
        """The only unit with these words; of several the only one with a tag in it or in a note of it."""
        signs = _signs(text)
        same = [unit for unit, own in self._units if own == signs] if signs else []
        if len(same) > 1:
            same = list(filter(self._shows_tag, same))
        elif signs and not same:
            words = _words(text)
            tagged = (unit for unit, _ in self._units if self._shows_tag(unit))
            same = [unit for unit in tagged if _is_like(_words(unit.text), words)]
        return same if len(same) == 1 else []

    def those_with(self, lines: list[str]) -> list[HtmlBlock]:
        """A unit for each line, where the wiki has several: those found once, if most of the block is in them."""
        signs = [own for own in map(_signs, lines) if len(own) >= _SHORTEST]
        found = [[unit for unit, own in self._units if own == line] for line in signs]
        once = [(same[0], line) for same, line in zip(found, signs, strict=True) if len(same) == 1]
        covered = sum(len(line) for _, line in once)
        is_enough = covered > _MOST_OF_LINES * len(_signs("".join(lines)))
        return [unit for unit, _ in once] if is_enough else []

    def _shows_tag(self, unit: HtmlBlock) -> bool:
        return unit.has_tag or not self._tagged_notes.isdisjoint(unit.notes)


def _is_like(unit: Counter[str], block: Counter[str]) -> bool:
    common = (unit & block).total()
    return common >= _MOST_OF_BLOCK * block.total() and common >= _MOST_OF_UNIT * unit.total()


def _range(article: WrittenArticle, sought: Sought) -> list[HtmlBlock]:
    """The units below the only heading of this text, up to the next of its level; or those above the first one."""
    headings = [block for block in article.blocks if block.kind == "heading"]
    start, end = -1, len(article.pieces)
    if sought.kind == "section":
        own = [block for block in headings if _signs(block.text) == _signs(sought.heading)]
        if len(own) != 1:
            return []
        start = own[0].at
        headings = [block for block in headings if block.at > start and block.level <= own[0].level]
    end = min((block.at for block in headings), default=end)
    units = [block for block in article.blocks if block.is_outermost and start < block.at < end]
    units = [block for block in units if block.kind != "heading"]
    wanted = _words(sought.text)
    common = (_words(article.text_between(start + 1, end)) & wanted).total()
    return units if wanted and common >= _MOST_OF_SECTION * wanted.total() else []


def _row_of(article: WrittenArticle, cell: HtmlBlock) -> HtmlBlock:
    """The row around the cell: not one of a table in an earlier cell, which has ended before."""
    rows = {block.at: block for block in article.blocks if block.kind == "row"}
    ended = 0
    for at in range(cell.at, -1, -1):
        if article.pieces[at].startswith("</tr"):
            ended += 1
        elif at in rows and not ended:
            return rows[at]
        ended -= at in rows
    raise LookupError("A cell without a row.")


def _signs(text: str) -> str:
    """Letters and digits alone: wikis write dashes, quotes and blanks in ways of their own."""
    return _NOT_A_SIGN.sub("", unicodedata.normalize("NFKC", text).casefold())


def _words(text: str) -> Counter[str]:
    return Counter(_NOT_A_SIGN.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())
