"""What a tag speaks of, where that is not its block: the note or template it is in, or the unit before it. Pure."""

import re
from functools import cached_property

from wikifetch.wikitext.layout import Layout, WikitextBlock, value_begin
from wikifetch.wikitext.lines import has_only_files
from wikifetch.wikitext.page_units import Unit, page_units
from wikifetch.wikitext.plain import plain_text
from wikifetch.wikitext.positions.spans import Span
from wikifetch.wikitext.readable import readable
from wikifetch.wikitext.tag_names import TagNames
from wikifetch.wikitext.templates.words import may_state_facts

_NOTE = re.compile(r"efn|refn|notetag|#tag:\s*ref", re.IGNORECASE)
_WORD = re.compile(r"\w")
_LONG = 5_000  # characters
_KINDS = {"ul": "list", "ol": "list", "dl": "list", "table": "table", "paragraph": "paragraph"}


class Passages:
    """Those of one page; its units are looked for once, and only where a tag is alone."""

    def __init__(self, layout: Layout, names: TagNames) -> None:
        self._layout = layout
        self._names = names

    @cached_property
    def _units(self) -> list[Unit]:
        return list(page_units(self._layout))

    def of(self, block: WikitextBlock, tag: Span) -> WikitextBlock:
        """The block, but for a tag in a note or unknown template in it, and for one that is alone in it."""
        inside = (
            t
            for t in self._layout.braces.templates
            if block.start <= t[0] < tag[0] and tag[1] < t[1] <= block.end
        )
        templates = sorted(inside, key=lambda t: t[1] - t[0])
        if note := _note(self._layout, block, templates, tag):
            return WikitextBlock("note", *note)
        for template in templates:
            name = self._layout.name(template)
            if may_state_facts(name) and not self._names.kind_of(name):
                value = _value(self._layout, template, tag)
                if value[0] <= template[0] + 3:
                    continue  # it is in the name
                wrapped = WikitextBlock("paragraph", *value)
                return wrapped if _says(self._layout, wrapped, tag) else block
        if block.kind == "infobox field" or _says(self._layout, block, tag):
            return block
        return self._nearest(tag) or block

    def _nearest(self, tag: Span) -> WikitextBlock | None:
        """The unit around the tag if it has words, else the one before it, else the one after, in its section."""
        layout, units = self._layout, self._units
        at = next((n for n, u in enumerate(units) if u.start <= tag[0] < u.end), 0)
        own = layout.line(tag[0], tag[0])
        if beside := layout.thumbnails.over(own[0], tag[0]):
            return WikitextBlock("caption", *beside)
        above = own[0] - 1
        while above > units[at].start:
            line = layout.line(above, above)
            if has_only_files(layout.links[slice(*line)]):
                return WikitextBlock("caption", *line)
            above = line[0] - 1
        for side in ([units[at]], units[:at][::-1], units[at + 1 :]):
            for unit in side:
                if unit.kind == "heading":
                    break
                found = _block_of(layout, unit)
                if _says(layout, found, tag):
                    return found
        return None


def _note(layout: Layout, block: WikitextBlock, templates: list[Span], tag: Span) -> Span | None:
    """The words of the note that holds a tag."""
    note = layout.note_around(tag)
    if note and block.start <= note[0] and note[1] <= block.end:
        return layout.masked.index(">", note[0]) + 1, layout.masked.rindex("</", *note)
    found = next((t for t in templates if _NOTE.match(layout.name(t))), None)
    return _value(layout, found, tag) if found else None


def _value(layout: Layout, template: Span, tag: Span) -> Span:
    field = layout.parameter_around(template, tag[0])
    return value_begin(layout.masked, field), field[1]


def _says(layout: Layout, block: WikitextBlock, tag: Span) -> bool:
    """Whether there are words besides the tag; a long text is not looked at."""
    if block.end - block.start > tag[1] - tag[0] + _LONG:
        return True
    if block.kind != "table":  # its markup has letters
        begin = max(block.start, min(tag[0], block.end))
        end = min(block.end, max(tag[1], block.start))
        if _WORD.search(
            plain_text(layout.masked[block.start : begin] + layout.masked[end : block.end])
        ):
            return True
    words = layout.raw[block.start : block.end].replace(layout.raw[slice(*tag)], "")
    return bool(_WORD.search(readable(words, block.kind).text))


def _block_of(layout: Layout, unit: Unit) -> WikitextBlock:
    text = layout.links[unit.start : unit.end]
    kind = "caption" if has_only_files(text) else _KINDS.get(unit.kind, "lead")
    return WikitextBlock(kind, unit.start, unit.end)
