"""A page's wikitext as simple HTML to read and copy from. Pure.

Headings, paragraphs, lists, tables and infoboxes, a small element for each unit; the unit that holds a tag is marked.
It is no wiki's rendering: no styles or pictures, links lead nowhere, templates that `templates` does not know are a
mark with their name. Each unit is parsed by itself and bounded. The result is escaped; the caller sanitises it.
"""

import re
import time
from bisect import bisect_left
from collections.abc import Iterator
from html import escape
from itertools import groupby, islice
from operator import attrgetter

from wikifetch.wikitext.infobox_labels import is_layout, label_fields, label_of
from wikifetch.wikitext.layout import Layout, value_begin
from wikifetch.wikitext.limits import too_hostile, too_long
from wikifetch.wikitext.markup import Aside, HtmlSink, OpenTag
from wikifetch.wikitext.page_units import LIST_MARKS, Unit, list_lines, page_units
from wikifetch.wikitext.positions.html_units import HtmlUnit
from wikifetch.wikitext.positions.spans import Span
from wikifetch.wikitext.readable import prepared, readable
from wikifetch.wikitext.tag_names import KNOWN_NAMES, TagNames
from wikifetch.wikitext.templates.arguments import is_position
from wikifetch.wikitext.templates.words import is_fact, is_in_pairs, is_remark
from wikifetch.wikitext.tree import walk

MAX_LINES = 50_000
_DEEPEST = 20  # HTML divisions in one another
MAX_SECONDS = 4.0  # of the thread's processor time; the slowest of 106 real articles takes 0.3


class WikitextWriter:
    """Writes one page; `marked` and `tag` are spans of wikitext, of the units to mark as tagged and of the open tag."""

    def __init__(
        self, wikitext: str, marked: Span | None, tag: Span | None, names: TagNames, seconds: float
    ) -> None:
        self._layout = Layout(wikitext)
        self._marked, self._tag = marked, tag
        self._names = names
        self._numbering = iter(range(1, 1_000_000))
        self._rows = sorted(
            (r for r in self._layout.tables.rows if r.depth == 1), key=attrgetter("start")
        )
        self._html = sorted(self._layout.html_units, key=lambda u: (u.start, -u.end))
        self._deadline = time.thread_time() + seconds
        self.has_mark = False

    def html(self) -> str:
        return "\n".join(filter(None, (self._unit(unit) for unit in page_units(self._layout))))

    def _unit(self, unit: Unit) -> str:
        if unit.kind == "table":
            return self._table(unit)
        if unit.kind == "infobox":
            return self._infobox(unit)
        if unit.kind == "facts" and (facts := self._facts(unit)):
            return facts
        if unit.kind in {"ul", "ol", "dl"}:
            return self._list(unit)
        if unit.kind == "paragraph" and (written := self._html_pieces(unit)):
            return written
        element, kind = "p", "paragraph"
        if unit.kind == "heading":
            line = self._layout.masked[unit.start : unit.end]
            element, kind = f"h{min(6, max(3, 1 + len(line) - len(line.lstrip('='))))}", "heading"
        return self._with_asides(unit, element, self._walked(unit, kind))

    def _html_pieces(self, unit: Unit, depth: int = 0) -> str:
        """A paragraph with HTML items, rows, quotations and divisions, an element for each; "" where it has none."""
        pieces: list[str] = []
        at = unit.start
        first = bisect_left(self._html, unit.start, key=attrgetter("start"))
        for piece in islice(self._html, first, None):
            if piece.start >= unit.end:
                break
            if piece.start < at or piece.end > unit.end:
                continue
            pieces += [self._text(Unit("text", at, piece.start)), self._html_piece(piece, depth)]
            at = piece.end
        if not pieces:
            return ""
        html = "".join([*pieces, self._text(Unit("text", at, unit.end))])
        return html.replace('</table><table class="wikitable">', "").replace("</ul><ul>", "")

    def _html_piece(self, piece: HtmlUnit, depth: int) -> str:
        if piece.kind == "table row":
            row = Unit("row", piece.start, piece.end)
            inner = self._inline(row, "table row").replace("<tr>", f"<tr{self._mark(row)}>", 1)
            return f'<table class="wikitable">{inner}</table>'
        unit = Unit("text", *piece.inner)
        if piece.kind == "list item":
            inner = self._inline(unit, "list item")
            return f"<ul><li{self._mark(unit)}>{inner}</li></ul>"
        inner = self._html_pieces(unit, depth + 1) if depth < _DEEPEST else ""
        written = inner or self._text(unit)
        is_quotation = (
            self._layout.masked[piece.start + 1 : piece.start + 11].lower() == "blockquote"
        )
        return f"<blockquote>{written}</blockquote>" if is_quotation and written else written

    def _text(self, unit: Unit) -> str:
        return self._with_asides(unit, "p", self._walked(unit, "paragraph"))

    def _with_asides(self, unit: Unit, element: str, written: HtmlSink) -> str:
        """The unit's text between its captions and hatnotes, and its notes."""
        placed = list(self._placed(unit, written.asides))
        captions = [(aside, place) for aside, place in placed if aside.kind != "note"]
        # Where what is tagged is a caption or a note, the text around it is no part of it.
        around = any(aside.raw and self._is_in(place) for aside, place in placed)
        alone = not (written.html or around)
        pieces = [self._aside(aside, place, alone=alone) for aside, place in captions]
        if written.html:
            mark = "" if around else self._mark(unit)
            pieces.append(f"<{element}{mark}>{written.html}</{element}>")
        pieces += [self._aside(aside, place) for aside, place in placed if aside.kind == "note"]
        return "\n".join(pieces)

    def _placed(self, unit: Unit, asides: list[Aside]) -> Iterator[tuple[Aside, Unit]]:
        """Each with where it is written in the unit; a template's line with the whole unit."""
        after = unit.start
        for aside in asides:
            start = self._layout.raw.find(aside.raw, after, unit.end)
            if start < 0:  # a template's arguments are not read in their order
                start = self._layout.raw.find(aside.raw, unit.start, unit.end)
            if not aside.raw or start < 0:
                yield aside, unit
                continue
            after = start + len(aside.raw)
            yield aside, Unit(aside.kind, start, after)

    def _aside(self, aside: Aside, place: Unit, *, alone: bool = False) -> str:
        """A line of its own; a caption or note that holds what is tagged is a block by itself."""
        is_tagged = aside.raw and self._is_in(place)
        mark = self._mark(place, aside.kind) if is_tagged or alone else f' class="{aside.kind}"'
        return f"<p{mark}>{aside.html}</p>"

    def _is_in(self, unit: Unit) -> bool:
        """Whether the tagged block is this unit, or is in it."""
        return bool(self._marked and unit.start <= self._marked[0] and self._marked[1] <= unit.end)

    def _list(self, unit: Unit, within: tuple[int, int] | None = None) -> str:
        lines = list(list_lines(self._layout, unit, within))
        # A talk page's replies begin with colons: indented lines, no definitions of any term.
        is_reply = unit.kind == "dl" and self._layout.masked[unit.start] != ";"
        kind, shown = ("ul", ' class="indented"') if is_reply else (unit.kind, "")
        shown = shown if self._layout.masked[unit.start] in LIST_MARKS else ' class="gallery"'
        return f"<{kind}{shown}>{''.join(self._item(kind, line) for line in lines)}</{kind}>"

    def _item(self, kind: str, unit: Unit) -> str:
        inner = self._inline(unit, "gallery" if unit.kind == "gallery" else "list item")
        line = self._layout.masked[unit.start : unit.end]
        element = "li" if kind != "dl" else "dt" if line.startswith(";") else "dd"
        depth = min(6, len(line) - len(line.lstrip("*#:;")))
        nested = f"depth-{depth}" if depth > 1 else ""
        return f"<{element}{self._mark(unit, nested)}>{inner}</{element}>" if inner else ""

    def _table(self, unit: Unit) -> str:
        rows, caption = [], ""
        at = bisect_left(self._rows, unit.start, key=lambda row: row.start)
        while at < len(self._rows) and self._rows[at].end <= unit.end:
            piece = Unit("row", self._rows[at].start, self._rows[at].end)
            at += 1
            if not caption and self._layout.masked[piece.start : piece.end].lstrip().startswith(
                "|+"
            ):
                inner = self._inline(piece, "table caption")
                caption = f"<caption{self._mark(piece)}>{inner}</caption>" if inner else ""
                continue
            inner = self._inline(piece, "table row").strip()
            rows.append(inner.replace("<tr>", f"<tr{self._mark(piece)}>", 1) if inner else "")
        # It takes the focus, to be scrolled by keys: so it has a name. What is between tags is escaped.
        named = " ".join(["Table", *re.sub(r"<[^>]*>", "", caption).split()])
        wrap = f'<div class="table-wrap" tabindex="0" role="group" aria-label="{named}">'
        return f'{wrap}<table class="wikitable">{caption}{"".join(rows)}</table></div>'

    def _infobox(self, unit: Unit) -> str:
        fields: dict[str, Unit] = {}
        values: dict[str, str] = {}
        for span in self._layout.parameters((unit.start, unit.end))[1:]:
            name, equals, value = self._layout.raw[slice(*span)].partition("=")
            if equals:
                name = name.strip("| \n\t")
                # Of two with one name the wiki shows the last; one that is tagged is shown too.
                name += " " * (name in fields and self._holds_tag(fields[name]))
                fields[name], values[name] = Unit("field", *span), value
        labels = label_fields(values)
        given = {label for label in labels.values() if not self._holds_tag(fields[label])}
        rows = (
            self._field(
                field, label_of(name, values.get(labels.get(name, ""), "")), "infobox field", field
            )
            for name, field in fields.items()
            if self._holds_tag(field) or not (name in given or is_layout(name, values[name]))
        )
        html = "".join(rows)
        return f'<table class="infobox">{html}</table>' if html else ""

    def _facts(self, unit: Unit) -> str:
        """What an unknown template is given, a row each; "" where that says nothing."""
        template = (unit.start, unit.end)
        name = self._layout.name(template)
        if self._names.kind_of(name):
            return ""
        given: list[tuple[str, str, Unit]] = []
        for span in self._layout.parameters(template)[1:]:
            begin = value_begin(self._layout.masked, span)
            label = self._layout.raw[span[0] + 1 : begin].strip("= \n\t")
            given.append((label, self._layout.raw[begin : span[1]], Unit("field", *span)))
        if is_remark((label, value.strip()) for label, value, _ in given):
            return ""
        rows: list[str] = []
        lists: list[str] = []
        head: tuple[str, Unit] | None = None  # of a pair
        for label, value, field in given:
            if not label and is_in_pairs(name) and head is None:
                head = readable(value).text, field
            elif not label and head:
                row = Unit("field", head[1].start, field.end)
                rows.append(self._field(field, head[0], "value", row))
                head = None
            elif (not label or is_position(label)) and value.lstrip()[:1] in {*LIST_MARKS}:
                lists += self._lists(Unit("field", field.end - len(value), field.end), template)
            elif self._holds_tag(field) or is_fact(label, value):
                kind = "infobox field" if label else "value"
                shown = "" if is_position(label) else label_of(label)
                rows.append(self._field(field, shown, kind, field))
        if head:
            rows.append(self._field(head[1], "", "value", head[1]))
        html = "".join(rows)
        return "".join([f'<table class="infobox">{html}</table>' if html else "", *lists])

    def _lists(self, unit: Unit, within: tuple[int, int]) -> Iterator[str]:
        """Those that a template is given, as of columns."""
        begins = self._layout.masked
        lines = list_lines(self._layout, unit, within)
        for kind, items in groupby(lines, lambda line: LIST_MARKS.get(begins[line.start], "")):
            first, *_, last = [*items] * 2
            group = Unit(kind, first.start, last.end)
            yield self._list(group, within) if kind else self._text(group)

    def _field(self, field: Unit, label: str, kind: str, row: Unit) -> str:
        value = self._inline(field, kind).strip()
        if not value:
            return ""
        head = f"<th>{escape(label)}</th><td>" if label else '<td colspan="2">'
        return f"<tr{self._mark(row)}>{head}{value}</td></tr>"

    def _holds_tag(self, unit: Unit) -> bool:
        """Whether it is, or is in, the tagged block, or has any tag: such a field is always shown."""
        return self._is_in(unit) or bool(
            self._names.hint_pattern.search(self._layout.raw, unit.start, unit.end)
        )

    def _inline(self, unit: Unit, kind: str) -> str:
        """A unit's contents as HTML, captions and notes at its end; "" where they say nothing."""
        return self._walked(unit, kind, inline=True).html

    def _walked(self, unit: Unit, kind: str, *, inline: bool = False) -> HtmlSink:
        raw = self._layout.raw[unit.start : unit.end].strip()
        sink = HtmlSink(self._numbering, self._names, self._open_tag(unit), inline=inline)
        if time.thread_time() > self._deadline or too_hostile(raw):
            sink.verbatim(raw, in_row=kind == "table row")
        else:
            walk(prepared(raw, kind)[1], sink)
            if kind != "table row":  # what follows one would be outside the table
                sink.end(raw)
        return sink

    def _open_tag(self, unit: Unit) -> OpenTag:
        if not self._tag or not unit.start <= self._tag[0] < unit.end:
            return OpenTag("", 0)
        masked = self._layout.masked
        before = masked.count(masked[slice(*self._tag)], unit.start, self._tag[0])
        return OpenTag(self._layout.raw[slice(*self._tag)], before)

    def _mark(self, unit: Unit, *classes: str) -> str:
        tagged = self._marked and unit.start < self._marked[1] and unit.end > self._marked[0]
        identity = ' id="tagged-block"' if tagged and not self.has_mark else ""
        self.has_mark |= bool(tagged)
        named = " ".join(filter(None, [*classes, "tagged" if tagged else ""]))
        return identity + (f' class="{named}"' if named else "")


def render_article(
    wikitext: str,
    marked: Span | None = None,
    names: TagNames = KNOWN_NAMES,
    seconds: float = MAX_SECONDS,
    tag: Span | None = None,
) -> str:
    """HTML of a page, not yet sanitised, with id="tagged-block" on the first unit of `marked` (offsets).

    The open `tag` has aria-current="true".

    A page over the limit is one <pre>; what is too hostile, or not parsed after `seconds` of CPU, is escaped wikitext.
    """
    shown = wikitext[slice(*marked)] if marked else ""
    block = f'<pre id="tagged-block" class="tagged">{escape(shown)}</pre>\n' if shown else ""
    if too_long(wikitext) or wikitext.count("\n") > MAX_LINES:
        return f"{block}<pre>{escape(wikitext)}</pre>"
    writer = WikitextWriter(wikitext, marked, tag, names, seconds)
    html = writer.html()
    return html if writer.has_mark else block + html
