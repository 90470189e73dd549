"""A block's words as HTML: a sink for the walk over it. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

import mwparserfromhell

from wikifetch.wikitext.captions import caption_of
from wikifetch.wikitext.parameters import parse_parameters
from wikifetch.wikitext.positions.unread import unread_spans
from wikifetch.wikitext.tag_names import FILL, HOLDERS, TagNames, fold
from wikifetch.wikitext.templates.tabled import TABLED, template_key
from wikifetch.wikitext.templates.words import is_note, may_state_facts
from wikifetch.wikitext.tree import walk

_REF = re.compile(r"<ref\b[^<>]*>(.*)</ref\s*>", re.IGNORECASE | re.DOTALL)
_KEPT = {
    "b", "i", "sup", "sub", "small", "s", "u", "code", "td", "th", "tr", "blockquote", "dd", "dt", "p",
}  # fmt: skip
_CELLS = {"td", "th"}
_MOST_WRAPPERS = 3


@dataclass(frozen=True)
class Aside:
    """What a wiki shows apart from the text around it: `kind` is "caption", "hatnote" or "note" (one that holds a tag).

    `raw` is its wikitext ("" of a template), `html` its words, escaped; `has_tag`: a tag is in it.
    """

    kind: str
    raw: str
    html: str
    has_tag: bool


@dataclass
class OpenTag:
    """The tag that a page is about: its wikitext, and how many of the same are written in its unit before it."""

    raw: str
    before: int

    def is_next(self, raw: str) -> bool:
        """Whether the tag that is written now is the one."""
        is_same = raw.strip(" |\n") == self.raw.strip(" |\n")
        self.before -= is_same
        return is_same and self.before == -1


@dataclass
class _Kept:
    """The captions and notes of an item or cell, of which the parts begin at `start`."""

    start: int
    asides: list[str] = field(default_factory=list)

    def lines(self, parts: list[str]) -> Iterator[str]:
        """Each on a line of its own, below what there is to read."""
        written = self.asides and re.sub(r"<[^>]*>", "", "".join(parts[self.start :])).strip()
        for number, aside in enumerate(self.asides):
            yield f"<br>{aside}" if number or written else aside


class HtmlSink:
    """A sink that writes escaped HTML. Attributes come from this module alone, but for table spans.

    Captions and notes come in `asides`, or with `inline` (rows, items) at the end of the cell or item: sentences stay
    whole.
    """

    def __init__(
        self,
        numbering: Iterator[int],
        names: TagNames,
        open_tag: OpenTag,
        *,
        inline: bool = False,
    ) -> None:
        self.parts: list[str] = []
        self.asides: list[Aside] = []
        self.says_something = False
        self._numbering = numbering
        self._names = names
        self._open_tag = open_tag
        self._inline = inline
        self._tables = 0
        self._wrappers = 0  # templates in one another
        self._kept: list[_Kept] = [_Kept(0)]  # of the item, and of each cell that is open

    @property
    def html(self) -> str:
        """What was written; "" where there is nothing to read in it."""
        if not self.says_something:
            return ""
        return "".join([*self.parts, *self._kept[0].lines(self.parts)]).strip()

    def text(self, words: str) -> None:
        self.parts.append(escape(words.replace(FILL, "")))
        self.says_something |= bool(words.strip())

    def end(self, wikitext: str) -> None:
        """After the walk: the tags, where none was written, as of an argument that a template does not show."""
        written = [*self.parts, *self._kept[0].asides, *(aside.html for aside in self.asides)]
        if not any('class="wiki-tag"' in part for part in written):
            self.parts += map(self._shown_tag, self._tags_in(wikitext))

    def verbatim(self, wikitext: str, *, in_row: bool) -> None:
        """What is not parsed, as it is written."""
        words = f"<code>{escape(wikitext)}</code>"
        self.parts.append(f"<tr><td>{words}</td></tr>" if in_row else words)
        self.says_something = True

    def open(self, mark: str, attributes: Mapping[str, str]) -> None:
        if mark == "br" or (mark in {"li", "dd", "dt"} and self._inline and self.says_something):
            self.parts.append("<br>")
        elif mark == "table":
            self._tables += 1
            self.parts.append("<table>" if self._tables > 1 else "")
        elif mark == "link":
            to = attributes.get("to", "")
            self.parts.append(
                f'<span class="link" title="{escape(to)}">' if to else '<span class="link">'
            )
        elif mark in _KEPT:
            spans = "".join(
                f' {name}="{attributes[name].strip()}"'
                for name in ("colspan", "rowspan")
                if re.fullmatch(r"\s*\d{1,3}\s*", attributes.get(name, ""))
            )
            self.parts.append(f"<{mark}{spans}>")
            if mark in _CELLS:
                self._kept.append(_Kept(len(self.parts)))

    def close(self, mark: str) -> None:
        if mark == "table":
            self.parts.append("</table>" if self._tables > 1 else "")
            self._tables -= 1
        elif mark == "link":
            self.parts.append("</span>")
        elif mark in _KEPT:
            if mark in _CELLS and len(self._kept) > 1:
                self.parts += self._kept.pop().lines(self.parts)
            self.parts.append(f"</{mark}>")

    def apart(self, kind: str, words: str) -> None:
        self._write_aside(kind, "", escape(words))

    def leave_out(self, what: str, raw: str) -> None:
        raw = raw.replace(FILL, "")
        if what == "reference" or is_note(raw.removeprefix("{{")):
            self._write_note(raw)
        elif what == "file":
            caption = caption_of(raw)
            if caption.is_shown or self._has_tag(raw):
                self._write_aside("caption", raw, self._inner(caption.wikitext))
        elif what == "element" and raw[:8].lower() == "<gallery":
            for line in raw.split("\n")[1:-1]:
                self._write_aside("caption", line, self._inner(caption_of(line).wikitext))
        elif what == "element" and raw[:11].lower() == "<references":
            for start, end in unread_spans(inner := raw.partition(">")[2], ("ref",)):
                if self._has_tag(inner[start:end]):
                    self._write_note(inner[start:end])
        elif what == "element" and raw[:10].lower() != "<templatest":
            self._write_left_out(raw)
        elif what == "template":
            self._write_template(raw)

    def _write_note(self, raw: str) -> None:
        mark = f'<sup class="reference">[{next(self._numbering)}]</sup>'
        self.parts.append(mark)
        if self._has_tag(raw):
            ref = _REF.fullmatch(raw)
            words = ref[1] if ref else dict(parse_parameters(raw)).get("1", "")
            self._write_aside("note", raw, f"{mark} {self._inner(words)}")

    def _inner(self, wikitext: str) -> str:
        inner = HtmlSink(self._numbering, self._names, self._open_tag, inline=True)
        walk(wikitext, inner)
        return inner.html

    def _write_aside(self, kind: str, raw: str, html: str) -> None:
        if not html:
            return
        if self._inline:
            self._kept[-1].asides.append(f'<span class="{kind}">{html}</span>')
            self.says_something = True
        else:
            self.asides.append(Aside(kind, raw, html, self._has_tag(raw)))

    def _has_tag(self, raw: str) -> bool:
        return bool(self._names.hint_pattern.search(raw))

    def _write_template(self, raw: str) -> None:
        name = raw[2:-2].partition("|")[0].strip()
        if self._names.kind_of(name):
            self._write_tag(raw)
        elif fold(name) in HOLDERS:
            for part in raw[2:-2].split("\n"):
                if self._has_tag(part):
                    self._write_tag(part.strip(" |"))
        elif mark := TABLED["marks"].get(template_key(name)):
            self.parts.append(f'<sup class="reference">[{mark}]</sup>')
        else:
            self._write_left_out(raw)
            self._write_wrapped(raw, may_state_facts(name))

    def _write_wrapped(self, raw: str, has_words: bool) -> None:
        """The tags in a template that is not shown, with the words that it wraps together with one."""
        if not has_words or self._wrappers == _MOST_WRAPPERS:
            self.parts += map(self._shown_tag, self._tags_in(raw))
            return
        self._wrappers += 1
        for _, value in parse_parameters(raw) if self._has_tag(raw) else ():
            if self._has_tag(value):
                walk(value.strip(), self)
        self._wrappers -= 1

    def _write_left_out(self, raw: str) -> None:
        self.parts.append(f'<span class="left-out" title="{escape(raw[:200])}">⋯</span>')
        self.says_something = True

    def _write_tag(self, raw: str) -> None:
        self.parts.append(self._shown_tag(raw))
        self.says_something = True

    def _tags_in(self, raw: str) -> Iterator[str]:
        """The tags in wikitext that is not shown."""
        if self._has_tag(raw):
            for template in mwparserfromhell.parse(raw).filter_templates():
                if self._names.kind_of(str(template.name)):
                    yield str(template)

    def _shown_tag(self, raw: str) -> str:
        """Its name, as the wiki shows it; its wikitext is the title."""
        name = " ".join(raw.removeprefix("{{").partition("|")[0].removesuffix("}}").split())
        current = ' aria-current="true"' if self._open_tag.is_next(raw) else ""
        return f'<span class="wiki-tag" title="{escape(raw)}"{current}>[{escape(name)}]</span>'
