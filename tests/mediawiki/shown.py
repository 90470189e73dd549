"""What a MediaWiki shows: the tags of a page's HTML, with the words of the unit that each is in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"br", "hr", "img", "wbr", "input", "link", "meta", "col"}
_UNITS = {
    "li",
    "dd",
    "dt",
    "tr",
    "caption",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "div",
    "blockquote",
    "pre",
    "center",
    "root",
}
_LINES = _UNITS | {
    "p",
    "ul",
    "ol",
    "dl",
    "table",
    "tbody",
    "td",
    "th",
    "center",
    "hr",
    "figure",
    "section",
}
_BESIDE = frozenset({"thumb", "gallery", "mw-references-wrap"})  # no part of a section's text
_MARKS = "mw-cite-backlink", "reference", "oracle", "mw-editsection", "autonumber"


@dataclass(eq=False)
class Element:
    name: str
    attributes: dict
    around: "Element | None" = None
    inside: list = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    @property
    def is_mark(self) -> bool:
        """Whether it is no part of the words: a tag, a note's number, a picture's file."""
        title = self.attributes.get("title") or ""
        is_file = self.name == "a" and title.startswith(("File:", "Template:"))
        above = self.around and self.around.around
        in_gallery = "thumb" in self.classes and above and "gallerybox" in above.classes
        return is_file or bool(in_gallery) or any(mark in self.classes for mark in _MARKS)

    def elements(self) -> Iterator["Element"]:
        for each in self.inside:
            if isinstance(each, Element):
                yield each
                yield from each.elements()


class _Tree(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.at = self.root = Element("root", {})
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = Element(tag, dict(attrs), self.at)
        self.at.inside.append(element)
        if tag not in _VOID:
            self.at = element

    def handle_endtag(self, tag):
        if tag not in _VOID:
            self.at = self.at.around

    def handle_data(self, data):
        self.at.inside.append(data)


def words_of(pieces: list, beside: frozenset[str] = frozenset()) -> str:
    """Without elements of these classes; with one blank between words, and where a line or cell ends."""
    return " ".join("".join(_texts(pieces, beside)).split())


def _texts(pieces: list, beside: frozenset[str] = frozenset()) -> Iterator[str]:
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif not piece.is_mark and not beside & set(piece.classes):
            gap = " " if piece.name in _LINES or piece.name == "br" else ""
            yield gap
            yield from _texts(piece.inside, beside)
            yield gap


@dataclass(frozen=True)
class Shown:
    """A tag as the wiki shows it: what its template prints, and the words of the unit that it is in or speaks of."""

    printed: tuple[str, ...]
    words: str


def tags_shown(html: str) -> list[Shown]:
    root = _Tree(html).root
    return [
        Shown(
            tuple(p.strip() for p in "".join(_texts(each.inside)).strip("⟦⟧").split("¦")),
            _unit_words(each),
        )
        for each in root.elements()
        if "oracle" in each.classes
    ]


def _unit_words(tag: Element) -> str:
    if tag.name == "div":
        return _section_words(tag)
    words = words_of(_unit(tag))
    return words if re.search(r"\w", words) else _nearest(tag)


def _unit(tag: Element) -> list:
    """What is in the smallest unit: the row, or the text between two elements with lines of their own."""
    holder = tag.around
    while holder.name not in _UNITS and not (
        holder.name == "p" and holder.around.name not in {"td", "th"}
    ):
        holder = holder.around
    if holder.name == "tr":
        return holder.inside
    pieces = list(_flat(holder.inside))
    here = pieces.index(tag)
    first = next((n + 1 for n in range(here, -1, -1) if pieces[n] is None), 0)
    last = next((n for n in range(here, len(pieces)) if pieces[n] is None), len(pieces))
    return pieces[first:last]


def _flat(pieces: list) -> Iterator:
    """Texts and marks, and None where an element with lines of its own begins or ends."""
    for piece in pieces:
        if isinstance(piece, str) or piece.is_mark:
            yield piece
        elif piece.name == "br":
            yield " "
        else:
            if piece.name in _LINES:
                yield None
            yield from _flat(piece.inside)
            if piece.name in _LINES:
                yield None


def _nearest(tag: Element) -> str:
    """The part of the page around a tag if it has words, else the one before it, else after, below one heading."""
    at = tag
    while at.around.name not in {"root", "div", "blockquote", "center"}:
        at = at.around
    parts = at.around.inside
    here = parts.index(at)
    for side in (parts[here : here + 1], parts[:here][::-1], parts[here + 1 :]):
        for part in side:
            if isinstance(part, Element) and re.fullmatch(r"h\d", part.name):
                break
            if re.search(r"\w", words := words_of([part])):
                return words
    return ""


def _section_words(tag: Element) -> str:
    """Of the section, with its heading and those below, or of the lead."""
    at = tag
    while at.around.name != "root":
        at = at.around
    parts = at.around.inside
    here = parts.index(at)
    level, first, last = "h0", 0, len(parts)
    for n, part in enumerate(parts):
        if isinstance(part, Element) and re.fullmatch(r"h\d", part.name):
            if n < here:
                level, first = part.name, n
            elif level == "h0" or part.name <= level:
                last = n
                break
    return words_of(parts[first:last], _BESIDE)
