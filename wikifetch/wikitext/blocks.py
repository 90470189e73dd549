"""The smallest unit of an article that holds a tag. Pure.

It is a paragraph, a list item, a table row, an infobox field, a caption, a gallery's line or a heading; for a banner
the section or the lead (WikiContradict, section 3.1; the published paragraphs).
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from wikifetch.wikitext.braces import Braces, match_braces
from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.sections import Heading, heading_at, headings, section_around
from wikifetch.wikitext.table_rows import Tables, find_tables, row_around
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.unread import masked, unread_spans

_PIECES = re.compile(r"\{\{|\}\}|\[\[|\]\]|\|")
_LINK_ENDS = re.compile(r"\[\[|\]\]")
_GALLERY = re.compile(r"<gallery\b[^<>]*>|</gallery\s*>", re.IGNORECASE)
_NAMED = re.compile(rf"\|?[\s{FILL}]*+[^\s=|{{}}\[\]][^=|{{}}\[\]]*+=")
# Of templates over several lines, one in another around a tag: the innermost, and not over a page of such text.
_MOST_AROUND = 8
_MAX_TEMPLATE = 4 * MAX_BLOCK_CHARS
_MAX_BLANKS = 10_000
_MAX_ASIDE = 20_000  # characters of a note over several lines, or of a link to a file
_MOST_LINES = 1_000  # of a paragraph, above the tag and below


@dataclass(frozen=True)
class WikitextBlock:
    kind: str
    start: int
    end: int


class Spans(tuple[tuple[int, int], ...]):
    """Spans (start, end) in order, none over another."""

    __slots__ = ()

    def over(self, start: int, end: int) -> tuple[int, int] | None:
        """The last one that begins before `end`, if it reaches beyond `start`."""
        at = bisect_left(self, (end, 0)) - 1
        return self[at] if at >= 0 and self[at][1] > start else None


class Layout:
    """A page's wikitext with what is where in it, each computed once and only when asked for."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.masked = masked(raw)
        self._begins: dict[tuple[int, int], list[int]] = {}

    @cached_property
    def braces(self) -> Braces:
        return match_braces(self.masked)

    def parameter_around(self, template: tuple[int, int], position: int) -> tuple[int, int]:
        """Offsets of the parameter of a template that holds `position`, or of its name."""
        if template not in self._begins:
            self._begins[template] = [begin for begin, _ in parameters(self.masked, template)]
        begins = self._begins[template]
        at = bisect_right(begins, position) - 1
        return begins[at], begins[at + 1] if at + 1 < len(begins) else template[1] - 2

    @cached_property
    def headings(self) -> list[Heading]:
        return headings(self.masked, self.raw)

    @cached_property
    def tables(self) -> Tables:
        return find_tables(self.masked, [heading.start for heading in self.headings])

    @cached_property
    def long_templates(self) -> Spans:
        """Outermost templates over several lines."""
        newlines = [match.start() for match in re.finditer("\n", self.masked)]
        outermost: list[tuple[int, int]] = []
        for start, end in sorted(self.braces.templates):
            if outermost and start < outermost[-1][1]:
                continue
            at = bisect_right(newlines, start)
            if at < len(newlines) and newlines[at] < end:
                outermost.append((start, end))
        return Spans(outermost)

    @cached_property
    def standing_templates(self) -> Spans:
        """Those of them that begin a line: infoboxes, quotations and the like."""
        return Spans(
            [(a, b) for a, b in self.long_templates if a == 0 or self.masked[a - 1] == "\n"]
        )

    @cached_property
    def long_notes(self) -> Spans:
        """References over several lines, from the first to the last on a line: what is around is on one line."""
        joined: list[tuple[int, int]] = []
        for start, end in unread_spans(self.masked, ("ref", "references")):
            if end - start > _MAX_ASIDE or self.masked.find("\n", start, end) < 0:
                continue
            if joined and self.masked.find("\n", joined[-1][1], start) < 0:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((start, end))
        return Spans(joined)

    @cached_property
    def galleries(self) -> Spans:
        marks = [(m.span(), m.group()[1] != "/") for m in _GALLERY.finditer(self.masked)]
        return Spans(
            [(a[0], b[1]) for (a, opens), (b, again) in pairwise(marks) if opens and not again]
        )

    def line(self, start: int, end: int) -> tuple[int, int]:
        """The lines that a span is on, without the last newline; a newline in a note ends none."""
        begin, close = self.masked.rfind("\n", 0, start), self.masked.find("\n", end)
        while begin >= 0 and (note := self.long_notes.over(begin, begin)):
            begin = self.masked.rfind("\n", 0, note[0])
        while close >= 0 and (note := self.long_notes.over(close, close)):
            close = self.masked.find("\n", note[1])
        return begin + 1, len(self.masked) if close < 0 else close


def banner_block(layout: Layout, position: int) -> WikitextBlock:
    """The section below the nearest heading, or the lead."""
    start, end = section_around(layout.headings, position, len(layout.raw))
    first = layout.headings[0].start if layout.headings else len(layout.raw)
    return _stripped(layout, WikitextBlock("lead" if position < first else "section", start, end))


def inline_block(layout: Layout, start: int, end: int) -> WikitextBlock:
    """The smallest unit that holds the span."""
    holder = _after_templates(layout, _holder(layout, start, end), start)
    line = layout.line(start, end)
    line = (max(line[0], holder.start), min(line[1], holder.end))
    kind = _line_kind(layout, line, start)
    if kind in {"", "caption"} and (link := _file_link(layout, line, (start, end))):
        return WikitextBlock("caption", *link)
    if kind and line != (holder.start, holder.end):
        return _stripped(layout, WikitextBlock(kind, *line))
    if holder.kind in {"table row", "infobox field"}:
        return _stripped(layout, holder)
    return _stripped(layout, WikitextBlock("paragraph", *_paragraph(layout, holder, line)))


def parameters(masked: str, template: tuple[int, int]) -> list[tuple[int, int]]:
    """Offsets of a template's name and of each parameter, from its bar to before the next."""
    depth, begins = 0, [template[0] + 2]
    for piece in _PIECES.finditer(masked, template[0] + 2, template[1] - 2):
        if piece.group() != "|":
            depth += 1 if piece.group() in {"{{", "[["} else -1
        elif depth <= 0:
            begins.append(piece.start())
    return list(pairwise([*begins, template[1] - 2]))


def _holder(layout: Layout, start: int, end: int) -> WikitextBlock:
    """The innermost table row or parameter of a standing template around the span, or the whole page."""
    candidates = [WikitextBlock("page", 0, len(layout.raw))]
    if row := row_around(layout.tables.rows, start):
        candidates.append(WikitextBlock("table row", row.start, row.end))
    for template in _templates_around(layout, start, end):
        field = layout.parameter_around(template, start)
        if _is_field(layout.masked, field):
            candidates.append(WikitextBlock("infobox field", *field))
        elif template in layout.standing_templates and layout.masked[field[0]] == "|":
            candidates.append(WikitextBlock("parameter", field[0] + 1, field[1]))
    return min(candidates, key=lambda block: block.end - block.start)


def _templates_around(layout: Layout, start: int, end: int) -> list[tuple[int, int]]:
    """The innermost templates over several lines that hold the span."""
    around = layout.braces.around(start, end)
    over_lines = (
        (a, b) for a, b in around if b - a <= _MAX_TEMPLATE and layout.masked.find("\n", a, b) >= 0
    )
    return list(islice(over_lines, _MOST_AROUND))


def _is_field(masked: str, field: tuple[int, int]) -> bool:
    """Whether a parameter is named and has a line of its own."""
    before = masked[max(0, field[0] - _MAX_BLANKS) : field[0]]
    line_before = before.rstrip(f" \t{FILL}")[-1:] == "\n"
    line_after = masked[field[0] : field[0] + 80].lstrip(f"| \t{FILL}")[:1] == "\n"
    return (line_before or line_after) and bool(_NAMED.match(masked, *field))


def _line_kind(layout: Layout, line: tuple[int, int], position: int) -> str:
    text = layout.masked[slice(*line)]
    if text[:1] in {"*", "#", ":", ";"}:
        return "list item"
    if layout.galleries.over(position, position + 1):
        return "gallery"
    if _has_only_files(text):
        return "caption"
    if text[:1] == "=" and heading_at(layout.headings, position):
        return "heading"
    return ""


def _has_only_files(line: str) -> bool:
    """Whether links to files are all that is on a line; the words next to one are a paragraph's."""
    depth = end = 0
    for mark in _LINK_ENDS.finditer(line):
        if mark.group() == "[[":
            if depth == 0 and (
                line[end : mark.start()].strip(" \t]")
                or not spoken().file_link.match(line, mark.start())
            ):
                return False
            depth += 1
        elif depth:
            depth, end = depth - 1, mark.end()
    return end > 0 == depth and not line[end:].strip(" \t]")


def _file_link(
    layout: Layout, line: tuple[int, int], span: tuple[int, int]
) -> tuple[int, int] | None:
    """The innermost link to a file on these lines that holds the span: its caption is the unit."""
    first, last = max(line[0], span[0] - _MAX_ASIDE), min(line[1], span[1] + _MAX_ASIDE)
    if not spoken().file_link.search(layout.masked, first, span[0]):
        return None
    opened: list[int] = []
    for mark in _LINK_ENDS.finditer(layout.masked, first, last):
        if mark.group() == "[[":
            opened.append(mark.start())
        elif opened:
            begin = opened.pop()
            if (
                begin <= span[0]
                and mark.end() >= span[1]
                and spoken().file_link.match(layout.masked, begin)
            ):
                return begin, mark.end()
    return None


def _after_templates(layout: Layout, holder: WikitextBlock, position: int) -> WikitextBlock:
    """The holder cut to begin after a standing template that ends on the line of `position`."""
    line_start = layout.masked.rfind("\n", 0, position) + 1
    before = layout.standing_templates.over(line_start, position)
    start = before[1] if before and before[1] <= position else 0
    return WikitextBlock(holder.kind, max(holder.start, start), holder.end)


def _paragraph(layout: Layout, holder: WikitextBlock, line: tuple[int, int]) -> tuple[int, int]:
    start, end = line
    apart = Spans([t for t in layout.standing_templates if t[1] <= start or t[0] >= end])
    for _ in range(_MOST_LINES):
        if start <= max(holder.start, line[0] - MAX_BLOCK_CHARS):
            break
        above = layout.line(start - 1, start - 1)
        above = (max(above[0], holder.start), above[1])
        if not _continues(layout, above, apart):
            break
        start = above[0]
    for _ in range(_MOST_LINES):
        if end >= min(holder.end, line[1] + MAX_BLOCK_CHARS):
            break
        below = layout.line(end + 1, end + 1)
        below = (below[0], min(below[1], holder.end))
        if not _continues(layout, below, apart):
            break
        end = below[1]
    return start, end


def _continues(layout: Layout, line: tuple[int, int], apart: Spans) -> bool:
    """Whether a line belongs to the paragraph next to it."""
    text = layout.masked[slice(*line)]
    if (
        not text.strip()
        or text[:2] in {"{|", "|}", "|-", "|+"}
        or _line_kind(layout, line, line[0])
    ):
        return False
    return apart.over(*line) is None


def _stripped(layout: Layout, block: WikitextBlock) -> WikitextBlock:
    text = layout.raw[block.start : block.end]
    start = block.start + len(text) - len(text.lstrip())
    return WikitextBlock(block.kind, start, max(start, block.start + len(text.rstrip())))
