"""The marked passage of an article as the browser copies it when a person selects it. Pure.

static/js/annotation/passages.js and elements/article-text.js have the same rules; tests/annotation/capture_cases.json
drives both. Blanks are those of JavaScript.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotation.evidence.article_text import CITATION
from annotation.evidence.html_tree import HtmlElement, HtmlText, text_and_tree
from annotation.evidence.table_names import TableNames, cells_of

_BLANKS = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_RUN = re.compile("[ \t\xa0]+")
_POWER = re.compile(r"[+\-−]?[0-9][0-9.]*")
_ON_LINES = {
    "p", "div", "li", "ul", "ol", "dl", "dd", "dt", "h3", "h4", "h5", "h6", "tr", "table", "blockquote", "caption",
    "pre",
}  # fmt: skip
_LISTS, _ITEMS = {"ul", "ol", "dl"}, {"li", "dd", "dt"}
_DEEPEST = 100  # elements in one another; of deeper ones the text is read


@dataclass(frozen=True)
class MarkedPiece:
    """Words as copied, from [start, end) of the article's text (article_text.py)."""

    text: str
    start: int
    end: int


def marked_pieces(html: str, most: int) -> list[MarkedPiece]:
    """What is copied of each marked unit, one piece of those that follow each other; none if they are over `most` long.

    The items in an item are units of their own, as for the sentence cursor.
    """
    _, root = text_and_tree(html)
    leaves = [leaf for leaf in _texts(root) if leaf.words.strip(_BLANKS)]
    numbers = {leaf: n for n, leaf in enumerate(leaves)}
    taken: set[HtmlText] = set()
    pieces: list[tuple[str, list[HtmlText]]] = []
    reader = _Reader(most)
    for element in root.elements():
        if "tagged" not in element.marks:
            continue
        own = [leaf for leaf in _own_texts(element) if leaf in numbers and leaf not in taken]
        text = reader.unit(element) if own else ""
        if reader.left < 0:
            return []
        taken.update(own)
        if not text:
            continue
        if pieces and numbers[own[0]] == numbers[pieces[-1][1][-1]] + 1:
            before, texts = pieces.pop()
            text, own = f"{before}\n{text}", [*texts, *own]
        pieces.append((text, own))
    return [MarkedPiece(text, *_place(texts[0], texts[-1])) for text, texts in pieces]


def _place(first: HtmlText, last: HtmlText) -> tuple[int, int]:
    lead = len(first.words) - len(first.words.lstrip(_BLANKS))
    return first.start + lead, last.start + len(last.words.rstrip(_BLANKS))


def _texts(node: HtmlElement, without: frozenset[str] = frozenset()) -> Iterator[HtmlText]:
    """The texts that can be copied, in order."""
    waiting: list[HtmlElement | HtmlText] = [node]
    while waiting:
        here = waiting.pop()
        if isinstance(here, HtmlText):
            yield here
        elif not here.is_noise and here.name not in without:
            waiting += reversed(here.children)


def _own_texts(element: HtmlElement) -> Iterator[HtmlText]:
    return _texts(element, frozenset(_LISTS) if element.name in _ITEMS else frozenset())


class _Reader:
    """Reads what is copied of units; `left` is how many characters are left of the most, below zero if it is more."""

    def __init__(self, most: int) -> None:
        self.left = most
        self._most_read = 10 * most  # before blanks and citation marks are taken out
        self._tables = TableNames()

    def unit(self, element: HtmlElement) -> str:
        if element.name == "tr":
            text = self._row(element, 0)
        elif element.name in _ITEMS:
            text = self._inside((c for c in element.children if not _is_list(c)), 0)
        else:
            text = self._inside(element.children, 0)
        text = self._fitting(tidy(text))
        self.left -= len(text)
        return text

    def _fitting(self, text: str) -> str:
        if len(text) > self.left:
            self.left = -1
        return text

    def _read(self, node: HtmlElement | HtmlText, depth: int) -> str:
        if isinstance(node, HtmlText):
            return node.words.replace("\n", " ").replace("\t", " ")
        if node.is_noise:
            return ""
        if node.name == "br":
            return "\n"
        if depth > _DEEPEST:
            return "".join(leaf.words for leaf in _texts(node))
        if node.name == "tr":
            return f"\n{self._row(node, depth + 1)}\n"
        inner = self._inside(node.children, depth + 1)
        if node.name == "sup" and _POWER.fullmatch(inner.strip(_BLANKS)):
            return f"^{inner.strip(_BLANKS)}"
        return f"\n{inner}\n" if node.name in _ON_LINES else inner

    def _inside(self, nodes: Iterable[HtmlElement | HtmlText], depth: int) -> str:
        pieces, length = [], 0
        for node in nodes:
            if self.left < 0:
                break
            pieces.append(self._read(node, depth))
            length += len(pieces[-1])
            if length > self._most_read:
                self.left = -1
        return "".join(pieces)

    def _row(self, row: HtmlElement, depth: int) -> str:
        """One cell as its text, of several each with its names."""
        own = cells_of(row)
        if len(own) < 2:
            return "".join(self._inside(cell.children, depth) for cell in own)
        named = []
        for cell, names in self._tables.named_cells(row):
            texts = (cell_text(self._inside(each.children, depth)) for each in (*names, cell))
            *headers, text = map(self._fitting, texts)
            if self.left < 0:
                break
            named.append((headers, text))
        return row_text(named)


def _is_list(node: HtmlElement | HtmlText) -> bool:
    return isinstance(node, HtmlElement) and node.name in _LISTS


def tidy(text: str) -> str:
    """Citation marks gone, blanks folded, no empty lines."""
    lines = _RUN.sub(" ", CITATION.sub("", text)).split("\n")
    return "\n".join(filter(None, (line.strip(_BLANKS) for line in lines)))


def cell_text(text: str) -> str:
    """The lines of a cell as one."""
    whole = ""
    for line in tidy(text).split("\n"):
        is_list = whole and whole[-1] not in ",;:" and not line.startswith("(")
        whole += f", {line}" if is_list else f" {line}"
    return whole.strip(_BLANKS)


def row_text(cells: Iterable[tuple[list[str], str]]) -> str:
    """(names, text) of cells in order as "Header: value | Header: value", an empty cell as an empty value."""
    texts = []
    for headers, text in cells:
        names = dict.fromkeys(filter(None, (name.removesuffix(":") for name in headers)))
        texts.append(f"{', '.join(names)}: {text}".strip(_BLANKS) if names else text)
    return re.sub(" {2,}", " ", " | ".join(texts)).strip(_BLANKS)
