"""Where in a wiki's HTML the tagged block is. Pure.

Where the HTML names the tag's template, the unit around that is the block (see calls). Else the words decide, as the
wikitext's offsets are not in it: a block is found if exactly one unit of its kind has them.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass

from wikifetch.wikihtml.calls import TagCall, place_of
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
    "note": {"note"},
    "list": {"item"},
    "table": {"row", "caption"},
}
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class Sought:
    """A tagged passage: its kind, its words, and for a banner's the heading above it ("" for the lead).

    The tag is the one with this `number`, from 0, `among` the tags that speak of it; `is_apart`: it is on its own, and
    speaks of the unit before. `same` is the number of this passage among those with tags and these words, and how many
    there are; `same_heading` says that of the heading. `call` is how the wikitext calls the tag's template.
    """

    kind: str
    text: str
    heading: str = ""
    number: int = 0
    among: int = 1
    is_apart: bool = False
    same: tuple[int, int] = (0, 1)
    same_heading: tuple[int, int] = (0, 1)
    call: TagCall | None = None


def find_block(article: WrittenArticle, sought: Sought) -> list[HtmlBlock]:
    """The units of the passage in their order; none where it is not in the article exactly once."""
    if sought.kind in {"section", "lead"}:
        return _range(article, sought)
    place = place_of(article, sought.call) if sought.call else None
    found = _by_words(article, sought, place)
    around = [] if place is None or sought.is_apart else _around(article, sought, place)
    return found if around == [] or around[0] in found else around


def _around(article: WrittenArticle, sought: Sought, place: int) -> list[HtmlBlock]:
    """The innermost unit of its kind that a place is in, or what is before one without words.

    Where several calls are equal, only if it has the words too.
    """
    kinds, wanted = _UNITS.get(sought.kind, set()) - {"cell"}, _words(sought.text)
    units = [b for b in article.blocks if b.at <= place < b.end and b.kind in kinds][-1:]
    if units and not _signs(units[0].text):
        return _units_before(_outermost(article), place, {*kinds, "caption"}, wanted)
    assert sought.call is not None
    is_sure = sought.call.among == 1 or (units and _is_like(_words(units[0].text), wanted))
    return units if is_sure else []


def _by_words(article: WrittenArticle, sought: Sought, place: int | None) -> list[HtmlBlock]:
    text = sought.text
    if sought.kind == "infobox field":  # the wiki has a label of its own
        text = text.partition(": ")[2]
    kinds = _UNITS.get(sought.kind, set())
    units = [block for block in article.blocks if block.kind in kinds]
    finder = _Finder(units, sought.same)
    if sought.is_apart:
        found = _run(article, kinds, text, place)
    else:
        runs = _equal_runs(article, kinds, text)
        found = finder.one_with(text) or (runs[0] if len(runs) == 1 else finder.one_like(text))
    found = found or finder.those_with(text.splitlines())
    if not found and sought.kind == "infobox field":
        return _row_with(article, text)
    return [_row_of(article, block) if block.kind == "cell" else block for block in found]


def find_tag(article: WrittenArticle, blocks: list[HtmlBlock], sought: Sought) -> int | None:
    """Where in its pieces the tag begins; None where the article shows more tags there, or fewer, than are sought."""
    if sought.call and (place := place_of(article, sought.call)) is not None:
        following = min((at for at, _ in article.made if at > place), default=len(article.pieces))
        own = [at for at in article.tags if place <= at < following]
        if len(own) == 1:
            return own[0]
    first, last = blocks[0].at, max(block.end for block in blocks)
    if sought.kind in {"section", "lead"}:
        headings = (b.at for b in article.blocks if b.kind == "heading" and b.at < first)
        shown = [at for at in article.tags if max(headings, default=-1) < at < last]
        shown = [at for at in shown if article.is_banner(at)]
    else:
        shown = sorted({at for block in blocks for at in block.tags})
        shown = shown or _alone(article, first, last)
    return shown[sought.number] if len(shown) == sought.among else None


def _alone(article: WrittenArticle, first: int, last: int) -> list[int]:
    """The tags on their own right after these pieces, else right before them."""
    others = [block for block in article.blocks if _signs(block.text)]
    after = min((block.at for block in others if block.at >= last), default=len(article.pieces))
    before = max((block.end for block in others if block.end <= first), default=0)
    return [at for at in article.tags if last <= at < after] or [
        at for at in article.tags if before <= at < first
    ]


class _Finder:
    """Finds units by their words."""

    def __init__(self, units: list[HtmlBlock], same: tuple[int, int]) -> None:
        self._units = [(block, _signs(block.text)) for block in units]
        self._same = same

    def one_with(self, text: str) -> list[HtmlBlock]:
        """The only unit with these words; of several with a tag in them the one that is meant."""
        signs = _signs(text)
        same = [unit for unit, own in self._units if own == signs] if signs else []
        return self._meant([unit for unit in same if unit.has_tag] if len(same) > 1 else same)

    def one_like(self, text: str) -> list[HtmlBlock]:
        """The unit with a tag that has most of these words."""
        words = _words(text)
        tagged = [unit for unit, _ in self._units if words and unit.has_tag]
        return self._meant([unit for unit in tagged if _is_like(_words(unit.text), words)])

    def _meant(self, same: list[HtmlBlock]) -> list[HtmlBlock]:
        number, among = self._same
        return same[number : number + 1] if len(same) == among else same * (len(same) == 1)

    def those_with(self, lines: list[str]) -> list[HtmlBlock]:
        """A unit for each line, where the wiki has several: those found once, if most of the block is in them."""
        signs = [own for own in map(_signs, lines) if len(own) >= _SHORTEST]
        found = [[unit for unit, own in self._units if own == line] for line in signs]
        once = [(same[0], line) for same, line in zip(found, signs, strict=True) if len(same) == 1]
        covered = sum(len(line) for _, line in once)
        is_enough = covered > _MOST_OF_LINES * len(_signs("".join(lines)))
        return [unit for unit, _ in once] if is_enough else []


def _row_with(article: WrittenArticle, text: str) -> list[HtmlBlock]:
    """The only innermost row with a tag that has these words among others, as of a template's table."""
    rows = [block for block in article.blocks if block.kind == "row" and block.has_tag]
    rows = [row for row in rows if not any(row.at < other.at < row.end for other in rows)]
    found = [row for row in rows if text and _signs(text) in _signs(row.text)]
    return found if len(found) == 1 else []


def _run(article: WrittenArticle, kinds: Set[str], text: str, place: int | None) -> list[HtmlBlock]:
    """The only units one after another that have these words; of several, and else, those before the tag on its own."""
    units = _outermost(article)
    alone = [block.at for block in article.blocks if block.has_tag and not _signs(block.text)]
    runs = _equal_runs(article, kinds, text)
    alone = alone if place is None else [place]
    if len(runs) != 1:
        before = [_units_before(units, at, kinds, _words(text)) for at in alone]
        runs = [run for n, run in enumerate(before) if run and run not in before[:n]]
    return runs[0] if len(runs) == 1 else []


def _outermost(article: WrittenArticle) -> list[HtmlBlock]:
    return [block for block in article.blocks if block.is_outermost and _signs(block.text)]


def _equal_runs(article: WrittenArticle, kinds: Set[str], text: str) -> list[list[HtmlBlock]]:
    """Units one after another that have these words in all."""
    units, signs = _outermost(article), _signs(text)
    own = [_signs(unit.text) if unit.kind in kinds else "" for unit in units]
    runs, steps = [], 0
    for first in range(len(units)):
        at, said = first, 0
        while at < len(units) and own[at] and signs.startswith(own[at], said):
            at, said, steps = at + 1, said + len(own[at]), steps + 1
        if signs and said == len(signs):
            runs.append(units[first:at])
        if steps > _MOST_STEPS:
            break
    return runs


def _units_before(
    units: list[HtmlBlock], at: int, kinds: Set[str], wanted: Counter[str]
) -> list[HtmlBlock]:
    """Those right before a place that have most of these words, none of them much else."""
    run: list[HtmlBlock] = []
    left = wanted.copy()
    for unit in reversed(units[: bisect_left(units, at, key=lambda unit: unit.at)]):
        words = _words(unit.text)
        if unit.kind not in kinds or (words & left).total() < _MOST_OF_UNIT * words.total():
            break
        run.insert(0, unit)
        left -= words
    found = wanted.total() - left.total()
    return run if wanted and found >= _MOST_OF_BLOCK * wanted.total() else []


def _is_like(unit: Counter[str], block: Counter[str]) -> bool:
    common = (unit & block).total()
    return common >= _MOST_OF_BLOCK * block.total() and common >= _MOST_OF_UNIT * unit.total()


def _range(article: WrittenArticle, sought: Sought) -> list[HtmlBlock]:
    """The units below the heading of this text, up to the next of its level; or those above the first one.

    Of several, it is the one whose number the wikitext gives.
    """
    headings = [block for block in article.blocks if block.kind == "heading"]
    start, end = -1, len(article.pieces)
    if sought.kind == "section":
        wanted_heading, (number, among) = _signs(sought.heading), sought.same_heading
        own = [block for block in headings if _signs(block.text) == wanted_heading]
        if len(own) != among:
            return []
        start, level = own[number].at, own[number].level
        headings = [block for block in headings if block.at > start and block.level <= level]
    end = min((block.at for block in headings), default=end)
    units = [block for block in article.blocks if block.is_outermost and start < block.at < end]
    units = [block for block in units if block.kind != "heading"]
    wanted = _words(sought.text)
    common = (_words(article.text_between(start + 1, end)) & wanted).total()
    return units if wanted and common >= _MOST_OF_SECTION * wanted.total() else []


def _row_of(article: WrittenArticle, cell: HtmlBlock) -> HtmlBlock:
    """The innermost row around the cell."""
    rows = [block for block in article.blocks if block.kind == "row"]
    return [row for row in rows if row.at < cell.at < row.end][-1]


def _signs(text: str) -> str:
    """Letters and digits alone: wikis write dashes, quotes and blanks in ways of their own."""
    return _NOT_A_SIGN.sub("", unicodedata.normalize("NFKC", text).casefold())


def _words(text: str) -> Counter[str]:
    return Counter(_NOT_A_SIGN.sub(" ", unicodedata.normalize("NFKC", text).casefold()).split())
