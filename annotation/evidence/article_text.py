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

from annotation.evidence.html_tree import BLANKS, TAG, HtmlElement, text_and_tree
from pages.memory import ARTICLES

_HEADING = re.compile("h[1-6]")
CITATION = re.compile(
    r"\[(?:[0-9]{1,3}|[a-z]|note [0-9]{1,3}|citation needed|inconsistent|contradictory)\]",
    re.IGNORECASE | re.ASCII,
)
# The kinds of element that decide what a passage comes from, the strongest first.
_KINDS = ("infobox", "table", "other", "list")
_OTHER = {"caption", "note", "gallery", "references"}


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
    text, root = text_and_tree(html)
    found = ArticleText(text)
    for element in root.elements():
        for what, kind in _parts(element):
            getattr(found, what).append(TextSpan(kind, element.start, element.end))
    return found


def text_of_html(html: str) -> str:
    """The text alone, as fast as that goes."""
    plain = re.sub(r"(<pre(?:[^>\"]++|\"[^\"]*+\")*+>)\n", r"\1", html)
    return unescape(TAG.sub("", plain)).strip(BLANKS)


@ARTICLES.remembers
def text_sha256(html: str) -> str:
    return sha256_of(text_of_html(html))


def sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def letters(text: str) -> str:
    """The letters and digits of a text without citation marks: what copying never changes."""
    return "".join(filter(str.isalnum, CITATION.sub("", text)))


def _parts(element: HtmlElement) -> Iterator[tuple[str, str]]:
    """(list of ArticleText, kind) of each part that this element makes."""
    name, marks = element.name, element.marks
    if element.is_noise:
        yield "noise", name
    if _HEADING.fullmatch(name):
        yield "headings", name
    if "tagged" in marks:
        yield "tagged", name
    if "infobox" in marks:
        yield "kinds", "infobox"
    elif name == "table":
        yield "kinds", "table"
    if marks & _OTHER or _HEADING.fullmatch(name):
        yield "kinds", "other"
    elif name in ("li", "dd", "dt"):
        yield "kinds", "list"
    if "indented" in marks:
        yield "kinds", "indented"
