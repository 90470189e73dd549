"""The paragraphs, lists, tables and templates that a page is made of, in order. Pure."""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from wikifetch.wikitext.layout import Layout
from wikifetch.wikitext.positions.spans import Span
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.templates.words import is_infobox, may_state_facts

_HTML = re.compile(r"<(?:[uod]l|table|blockquote|div|center)\b", re.IGNORECASE)
LIST_MARKS = {"*": "ul", "#": "ol", ":": "dl", ";": "dl"}


@dataclass(frozen=True)
class Unit:
    kind: str
    start: int
    end: int


def page_units(layout: Layout) -> Iterator[Unit]:
    """The units of a page in order; together with blank lines they cover it."""
    standing = {unit.start: unit for unit in _standing(layout)}
    position, length = 0, len(layout.raw)
    while position < length:
        unit = standing.get(position) or _lines(layout, position, standing)
        if unit.kind:
            yield unit
        position = max(unit.end, position + 1)
        while position < length and layout.masked[position] == "\n":
            position += 1


def _standing(layout: Layout) -> Iterator[Unit]:
    """Those that are no lines of text; of two that begin at one place the one that counts comes last."""
    for start, end in layout.galleries:
        line = layout.masked.rfind("\n", 0, start) + 1
        if not layout.masked[line:start].strip():
            yield Unit("ul", line, end)
    for heading in layout.headings:
        yield Unit("heading", heading.start, heading.end)
    for start, end in layout.tables.outermost:
        yield Unit("table", start, end)
    for start, end in layout.notes:
        if layout.masked[start : start + 11].lower() == "<references":
            yield Unit("paragraph", start, end)
    yield from (Unit("paragraph", *pre) for pre in layout.preformatted)
    for template in (*layout.lone_facts, *layout.standing_templates):
        yield Unit(_kind_of_template(layout.name(template)), *template)


def _lines(layout: Layout, position: int, standing: Container[int]) -> Unit:
    """The line at a position, and those below that are of its kind."""
    end = layout.line(position, position)[1]
    kind = _kind_of_line(layout, (position, end))
    while kind and end < len(layout.raw) and end + 1 not in standing:
        below = layout.line(end + 1, end + 1)
        kind_below = _kind_of_line(layout, below)
        if not kind_below or kind == "beside":
            break
        is_open = kind == "html" and _opens(layout.masked[position:end])
        if not is_open and (kind == "html" or kind_below != kind):
            break
        end = below[1]
    return Unit(kind if kind in LIST_MARKS.values() else kind and "paragraph", position, end)


def _opens(html: str) -> bool:
    """Whether its first element does not end."""
    name = html.strip(f" {FILL}")[1:3]
    return len(re.findall(f"<{name}", html, re.I)) > len(re.findall(f"</{name}", html, re.I))


def list_lines(layout: Layout, unit: Unit, within: tuple[int, int] | None = None) -> Iterator[Unit]:
    """The items of a list or gallery; of a list that a template holds, `within` is the template."""
    is_gallery = unit.kind == "ul" and layout.masked[unit.start] not in LIST_MARKS
    position = unit.start
    while position < unit.end:
        end = min(layout.line(position, position, within)[1], unit.end)
        line = layout.masked[position:end]
        if line.strip() and not (is_gallery and line.lstrip()[:1] == "<"):
            yield Unit("gallery" if is_gallery else "item", position, end)
        position = end + 1


def _kind_of_template(name: str) -> str:
    if is_infobox(name):
        return "infobox"
    return "facts" if may_state_facts(name) else "paragraph"


def _kind_of_line(layout: Layout, span: Span) -> str:
    line = layout.line_text(span)
    if not line.strip():
        return ""
    if layout.thumbnails.over(*span) and line[0] not in LIST_MARKS:
        return "beside"  # a wiki shows the text next to it as a paragraph of its own
    if line[0] == " ":
        return "preformatted"
    return "html" if _HTML.match(line) else LIST_MARKS.get(line[0], "paragraph")
