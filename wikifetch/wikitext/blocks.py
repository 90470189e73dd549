"""The smallest unit of an article that holds a tag. Pure.

It is a paragraph, a list item, a table row, an infobox field, a caption, a gallery's line or a heading; for a banner
the section or the lead (WikiContradict, section 3.1; the published paragraphs).
"""

from itertools import islice

from wikifetch.wikitext.layout import NAMED, Layout, WikitextBlock, value_begin
from wikifetch.wikitext.lines import LinesAround, file_link, line_kind
from wikifetch.wikitext.positions.spans import Span
from wikifetch.wikitext.positions.table_rows import row_around
from wikifetch.wikitext.sections import section_around
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.templates.arguments import is_position
from wikifetch.wikitext.templates.words import is_inline, is_note

# Of templates over several lines, one in another around a tag: the outermost, and not over a page of such text.
_MOST_AROUND = 8
_MAX_BLANKS = 10_000


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
    holder = _holder(layout, (start, end), within, fields)
    holder = _after_templates(layout, holder, line[0], start)
    line = (max(line[0], holder.start), min(line[1], holder.end))
    lines = LinesAround(layout, (start, end), within)
    kind = line_kind(layout, line, start)
    if kind in {"", "caption"} and (link := file_link(layout, line, (start, end))):
        return WikitextBlock("caption", *link)
    if kind and (holder.kind == "page" or line != (holder.start, holder.end)):
        span = lines.item(line) if kind == "list item" else line
        return _stripped(layout, WikitextBlock(kind, *span))
    if holder.kind in {"table row", "infobox field"}:
        return _stripped(layout, holder)
    if holder.kind == "list item":
        span = lines.between_elements((holder.start, holder.end))
        return _stripped(layout, WikitextBlock(holder.kind, *span))
    return _stripped(layout, WikitextBlock("paragraph", *lines.paragraph(holder, line)))


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
        return WikitextBlock("parameter", value_begin(layout.masked, field), field[1])
    return None


def _holder(
    layout: Layout, tag: Span, within: Span | None, fields: list[WikitextBlock]
) -> WikitextBlock:
    """The innermost table row or parameter around a tag, or the whole page."""
    candidates = [WikitextBlock("page", 0, len(layout.raw)), *fields[-1:]]
    whole = layout.whole_in(within).over(tag[0], tag[0] + 1)
    rows = layout.tables.rows
    if row := row_around(rows, tag[0], outside=whole):
        candidates.append(WikitextBlock("table row", row.start, row.end))
    if html := _html_around(layout, tag, within):
        candidates.append(html)
    return min(candidates, key=lambda block: block.end - block.start)


def _html_around(layout: Layout, tag: Span, within: Span | None) -> WikitextBlock | None:
    """The innermost element around a tag; it is in no template or note that does not hold units."""
    units = [unit for unit in layout.html_units if unit.start <= tag[0] and tag[1] <= unit.end]
    if not units:
        return None
    around = [t for t in layout.braces.templates if t[0] < tag[0] < t[1]]
    if note := layout.notes.over(*tag):
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
    """Whether a parameter has a name, no number, and a line of its own."""
    before = masked[max(0, field[0] - _MAX_BLANKS) : field[0]]
    line_before = before.rstrip(f" \t{FILL}")[-1:] == "\n"
    line_after = masked[field[0] : field[0] + 80].lstrip(f"| \t{FILL}")[:1] == "\n"
    name = NAMED.match(masked, *field)
    return (line_before or line_after) and name is not None and not is_position(name[1])


def _after_templates(
    layout: Layout, holder: WikitextBlock, line_start: int, position: int
) -> WikitextBlock:
    """The holder cut to begin after a standing template that ends on the line of `position`."""
    before = layout.standing_templates.over(line_start, position)
    start = before[1] if before and before[1] <= position else 0
    return WikitextBlock(holder.kind, max(holder.start, start), holder.end)


def _stripped(layout: Layout, block: WikitextBlock) -> WikitextBlock:
    text = layout.raw[block.start : block.end]
    start = block.start + len(text) - len(text.lstrip())
    return WikitextBlock(block.kind, start, max(start, block.start + len(text.rstrip())))
