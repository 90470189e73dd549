"""One walk over a parsed block (never a page), for every way of writing it out: a sink receives what is found. Pure."""

import html
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

import mwparserfromhell
from mwparserfromhell import nodes
from mwparserfromhell.wikicode import Wikicode

from wikifetch.wikitext.formulas import formula_text
from wikifetch.wikitext.languages import spoken
from wikifetch.wikitext.plain_sink import ReadableSink, cells_apart
from wikifetch.wikitext.quotes import Style, styled
from wikifetch.wikitext.tag_names import FILL
from wikifetch.wikitext.templates.arguments import Arguments
from wikifetch.wikitext.templates.functions import chooses, chosen
from wikifetch.wikitext.templates.hatnotes import captions, hatnote
from wikifetch.wikitext.templates.tabled import template_key
from wikifetch.wikitext.templates.words import (
    facts_given,
    infobox_fields,
    may_state_facts,
    words_of_template,
)

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_NOWIKI = re.compile(r"</?nowiki\s*/?>", re.IGNORECASE)
_SWITCH = re.compile(r"__[A-Z]{3,25}__")  # __NOTOC__ and the like
# Elements without their other end, which the parser leaves in the text; wikis close them at the end of the block.
_BREAK = re.compile(
    r"<\s?/?\s?br\b[\s/\\]{0,3}>|</?(?:div|center|blockquote|[uo]l|li|d[dlt]|p|table|t[rdh])(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_STRAY = re.compile(
    r"</?(?:span|small|big|font|tt|sup|sub|u|s|b|i|noinclude|onlyinclude)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_LEFT_OUT_TAGS = {
    "gallery", "timeline", "score", "templatestyles", "imagemap", "references", "graph",
}  # fmt: skip
_VERBATIM_TAGS = {"nowiki", "pre", "syntaxhighlight", "source", "chem", "ce"}


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
    """Comments have nothing to show."""


def _write_text(words: str, sink: MarkupSink) -> None:
    words = _SWITCH.sub("", words.replace(FILL, ""))
    for n, line in enumerate(_BREAK.split(words)):
        if n:
            sink.open("br", {})
        sink.text(_STRAY.sub("", line))


def _write_argument(node: Any, sink: MarkupSink) -> None:
    """{{{1|default}}}: an article is given none."""
    if node.default is None:
        sink.text(str(node))
        return
    shown: list[Any] = []
    for part in node.default.nodes:
        bar = part.value.find("|") if isinstance(part, nodes.Text) else -1
        shown.append(nodes.Text(part.value[:bar]) if bar >= 0 else part)
        if bar >= 0:  # what comes after a further bar is not shown
            break
    _walk(Wikicode(shown), sink)


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
        _walk(node.url, sink)


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
        words = str(node.contents or "")
        if mark == "pre":
            words = _NOWIKI.sub("", words)
        sink.text(html.unescape(words) if mark in {"nowiki", "pre"} else words)
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
    name = _COMMENT.sub("", str(node.name)).strip()
    if chooses(name):
        _write_chosen(node, sink)
        return
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


def _write_chosen(node: Any, sink: MarkupSink) -> None:
    """What a parser function shows of its arguments."""
    name, given = _words_of(ReadableSink(), node.name), [str(p) for p in node.params]
    if given and name.lower().startswith("#ifeq"):
        given[0] = _words_of(ReadableSink(), _code(node.params[0]))
    if (at := chosen(name, given)) >= 0:
        shown = node.params[at]
        _walk(shown.value if name.lower().startswith("#switch") else _code(shown), sink)


def _code(parameter: Any) -> Any:
    """A parameter with its name, which a parser function does not tell from the value."""
    return (
        mwparserfromhell.parse(str(parameter), skip_style_tags=True)
        if parameter.showkey
        else parameter.value
    )


def _write_lines(fields: list[tuple[str, str]], sink: MarkupSink) -> None:
    lines = "\n".join(f"{label}: {value}" if label else value for label, value in fields)
    for line in ("", *lines.split("\n"), ""):
        sink.text(line)
        sink.open("br", {})


_WRITERS = {
    nodes.Argument: _write_argument,
    nodes.HTMLEntity: _write_entity,
    nodes.Wikilink: _write_link,
    nodes.ExternalLink: _write_external_link,
    nodes.Heading: _write_heading,
    nodes.Tag: _write_tag,
}


def _words_of(sink: MarkupSink, code: Any) -> str:
    """Readable text of an argument; what it leaves out is added to the sink of the whole."""
    words = ReadableSink()
    _walk(code, words, has_lines=True)
    for what, raw in words.left_out:
        sink.leave_out(what, raw)
    return cells_apart("".join(words.parts)).strip()
