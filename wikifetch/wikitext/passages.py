"""What a tag speaks of, where that is not its block: the note or template it is in, or the unit before it. Pure."""

import re

from wikifetch.wikitext.blocks import Layout, WikitextBlock, has_only_files, value_begin
from wikifetch.wikitext.page_units import Unit, page_units
from wikifetch.wikitext.plain import plain_text
from wikifetch.wikitext.readable import readable
from wikifetch.wikitext.spans import Span, Spans
from wikifetch.wikitext.tag_names import TagNames
from wikifetch.wikitext.templates.words import may_state_facts
from wikifetch.wikitext.unread import unread_spans

_NOTE = re.compile(r"efn|refn|notetag|#tag:\s*ref", re.IGNORECASE)
_WORD = re.compile(r"\w")
_LONG = 5_000  # characters
_KINDS = {"ul": "list", "ol": "list", "dl": "list", "table": "table", "paragraph": "paragraph"}


def passage_of(layout: Layout, block: WikitextBlock, tag: Span, names: TagNames) -> WikitextBlock:
    """The block, but for a tag in a note or unknown template in it, and for one that is alone in it."""
    inside = (
        t
        for t in layout.braces.templates
        if block.start <= t[0] < tag[0] and tag[1] < t[1] <= block.end
    )
    templates = sorted(inside, key=lambda t: t[1] - t[0])
    if note := _note(layout, block, templates, tag):
        return WikitextBlock("note", *note)
    for template in templates:
        name = layout.name(template)
        if may_state_facts(name) and not names.kind_of(name):
            value = _value(layout, template, tag)
            wrapped = WikitextBlock("paragraph", *value)
            return wrapped if _says(layout, wrapped, tag) else block
    if block.kind == "infobox field" or _says(layout, block, tag):
        return block
    return _nearest(layout, tag) or block


def _note(layout: Layout, block: WikitextBlock, templates: list[Span], tag: Span) -> Span | None:
    """The words of the note that holds a tag."""
    note = layout.notes.over(*tag)
    if note and layout.masked[note[0] : note[0] + 11].lower() == "<references":
        begin = layout.masked.index(">", note[0]) + 1
        listed = unread_spans(layout.masked[begin : note[1]], ("ref",))
        note = Spans([(begin + a, begin + b) for a, b in listed]).over(*tag)
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
    raw, span = layout.raw[slice(*tag)], slice(block.start, block.end)
    return bool(
        _WORD.search(plain_text(layout.masked[span].replace(raw, "")))
        or _WORD.search(readable(layout.raw[span].replace(raw, ""), block.kind).text)
    )


def _nearest(layout: Layout, tag: Span) -> WikitextBlock | None:
    """The unit around the tag if it has words, else the one before it, else the one after, in its section."""
    units = list(page_units(layout))
    at = next((n for n, u in enumerate(units) if u.start <= tag[0] < u.end), 0)
    above = layout.line(tag[0], tag[0])[0] - 1
    while above > units[at].start:
        line = layout.line(above, above)
        if has_only_files(layout.masked[slice(*line)]):
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


def _block_of(layout: Layout, unit: Unit) -> WikitextBlock:
    text = layout.masked[unit.start : unit.end]
    kind = "caption" if has_only_files(text) else _KINDS.get(unit.kind, "lead")
    return WikitextBlock(kind, unit.start, unit.end)
