"""A block's words as text: a sink for the walk over it. Pure."""

import re
from collections.abc import Mapping

from wikifetch.wikitext.tag_names import FILL

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
        self.parts.append(words.replace(FILL, ""))

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
        if what == "category" and self.parts:  # a wiki leaves out the blanks before it too
            self.parts[-1] = self.parts[-1].rstrip(" \t")
        self.left_out.append((what, raw.replace(FILL, "")))

    def _write_power(self, start: int) -> None:
        """10<sup>3</sup> is 10^3: written without the mark it would be another number."""
        power = "".join(self.parts[start:])
        if re.fullmatch(r"\s*[+\-−]?\d[\d.]*\s*", power):
            self.parts[start:] = [f"^{power.strip()}"]


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
