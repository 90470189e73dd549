"""A wiki's HTML written anew in the elements of our rendering, block by block. Pure.

It reads what the sanitiser wrote: every element is closed, every sign escaped. Of attributes only text is passed on,
and the result is sanitised again: see article_html.
"""

import re
from dataclasses import dataclass, field
from html import escape, unescape

from wikifetch.wikihtml.elements import (
    ElementFate,
    attributes_of,
    class_of_line,
    fate_of,
    holds_numbers,
)
from wikifetch.wikihtml.html_blocks import HtmlBlock, WrittenArticle
from wikifetch.wikitext.formulas import formula_text

_TOKEN = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[^\s=>]+="[^"]*")*)\s*>|([^<]+)')
_TEX = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
# [inconsistent], [citation needed]; no number of a note.
_BRACKETED = re.compile(r"\s*\[[^\[\]\d]{3,80}\]\s*")
_OF_THE_TAG = re.compile(r"inconsisten|contradict", re.IGNORECASE)
_SPAN = re.compile(r"\d{1,3}")
_DEEPEST = 100  # elements in one another; of deeper ones the words are shown

_HEADINGS = {"h3", "h4", "h5", "h6"}
_BLOCKS = {
    **dict.fromkeys(_HEADINGS, "heading"),
    **dict.fromkeys(["li", "dd", "dt"], "item"),
    "p": "text",
    "tr": "row",
    "caption": "caption",
}
_ON_LINES = {*_BLOCKS, "ul", "ol", "dl", "div", "table", "blockquote", "pre", "td", "th"}


@dataclass
class _Open:
    """An element that is open: what ends it, where it began, who gets its text, and how text in it is treated."""

    tag: str
    end: str = ""
    at: int = 0
    said: int = 0
    owners: tuple[HtmlBlock, ...] = ()
    is_dropped: bool = False
    is_flat: bool = False  # one line: no block may begin in it
    is_formula: bool = False
    is_infobox: bool = False
    in_navigation: bool = False
    # Of navigation: whether those around it had lines before.
    was_lines: list[bool] | None = None
    tables: int = 0
    blocks: int = 0
    lengths: tuple[int, ...] = ()
    block: HtmlBlock | None = None
    has_lines: bool = False
    has_terms: bool = False  # of a <dl>: a term; and where each of its lines begins and ends
    lines: list[int] = field(default_factory=list)


class WikiHtmlWriter:
    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._blocks: list[HtmlBlock] = []
        self._tags: list[int] = []
        self._open = [_Open("")]
        self._said = 0
        self._latex: list[str] = []
        self._made: list[tuple[int, str]] = []

    def written(self, clean: str) -> WrittenArticle:
        for ends, tag, attributes, text in _TOKEN.findall(clean):
            if text:
                self._text(text)
            elif ends:
                self._close(tag)
            else:
                self._start(tag, attributes_of(attributes) if attributes else {})
        return WrittenArticle(self._pieces, self._blocks, sorted(self._tags), self._made)

    def _text(self, escaped: str) -> None:
        here = self._open[-1]
        if here.is_dropped:
            return
        words = unescape(escaped) if "&" in escaped else escaped
        if here.is_formula:
            if here.tag == "annotation":
                self._latex.append(words)
            return
        self._say(words, here)

    def _say(self, words: str, here: _Open) -> None:
        self._pieces.append(escape(words, quote=False))
        self._said += bool(words.strip())
        for owner in here.owners:
            owner.parts.append(words)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        above = self._open[-1]
        if "data-mw" in attributes and not above.is_dropped:
            self._made.append((len(self._pieces), attributes["data-mw"]))
        if tag in {"img", "br", "link"}:
            self._start_empty(tag, attributes, above)
            return
        here = _Open(
            tag, at=len(self._pieces), said=self._said, owners=above.owners, is_dropped=above.is_dropped,
            is_flat=above.is_flat, is_formula=above.is_formula, is_infobox=above.is_infobox, tables=above.tables,
            blocks=len(self._blocks), in_navigation=above.in_navigation,
        )  # fmt: skip
        self._open.append(here)
        if here.is_dropped:
            return
        if here.is_formula:
            self._latex += [attributes["alttext"]] if "alttext" in attributes else []
            return
        fate = fate_of(tag, attributes) if len(self._open) < _DEEPEST else ElementFate.UNWRAP
        if isinstance(fate, ElementFate):
            self._start_unnamed(here, fate, attributes)
        elif here.is_flat and fate in _ON_LINES:
            self._say(" ", here)
        else:
            self._start_named(here, fate, attributes)

    def _start_empty(self, tag: str, attributes: dict[str, str], above: _Open) -> None:
        if tag == "br" and not (above.is_dropped or above.is_formula):
            self._pieces.append("<br>")
            for owner in above.owners:
                owner.parts.append(" ")
        elif above.is_formula and not above.is_dropped:
            self._latex.append(attributes.get("alt", ""))

    def _start_unnamed(self, here: _Open, fate: ElementFate, attributes: dict[str, str]) -> None:
        if fate is ElementFate.REMOVE:
            here.is_dropped = True
        elif fate is ElementFate.FORMULA:
            here.is_formula, here.end = True, "formula"
            self._latex = [attributes["alttext"]] if "alttext" in attributes else []
        elif fate is ElementFate.BANNER:
            self._apart(here, '<p class="hatnote"><span class="wiki-tag">', "</span></p>", None)
            here.owners = ()
        elif fate is ElementFate.LINE:
            name = class_of_line(attributes)
            block = HtmlBlock("caption", here.at) if name == "caption" else None
            self._apart(here, f'<p class="{name}">', "</p>", block)
        elif fate is ElementFate.NAVIGATION:
            if not here.in_navigation:  # only the outermost is looked at
                here.was_lines = [opened.has_lines for opened in self._open[:-1]]
            here.owners, here.in_navigation = (), True
            self._start_named(here, here.tag, attributes)
        elif here.tag == "a":
            self._start_link(here, attributes)
        elif here.tag == "q":
            self._say("“", here)
        elif here.tag == "center" and not here.is_flat:
            self._start_named(here, "div", attributes)

    def _apart(self, here: _Open, start: str, end: str, block: HtmlBlock | None) -> None:
        """A line of its own; in another such line its words alone."""
        if here.is_flat:
            self._say(" ", here)
            return
        self._lines_begin()
        here.is_flat, here.end = True, end
        self._pieces.append(start)
        here.owners = self._own(here, block) if block else ()

    def _own(self, here: _Open, block: HtmlBlock) -> tuple[HtmlBlock, ...]:
        """Who gets the text of a block: itself, and the rows that it is in; of one in an item, only that."""
        block.is_outermost = not any(
            opened.block and opened.end != "</div>" for opened in self._open[:-1]
        )
        here.block = block
        self._blocks.append(block)
        around = [
            owner
            for owner in here.owners
            if owner.kind in {"row", "cell"}
            or (block.kind == "text" and owner.kind in {"item", "note"})
        ]
        return (*around, block)

    def _start_link(self, here: _Open, attributes: dict[str, str]) -> None:
        if "#cite_" in (target := attributes.get("href", "")) or target.startswith("#"):
            return
        title = attributes.get("title", "")
        is_new = "new" in attributes.get("class", "").split()
        shown = f' title="{escape(title)}"' if title and not is_new else ""
        self._pieces.append(f'<span class="link"{shown}>')
        here.end = "</span>"

    def _start_named(self, here: _Open, name: str, attributes: dict[str, str]) -> None:
        classes = attributes.get("class", "").split()
        here.end = f"</{name}>"
        if name in _ON_LINES:
            self._lines_begin()
        if name == "div":
            # A paragraph, unless there are lines in it.
            self._pieces.append("")
            here.owners = self._own(here, HtmlBlock("text", here.at))
        elif name == "table":
            here.tables += 1
            here.is_infobox = "infobox" in classes
            kind = "" if here.tables > 1 else "infobox" if here.is_infobox else "wikitable"
            self._pieces.append(f'<table class="{kind}">' if kind else "<table>")
        elif name == "sup":
            here.lengths = tuple(len(owner.parts) for owner in here.owners)
            self._pieces.append('<sup class="reference">' if "reference" in classes else "<sup>")
        elif name in {"td", "th"}:
            spans = "".join(
                f' {span}="{attributes[span]}"'
                for span in ("colspan", "rowspan")
                if _SPAN.fullmatch(attributes.get(span, ""))
            )
            self._pieces.append(f"<{name}{spans}>")
            if here.is_infobox and name == "td":
                here.owners = self._own(here, HtmlBlock("cell", here.at))
        elif name in _BLOCKS:
            self._pieces.append(f"<{name}>")
            is_note = attributes.get("id", "").startswith("cite_note")
            block = HtmlBlock("note" if is_note else _BLOCKS[name], here.at)
            if name in _HEADINGS:
                block.level, here.is_flat = int(here.tag[1]), True
            here.owners = self._own(here, block)
        else:
            kind = next((kind for kind in ("gallery", "references") if kind in classes), "")
            self._pieces.append(f'<{name} class="{kind}">' if kind else f"<{name}>")

    def _lines_begin(self) -> None:
        for opened in self._open[:-1]:
            opened.has_lines = True

    def _close(self, tag: str) -> None:
        if len(self._open) == 1:
            return
        here = self._open.pop()
        if here.is_dropped:
            return
        if here.is_formula:
            if here.end == "formula":
                self._close_formula()
            return
        if here.tag == "q":
            self._say("”", self._open[-1])
        if not here.end:
            return
        is_empty = self._said == here.said and here.end not in {"</td>", "</th>"}
        is_navigation = here.was_lines is not None and not holds_numbers(
            "".join(self._pieces[here.at :])
        )
        if is_empty or is_navigation:
            self._take_back(here)
            return
        self._end(here)
        if here.block:
            here.block.end = len(self._pieces)

    def _take_back(self, here: _Open) -> None:
        del self._pieces[here.at :]
        del self._blocks[here.blocks :]
        self._said = here.said
        self._tags = [at for at in self._tags if at < here.at]
        self._made = [made for made in self._made if made[0] < here.at]
        for opened, had_lines in zip(self._open, here.was_lines or (), strict=False):
            opened.has_lines = had_lines

    def _end(self, here: _Open) -> None:
        if here.end == "</div>":
            self._end_division(here)
        elif here.end == "</sup>":
            self._end_raised(here)
        elif here.end == "</dl>":
            self._end_definitions(here)
        elif here.end == "</table>" and here.tables == 1 and not here.is_infobox:
            self._end_table(here)
        else:
            self._pieces.append(here.end)
        if here.end == "</span></p>" and _OF_THE_TAG.search("".join(self._pieces[here.at :])):
            self._tags.append(here.at)
        if here.tag in {"dd", "dt"}:
            around = self._open[-1]
            around.has_terms |= here.tag == "dt"
            around.lines += (here.at, len(self._pieces) - 1)
        if here.end in {"</td>", "</th>", "</li>", "</p>"}:
            for owner in here.owners:
                owner.parts.append(" ")

    def _close_formula(self) -> None:
        """As our rendering shows it; of what the wiki says twice, the first."""
        latex = next((words.strip() for words in self._latex if words.strip()), "")
        inner = _TEX.fullmatch(latex)
        latex = (inner[1] if inner else latex).strip()
        if not latex:
            return
        words = formula_text(latex)
        if words is None:
            self._pieces.append("<code>")
        self._say(words or latex, self._open[-1])
        if words is None:
            self._pieces.append("</code>")

    def _end_division(self, here: _Open) -> None:
        if here.has_lines:
            if here.block in self._blocks[here.blocks : here.blocks + 1]:
                del self._blocks[here.blocks]
            return
        self._pieces[here.at] = "<p>"
        self._pieces.append("</p>")

    def _end_raised(self, here: _Open) -> None:
        """A tag is no part of the text, nor is any other mark in brackets, nor the number of a note."""
        words = unescape(re.sub(r"<[^>]*>", "", "".join(self._pieces[here.at + 1 :])))
        is_note = self._pieces[here.at] != "<sup>"
        if not is_note and not _BRACKETED.fullmatch(words):
            self._pieces.append("</sup>")
            return
        for owner, length in zip(here.owners, here.lengths, strict=True):
            del owner.parts[length:]
        is_tag = not is_note and bool(_OF_THE_TAG.search(words))
        self._tags += [here.at] * is_tag
        for owner in here.owners:
            owner.tags += [here.at] * is_tag
        self._pieces[here.at] = '<span class="wiki-tag">' if is_tag else '<sup class="reference">'
        self._pieces.append("</span>" if is_tag else "</sup>")

    def _end_definitions(self, here: _Open) -> None:
        """Indented lines, which define no term, are a list of items."""
        if here.has_terms:
            self._pieces.append("</dl>")
            return
        self._pieces[here.at] = '<ul class="indented">'
        for at in here.lines:
            self._pieces[at] = self._pieces[at].replace("dd", "li")
        self._pieces.append("</ul>")

    def _end_table(self, here: _Open) -> None:
        """It takes the focus, to be scrolled by keys: so it has a name."""
        captions = (block.text for block in self._blocks[here.blocks :] if block.kind == "caption")
        named = escape(" ".join(["Table", *next(captions, "").split()]))
        wrap = f'<div class="table-wrap" tabindex="0" role="group" aria-label="{named}">'
        self._pieces[here.at] = wrap + self._pieces[here.at]
        self._pieces.append("</table></div>")
