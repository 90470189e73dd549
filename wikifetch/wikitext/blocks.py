"""The smallest unit of an article that holds a tag. Pure.

It is a paragraph, a list item, a table row, an infobox field, a caption, a gallery's line or a heading; for a banner
the section or the lead (WikiContradict, section 3.1; the published paragraphs).
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise

from wikifetch.wikitext.braces import Braces, match_braces
from wikifetch.wikitext.html_units import HtmlUnit, html_units
from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.limits import MAX_BLOCK_CHARS
from wikifetch.wikitext.sections import Heading, heading_at, headings, section_around
from wikifetch.wikitext.spans import Nesting, Span, Spans
from wikifetch.wikitext.table_rows import Tables, find_tables, row_around
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.templates.words import is_inline, is_note
from wikifetch.wikitext.unread import masked, unread_spans

_PIECES = re.compile(r"\{\{|\}\}|\[\[|\]\]|\|")
_LINK = re.compile(r"\[\[[^\n\[\]{}|]+\|")
_LINK_ENDS = re.compile(r"\[\[|\]\]")
_GALLERY = re.compile(r"<gallery\b[^<>]*>|</gallery\s*>", re.IGNORECASE)
_NAMED = re.compile(rf"\|?[\s{FILL}]*+[^\s=|{{}}\[\]][^=|{{}}\[\]]*+=")
# Of templates over several lines, one in another around a tag: the outermost, and not over a page of such text.
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


class Layout:
    """A page's wikitext with what is where in it, each computed once and only when asked for."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.masked = masked(raw)
        self._begins: dict[tuple[int, int], list[int]] = {}
        self._whole: dict[Span | None, Spans] = {}

    @cached_property
    def braces(self) -> Braces:
        return match_braces(self.masked, self.notes)

    def parameter_around(self, template: tuple[int, int], position: int) -> tuple[int, int]:
        """Offsets of the parameter of a template that holds `position`, or of its name."""
        if template not in self._begins:
            self._begins[template] = [begin for begin, _ in parameters(self.masked, template)]
        begins = self._begins[template]
        at = bisect_right(begins, position) - 1
        return begins[at], begins[at + 1] if at + 1 < len(begins) else template[1] - 2

    @cached_property
    def headings(self) -> list[Heading]:
        every = headings(self.masked, self.raw)
        return [heading for heading in every if not self.long.innermost(heading.start)]

    @cached_property
    def tables(self) -> Tables:
        starts = [heading.start for heading in self.headings]
        return find_tables(self.masked, starts, self.long.innermost)

    @cached_property
    def html_units(self) -> list[HtmlUnit]:
        return html_units(self.masked)

    @cached_property
    def notes(self) -> Spans:
        return Spans(unread_spans(self.masked, ("ref", "references")))

    @cached_property
    def long(self) -> Nesting:
        """Templates, notes and links over several lines."""
        sized = chain(
            ((span, _MAX_ASIDE) for span in self.notes),
            ((span, _MAX_ASIDE) for span in self.braces.links if _LINK.match(self.masked, *span)),
            ((span, _MAX_TEMPLATE) for span in self.braces.templates),
        )
        newlines = [match.start() for match in re.finditer("\n", self.masked)]
        return Nesting(
            span
            for span, most in sized
            if span[1] - span[0] <= most
            and bisect_left(newlines, span[0]) < bisect_left(newlines, span[1])
        )

    def whole_in(self, within: Span | None) -> Spans:
        """Of the long ones directly in one, or of all: from the first to the last on a line."""
        if within not in self._whole:
            joined: list[Span] = []
            for span in self.long.directly_in(within):
                if joined and self.masked.find("\n", joined[-1][1], span[0]) < 0:
                    joined[-1] = (joined[-1][0], span[1])
                else:
                    joined.append(span)
            self._whole[within] = Spans(joined)
        return self._whole[within]

    @cached_property
    def standing_templates(self) -> Spans:
        """The outermost over several lines that begin one and are part of no sentence: infoboxes, quotations, …"""
        return Spans([span for span in self.long.directly_in(None) if self.stands(span)])

    def stands(self, span: Span) -> bool:
        begins = span[0] == 0 or self.masked[span[0] - 1] == "\n"
        return begins and self.masked.startswith("{{", span[0]) and not is_inline(self.name(span))

    def name(self, template: Span) -> str:
        return (
            self.masked[template[0] + 2 : template[1] - 2].partition("|")[0].strip(f" \n\t{FILL}")
        )

    @cached_property
    def galleries(self) -> Spans:
        marks = [(m.span(), m.group()[1] != "/") for m in _GALLERY.finditer(self.masked)]
        return Spans(
            [(a[0], b[1]) for (a, opens), (b, again) in pairwise(marks) if opens and not again]
        )

    def line(self, start: int, end: int, within: Span | None = None) -> Span:
        """The lines that a span is on, without the last newline.

        A newline ends none in a template, note or link that is in `within`, one over several lines, or in none.
        """
        whole = self.whole_in(within)
        begin, close = self.masked.rfind("\n", 0, start), self.masked.find("\n", end)
        while begin >= 0 and (span := whole.over(begin, begin)):
            begin = self.masked.rfind("\n", 0, span[0])
        while close >= 0 and (span := whole.over(close, close)):
            close = self.masked.find("\n", span[1])
        return begin + 1, len(self.masked) if close < 0 else close


def banner_block(layout: Layout, position: int) -> WikitextBlock:
    """The section below the nearest heading, or the lead."""
    start, end = section_around(layout.headings, position, len(layout.raw))
    first = layout.headings[0].start if layout.headings else len(layout.raw)
    return _stripped(layout, WikitextBlock("lead" if position < first else "section", start, end))


def inline_block(layout: Layout, start: int, end: int) -> WikitextBlock:
    """The smallest unit that holds the span; it begins and ends in no template, note or link that does not hold it."""
    opened, fields = _opened(layout, start, end)
    within = opened[-1] if opened else None
    line = layout.line(start, end, within)
    holder = _after_templates(layout, _holder(layout, start, within, fields), line[0], start)
    line = (max(line[0], holder.start), min(line[1], holder.end))
    kind = _line_kind(layout, line, start)
    if kind in {"", "caption"} and (link := _file_link(layout, line, (start, end))):
        return WikitextBlock("caption", *link)
    if kind and line != (holder.start, holder.end):
        return _stripped(layout, WikitextBlock(kind, *line))
    if holder.kind in {"list item", "table row", "infobox field"}:
        return _stripped(layout, holder)
    paragraph = _paragraph(layout, holder, line, within)
    return _stripped(layout, WikitextBlock("paragraph", *paragraph))


def parameters(masked: str, template: tuple[int, int]) -> list[tuple[int, int]]:
    """Offsets of a template's name and of each parameter, from its bar to before the next."""
    depth, begins = 0, [template[0] + 2]
    for piece in _PIECES.finditer(masked, template[0] + 2, template[1] - 2):
        if piece.group() != "|":
            depth += 1 if piece.group() in {"{{", "[["} else -1
        elif depth <= 0:
            begins.append(piece.start())
    return list(pairwise([*begins, template[1] - 2]))


def value_begin(masked: str, parameter: Span) -> int:
    """Where a template's parameter has its value: after its bar, or its name."""
    named = _NAMED.match(masked, *parameter)
    return named.end() if named else parameter[0] + 1


def _opened(layout: Layout, start: int, end: int) -> tuple[list[Span], list[WikitextBlock]]:
    """The templates around a span that hold units of their own, outermost first, and their parameters that hold it."""
    opened: list[Span] = []
    fields: list[WikitextBlock] = []
    around = list(layout.long.around(start, end))
    for template in islice(reversed(around), _MOST_AROUND):
        field = _field_around(layout, template, start)
        if field is None:
            break
        opened.append(template)
        fields.append(field)
    return opened, fields


def _field_around(layout: Layout, template: Span, position: int) -> WikitextBlock | None:
    """The parameter that holds the position; None where its lines are no units: in notes, links, sentences."""
    if layout.masked[template[0]] != "{" or is_note(layout.name(template)):
        return None
    field = layout.parameter_around(template, position)
    if layout.masked[field[0]] != "|":
        return None
    in_sentence = is_inline(layout.name(template))
    if not in_sentence and _is_field(layout.masked, field):
        return WikitextBlock("infobox field", *field)
    value = layout.masked[value_begin(layout.masked, field) : field[1]]
    if value.lstrip(f" \t{FILL}")[:1] == "\n" or layout.stands(template):
        return WikitextBlock("parameter", field[0] + 1, field[1])
    return None


def _holder(
    layout: Layout, position: int, within: Span | None, fields: list[WikitextBlock]
) -> WikitextBlock:
    """The innermost table row or parameter around a position, or the whole page."""
    candidates = [WikitextBlock("page", 0, len(layout.raw)), *fields[-1:]]
    whole = layout.whole_in(within).over(position, position + 1)
    rows = layout.tables.rows
    if row := row_around(rows, position, outside=whole):
        candidates.append(WikitextBlock("table row", row.start, row.end))
    if html := _html_around(layout, position, within, whole):
        candidates.append(html)
    return min(candidates, key=lambda block: block.end - block.start)


def _html_around(
    layout: Layout, position: int, within: Span | None, whole: Span | None
) -> WikitextBlock | None:
    """The innermost element around a position; it is in no template or note that does not hold units."""
    start, end = whole or (position, position + 1)
    units = [unit for unit in layout.html_units if unit.start <= start and end <= unit.end]
    if not units:
        return None
    around = [t for t in layout.braces.templates if t[0] < position < t[1]]
    if note := layout.notes.over(position, position + 1):
        around.append(note)
    closed = [
        span for span in around if within is None or (within[0] < span[0] and span[1] < within[1])
    ]
    for unit in units:  # inner ones come first
        if not any(span[0] < unit.start and unit.end < span[1] for span in closed):
            span = (unit.start, unit.end) if unit.kind == "table row" else unit.inner
            return WikitextBlock(unit.kind, *span)
    return None


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
    if has_only_files(text):
        return "caption"
    if text[:1] == "=" and heading_at(layout.headings, position):
        return "heading"
    return ""


def has_only_files(line: str) -> bool:
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


def _after_templates(
    layout: Layout, holder: WikitextBlock, line_start: int, position: int
) -> WikitextBlock:
    """The holder cut to begin after a standing template that ends on the line of `position`."""
    before = layout.standing_templates.over(line_start, position)
    start = before[1] if before and before[1] <= position else 0
    return WikitextBlock(holder.kind, max(holder.start, start), holder.end)


def _paragraph(
    layout: Layout, holder: WikitextBlock, line: Span, within: Span | None
) -> tuple[int, int]:
    start, end = line
    apart = Spans([t for t in layout.standing_templates if t[1] <= start or t[0] >= end])
    for _ in range(_MOST_LINES):
        if start <= max(holder.start, line[0] - MAX_BLOCK_CHARS):
            break
        above = layout.line(start - 1, start - 1, within)
        above = (max(above[0], holder.start), above[1])
        if not _continues(layout, above, apart):
            break
        start = above[0]
    for _ in range(_MOST_LINES):
        if end >= min(holder.end, line[1] + MAX_BLOCK_CHARS):
            break
        below = layout.line(end + 1, end + 1, within)
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
