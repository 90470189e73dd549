"""One walk over a parsed block (never a page), for every way of writing it out: a sink receives what is found. Pure."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

import mwparserfromhell
from mwparserfromhell import nodes

from wikifetch.wikitext.formulas import formula_text
from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.quotes import Style, styled
from wikifetch.wikitext.templates.arguments import Arguments
from wikifetch.wikitext.templates.hatnotes import captions, hatnote
from wikifetch.wikitext.templates.tabled import template_key
from wikifetch.wikitext.templates.words import (
    facts_given,
    infobox_fields,
    may_state_facts,
    words_of_template,
)

_SWITCH = re.compile(r"__[A-Z]{3,25}__")  # __NOTOC__ and the like
# Elements without their other end, which the parser leaves in the text; wikis close them at the end of the block.
_BREAK = re.compile(r"<\s?/?\s?br\b[\s/\\]{0,3}>", re.IGNORECASE)
_STRAY = re.compile(
    r"</?(?:div|span|center|blockquote|ul|ol|li|dl|dd|dt|p|small|big|font|tt|sup|sub|u|s|b|i|table|tr|td|th|noinclude|onlyinclude)"
    r"(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_LEFT_OUT_TAGS = {
    "gallery", "timeline", "score", "templatestyles", "imagemap", "references", "graph",
}  # fmt: skip
_VERBATIM_TAGS = {"nowiki", "pre", "syntaxhighlight", "source", "chem", "ce", "code"}


class MarkupSink(Protocol):
    """Where the walk writes to."""

    def text(self, words: str) -> None:
        """Words as a reader sees them, not escaped."""

    def open(self, mark: str, attributes: Mapping[str, str]) -> None:
        """An element begins: b, i, sup, sub, td, th, tr, table, li, br, …; those without contents never end.

        A link is "link"; its `to` is the page's title where its label is another text.
        """

    def close(self, mark: str) -> None:
        """It ends."""

    def apart(self, kind: str, words: str) -> None:
        """A line that is no part of the text around it: hatnote, caption."""

    def leave_out(self, what: str, raw: str) -> None:
        """Wikitext that is not shown, and what it is: reference, template, file, category, element."""


def walk(wikitext: str, sink: MarkupSink) -> None:
    """Parse a block and write it into the sink. The block must not be too hostile (see limits)."""
    _walk(mwparserfromhell.parse(wikitext, skip_style_tags=True), sink, has_lines=True)


def _walk(code: Any, sink: MarkupSink, *, has_lines: bool = False) -> None:
    """Where it has lines, what an unknown template on one of its own is given is written too."""
    siblings = list(code.nodes)
    alone = {id(n) for at, n in enumerate(siblings) if has_lines and _is_alone(siblings, at)}
    for piece in styled([str(n.value) if isinstance(n, nodes.Text) else n for n in siblings]):
        if isinstance(piece, str):
            _write_text(piece, sink)
        elif isinstance(piece, Style):
            (sink.open(piece.mark, {}) if piece.begins else sink.close(piece.mark))
        elif isinstance(piece, nodes.Template):
            _write_template(piece, sink, alone=id(piece) in alone)
        else:
            _WRITERS.get(type(piece), _write_nothing)(piece, sink)


def _is_alone(siblings: list[Any], at: int) -> bool:
    """Whether a template is all that is on its lines."""
    if not isinstance(siblings[at], nodes.Template):
        return False
    before = "".join(map(str, siblings[max(0, at - 1) : at])).rstrip(" \t")
    after = "".join(map(str, siblings[at + 1 : at + 2])).lstrip(" \t")
    begins = before.endswith("\n") or (not before and at <= 1)
    return begins and (after.startswith("\n") or (not after and at + 2 >= len(siblings)))


def _write_nothing(node: Any, sink: MarkupSink) -> None:
    """Comments and arguments of templates have nothing to show."""


def _write_text(words: str, sink: MarkupSink) -> None:
    words = _SWITCH.sub("", words)
    for n, line in enumerate(_BREAK.split(words)):
        if n:
            sink.open("br", {})
        sink.text(_STRAY.sub("", line))


def _write_entity(node: Any, sink: MarkupSink) -> None:
    sink.text(node.normalize())


def _write_link(node: Any, sink: MarkupSink) -> None:
    title = str(node.title)
    if spoken().file_title.match(title):
        sink.leave_out("file", str(node))
    elif spoken().category_title.match(title) and node.text is None:
        sink.leave_out("category", str(node))
    else:
        sink.open("link", {"to": title.strip()} if node.text is not None else {})
        if node.text is None:
            sink.text(title.removeprefix(":").strip())
        else:
            _walk(node.text, sink)
        sink.close("link")


def _write_external_link(node: Any, sink: MarkupSink) -> None:
    if node.title is not None:
        sink.open("link", {})
        _walk(node.title, sink)
        sink.close("link")
    elif node.brackets:
        sink.leave_out("link", str(node))
    else:
        sink.text(str(node.url))


def _write_heading(node: Any, sink: MarkupSink) -> None:
    _walk(node.title, sink)


def _write_tag(node: Any, sink: MarkupSink) -> None:
    mark = str(node.tag).strip().lower()
    if mark == "ref":
        sink.leave_out("reference", str(node))
    elif mark in _LEFT_OUT_TAGS:
        sink.leave_out("element", str(node))
    elif mark == "includeonly":
        return
    elif mark == "math":
        _write_formula(str(node.contents or "").strip(), sink)
    elif mark in _VERBATIM_TAGS:
        sink.text(str(node.contents or ""))
    else:
        sink.open(mark, {str(a.name).strip(): str(a.value or "") for a in node.attributes})
        if node.contents is not None and not node.self_closing:
            _walk(node.contents, sink)
            sink.close(mark)


def _write_formula(latex: str, sink: MarkupSink) -> None:
    if (words := formula_text(latex)) is not None:
        sink.text(words)
    else:
        sink.open("code", {})
        sink.text(latex)
        sink.close("code")


def _write_template(node: Any, sink: MarkupSink, *, alone: bool = False) -> None:
    name = str(node.name).strip()
    arguments = Arguments(node, partial(_words_of, sink))
    if (words := words_of_template(name, arguments)) is not None:
        sink.text(words)
        if not words and node.has("refs"):
            sink.leave_out("element", f"<references>{node.get('refs').value}</references>")
    elif (line := hatnote(template_key(name), arguments)) is not None:
        sink.apart("hatnote", line)
    elif lines := captions(template_key(name), arguments):
        for line in lines:
            sink.apart("caption", line)
    elif fields := infobox_fields(name, arguments):
        _write_lines(fields, sink)
    elif alone and may_state_facts(name) and (facts := facts_given(name, arguments.given())):
        _write_lines(facts, sink)
    else:
        sink.leave_out("template", str(node))


def _write_lines(fields: list[tuple[str, str]], sink: MarkupSink) -> None:
    lines = "\n".join(f"{label}: {value}" if label else value for label, value in fields)
    for line in ("", *lines.split("\n"), ""):
        sink.text(line)
        sink.open("br", {})


_WRITERS = {
    nodes.HTMLEntity: _write_entity,
    nodes.Wikilink: _write_link,
    nodes.ExternalLink: _write_external_link,
    nodes.Heading: _write_heading,
    nodes.Tag: _write_tag,
}


_ROW, _CELL = "\x01", "\x00"
_MARKS = {"tr": _ROW, "td": _CELL, "th": _CELL}
_ON_NEW_LINE = {"br", "p", "div", "li", "dd", "dt", "hr", "blockquote", "caption", "table"}


class ReadableSink:
    """A sink that keeps readable text, and lists what it left out."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left_out: list[tuple[str, str]] = []
        self._raised: list[int] = []
        self._begins_table = False

    def text(self, words: str) -> None:
        self.parts.append(words)

    def open(self, mark: str, attributes: Mapping[str, str]) -> None:
        if mark in _MARKS:
            # The first row of a table may have no mark of its own.
            self.parts.append("" if self._begins_table and mark != "tr" else _MARKS[mark])
        elif mark in _ON_NEW_LINE:
            self._new_line()
        elif mark == "sup":
            self._raised.append(len(self.parts))
        self._begins_table = mark == "table"

    def close(self, mark: str) -> None:
        if mark in _ON_NEW_LINE:
            self._new_line()
        elif mark == "sup" and self._raised:
            self._write_power(self._raised.pop())

    def _new_line(self) -> None:
        if self.parts and not self.parts[-1].endswith("\n"):
            self.parts.append("\n")

    def apart(self, kind: str, words: str) -> None:
        self._new_line()
        self.parts += (words, "\n")

    def leave_out(self, what: str, raw: str) -> None:
        self.left_out.append((what, raw))

    def _write_power(self, start: int) -> None:
        """10<sup>3</sup> is 10^3: written without the mark it would be another number."""
        power = "".join(self.parts[start:])
        if re.fullmatch(r"\s*[+\-−]?\d[\d.]*\s*", power):
            self.parts[start:] = [f"^{power.strip()}"]


def _words_of(sink: MarkupSink, code: Any) -> str:
    """Readable text of an argument; what it leaves out is added to the sink of the whole."""
    words = ReadableSink()
    _walk(code, words, has_lines=True)
    for what, raw in words.left_out:
        sink.leave_out(what, raw)
    return cells_apart("".join(words.parts)).strip()


def cells_apart(text: str) -> str:
    """Each row on a line and its cells apart by bars; the walk marks where they begin."""
    first, *others = _parted(" | ".join(_parted(text, _CELL)), _ROW)
    return "\n".join((first, *(row.removeprefix("|").removeprefix(" ") for row in others)))


def _parted(text: str, mark: str) -> list[str]:
    """The pieces between the marks, without the blanks next to one; an expression is quadratic in runs of blanks."""
    first, *others = text.split(mark)
    if not others:
        return [first]
    *middle, last = others
    return [first.rstrip(), *(piece.strip() for piece in middle), last.lstrip()]
