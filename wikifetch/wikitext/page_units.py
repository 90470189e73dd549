"""The paragraphs, lists, tables and templates that a page is made of, in order. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from wikifetch.wikitext.blocks import Layout
from wikifetch.wikitext.templates.words import is_infobox, may_state_facts

LIST_MARKS = {"*": "ul", "#": "ol", ":": "dl", ";": "dl"}


@dataclass(frozen=True)
class Unit:
    kind: str
    start: int
    end: int


def page_units(layout: Layout) -> Iterator[Unit]:
    """The units of a page in order; together with blank lines they cover it."""
    standing = {**_lone_facts(layout), **dict(layout.standing_templates)}
    tables = dict(layout.tables.outermost)
    headings = {heading.start: heading.end for heading in layout.headings}
    lines = (
        (layout.masked.rfind("\n", 0, start) + 1, start, end) for start, end in layout.galleries
    )
    galleries = {line: end for line, start, end in lines if not layout.masked[line:start].strip()}
    position, length = 0, len(layout.raw)
    while position < length:
        if position in standing:
            end = standing[position]
            name = layout.name((position, end))
            yield Unit(_kind_of_template(name), position, end)
        elif position in tables:
            end = max(tables[position], position + 1)
            yield Unit("table", position, end)
        elif position in headings:
            end = headings[position]
            yield Unit("heading", position, end)
        elif position in galleries:
            end = max(galleries[position], position + 1)
            yield Unit("ul", position, end)
        else:
            end = layout.line(position, position)[1]
            kind = _kind_of_line(layout.masked[position:end])
            while kind in {"ul", "ol", "dl", "paragraph"} and end < length:
                starts = end + 1
                if any(starts in known for known in (standing, tables, headings, galleries)):
                    break
                line_end = layout.line(starts, starts)[1]
                if _kind_of_line(layout.masked[starts:line_end]) != kind:
                    break
                end = line_end
            if kind:
                yield Unit(kind, position, end)
        position = end
        while position < length and layout.masked[position] == "\n":
            position += 1


def _lone_facts(layout: Layout) -> dict[int, int]:
    """Unknown templates that are one line."""
    masked = f"\n{layout.masked}\n"
    return {
        start: end
        for start, end in layout.braces.templates
        if masked[start] == "\n" == masked[end + 1] and may_state_facts(layout.name((start, end)))
    }


def _kind_of_template(name: str) -> str:
    if is_infobox(name):
        return "infobox"
    return "facts" if may_state_facts(name) else "paragraph"


def _kind_of_line(line: str) -> str:
    return LIST_MARKS.get(line[0], "paragraph") if line.strip() else ""
