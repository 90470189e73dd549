"""The text of an article as it is shown, with what is where in it. Pure.

It reads the sanitised HTML of `wikifetch.article_html`: elements are closed, text is escaped. The text is what a
browser calls the element's textContent, without blanks around it; offsets count code points.
static/js/annotation/elements/article-text.js counts the same.
"""

import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from pages.memory import ARTICLES

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^>"]++|"[^"]*+")*+)>')
_CLASS = re.compile(r'\sclass="([^"]*)"')
_BLANKS = " \t\n\r\f"
_VOID = {"br", "hr", "img", "wbr"}
_HEADING = re.compile("h[1-6]")
_NOISE = {"wiki-tag", "left-out"}
_CITATION = re.compile(
    r"\[(?:[0-9]{1,3}|[a-z]|note [0-9]{1,3}|citation needed|inconsistent|contradictory)\]",
    re.IGNORECASE | re.ASCII,
)
# The kinds of element that decide what a passage comes from, the strongest first.
_KINDS = ("infobox", "table", "other", "list")
_ASIDES = {"caption", "note", "thumbcaption", "gallerybox"}


@dataclass(frozen=True)
class TextSpan:
    """A piece of the text, [start, end), and what it is."""

    kind: str
    start: int
    end: int


@dataclass
class ArticleText:
    """The `text`; its `noise`, which is never copied; `headings`, their level as kind; spans of `kinds`; `tagged`."""

    text: str
    noise: list[TextSpan] = field(default_factory=list)
    headings: list[TextSpan] = field(default_factory=list)
    kinds: list[TextSpan] = field(default_factory=list)
    tagged: list[TextSpan] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        return sha256_of(self.text)

    def kind_at(self, position: int) -> str:
        """What the text there is: text, infobox, table, list or other."""
        around = {span.kind for span in self.kinds if span.start <= position < span.end}
        if "indented" in around:  # lines of a talk page's reply
            around.discard("list")
        return next((kind for kind in _KINDS if kind in around), "text")

    def section_at(self, position: int) -> str:
        """The headings above, outermost first, joined by " / "; "" in the lead."""
        above: list[TextSpan] = []
        last = bisect_right(self.headings, position, key=lambda heading: heading.start)
        for heading in self.headings[:last]:
            above = [*(h for h in above if h.kind < heading.kind), heading]
        return " / ".join(" ".join(self.text[h.start : h.end].split()) for h in above)

    def in_tagged(self, start: int, end: int) -> bool:
        return any(span.start < end and start < span.end for span in self.tagged)

    def allows(self, start: int, end: int, copied: str) -> bool:
        """Whether `copied` can have been copied from [start, end): it has the same letters and digits.

        A row of a table is copied with more: the headers of its columns, and cells that span several rows.
        """
        if not 0 <= start < end <= len(self.text):
            return False
        there, here = letters("".join(self._read(start, end))), letters(copied)
        rows = any(
            span.kind in ("table", "infobox") and span.start < end and start < span.end
            for span in self.kinds
        )
        return bool(there) and (there == here or (rows and Counter(there) <= Counter(here)))

    def _read(self, start: int, end: int) -> Iterator[str]:
        for span in self.noise:
            if start < span.end and span.start < end:
                yield self.text[start : max(start, span.start)]
                start = span.end
        yield self.text[start:end]


def text_and_parts(html: str) -> ArticleText:
    """The text of this HTML with its parts."""
    pieces: list[str] = []
    open_elements: list[tuple[str, frozenset[str], int]] = []
    spans: list[tuple[str, TextSpan]] = []
    at = length = 0
    for tag in _TAG.finditer(html):
        text = unescape(html[at : tag.start()])
        pieces.append(text)
        length, at = length + len(text), tag.end()
        closing, name, attributes = tag.groups()
        if closing:
            while open_elements:
                opened, marks, start = open_elements.pop()
                spans += [
                    (what, TextSpan(kind, start, length)) for what, kind in _parts(opened, marks)
                ]
                if opened == name:
                    break
        elif name not in _VOID:
            open_elements.append((name, _marks(attributes), length))
            if name == "pre" and html.startswith("\n", at):  # a browser leaves it out
                at += 1
    pieces.append(unescape(html[at:]))
    return _stripped("".join(pieces), spans)


def text_of_html(html: str) -> str:
    """The text alone, as fast as that goes."""
    plain = re.sub(r"(<pre(?:[^>\"]++|\"[^\"]*+\")*+>)\n", r"\1", html)
    return unescape(_TAG.sub("", plain)).strip(_BLANKS)


@ARTICLES.remembers
def text_sha256(html: str) -> str:
    return sha256_of(text_of_html(html))


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def letters(text: str) -> str:
    """The letters and digits of a text without citation marks: what copying never changes."""
    return "".join(filter(str.isalnum, _CITATION.sub("", text)))


def _marks(attributes: str) -> frozenset[str]:
    classes = _CLASS.search(attributes)
    return frozenset(unescape(classes[1]).split()) if classes else frozenset()


def _parts(name: str, marks: frozenset[str]) -> Iterator[tuple[str, str]]:
    """(list of ArticleText, kind) of each part that this element makes."""
    if marks & _NOISE or (name == "sup" and "reference" in marks):
        yield "noise", name
    if _HEADING.fullmatch(name):
        yield "headings", name
    if "tagged" in marks:
        yield "tagged", name
    if "infobox" in marks:
        yield "kinds", "infobox"
    elif name == "table":
        yield "kinds", "table"
    if marks & _ASIDES or name == "figcaption":
        yield "kinds", "other"
    elif name in ("li", "dd", "dt"):
        yield "kinds", "list"
    if "indented" in marks:
        yield "kinds", "indented"


def _stripped(text: str, spans: list[tuple[str, TextSpan]]) -> ArticleText:
    lead = len(text) - len(text.lstrip(_BLANKS))
    found = ArticleText(text.strip(_BLANKS))
    for what, span in sorted(spans, key=lambda found: (found[1].start, -found[1].end)):
        moved = TextSpan(span.kind, max(span.start - lead, 0), max(span.end - lead, 0))
        getattr(found, what).append(moved)
    return found
