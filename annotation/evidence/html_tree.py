"""The sanitised HTML of an article as a tree with the places of its texts. Pure.

It reads what `wikifetch.article_html` gives: elements are closed, text is escaped. Offsets count the code points of
what a browser calls the element's textContent, without the blanks before it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape

BLANKS = " \t\n\r\f"
TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[^>"]++|"[^"]*+")*+)>')
_ATTRIBUTE = re.compile(r'\s([a-z]+)="([^"]*)"')
_VOID = {"br", "hr", "img", "wbr"}
_NOISE = {"wiki-tag", "left-out"}


@dataclass(eq=False)
class HtmlText:
    words: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.words)


@dataclass(eq=False)
class HtmlElement:
    """An element with its children in order; its text is [start, end) of the article's."""

    name: str
    written: str = ""  # its attributes as HTML
    parent: "HtmlElement | None" = None
    start: int = 0
    end: int = 0
    children: list["HtmlElement | HtmlText"] = field(default_factory=list)

    @cached_property
    def attributes(self) -> dict[str, str]:
        return {name: unescape(value) for name, value in _ATTRIBUTE.findall(self.written)}

    @cached_property
    def marks(self) -> frozenset[str]:
        return frozenset(self.attributes.get("class", "").split())

    @property
    def is_noise(self) -> bool:
        """Never copied: a citation mark, a tag, the mark of a template that is not shown."""
        return bool(self.marks & _NOISE) or (self.name == "sup" and "reference" in self.marks)

    def elements(self) -> Iterator["HtmlElement"]:
        """Itself and those in it, in order."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += [
                child for child in reversed(element.children) if isinstance(child, HtmlElement)
            ]


def text_and_tree(html: str) -> tuple[str, HtmlElement]:
    """The text of this HTML without the blanks around it, and its tree."""
    root = here = HtmlElement("")
    pieces: list[str] = []
    at = length = 0
    for tag in TAG.finditer(html):
        length += _add_text(here, html[at : tag.start()], length, pieces)
        at = tag.end()
        closing, name, attributes = tag.groups()
        if closing:
            here = _closed(here, name, length)
            continue
        element = HtmlElement(name, attributes, here, length, length)
        here.children.append(element)
        here = here if name in _VOID else element
        if name == "pre" and html.startswith("\n", at):  # a browser leaves it out
            at += 1
    length += _add_text(here, html[at:], length, pieces)
    root.end = length
    return "".join(pieces).rstrip(BLANKS), root


def _add_text(here: HtmlElement, escaped: str, start: int, pieces: list[str]) -> int:
    words = unescape(escaped) if start else unescape(escaped).lstrip(BLANKS)
    if words:
        here.children.append(HtmlText(words, start))
        pieces.append(words)
    return len(words)


def _closed(here: HtmlElement, name: str, end: int) -> HtmlElement:
    """What is open after the end of the innermost element of this name."""
    while here.parent:
        here.end = end
        closed, here = here, here.parent
        if closed.name == name:
            break
    return here
