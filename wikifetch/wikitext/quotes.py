"""Bold and italic: which apostrophes are marks and which are text, line by line as MediaWiki decides. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_RUN = re.compile(r"('{2,})")
_TOGGLED = {2: "i", 3: "b", 5: "bi"}


@dataclass(frozen=True)
class Style:
    """Bold ("b") or italic ("i") begins, or ends."""

    mark: str
    begins: bool


def styled(pieces: list[Any]) -> Iterator[Any]:
    """Texts, and what is between them, with a Style in place of apostrophes; each line ends what it begins."""
    line: list[Any] = []
    for piece in pieces:
        first, *others = piece.split("\n") if isinstance(piece, str) else [piece]
        line.append(first)
        for other in others:
            yield from _styled_line(line)
            yield "\n"
            line = [other]
    yield from _styled_line(line)


def _styled_line(pieces: list[Any]) -> Iterator[Any]:
    tokens: list[Any] = []  # a number is the length of a run
    for piece in pieces:
        if isinstance(piece, str):
            tokens += [len(t) if n % 2 else t for n, t in enumerate(_RUN.split(piece))]
        else:
            tokens.append(piece)
    _balance(tokens)
    opened: list[str] = []
    for token in tokens:
        if isinstance(token, int):
            yield from _toggled(opened, _TOGGLED[token])
        elif token != "":
            yield token
    yield from _toggled(opened, "".join(opened))


def _balance(tokens: list[Any]) -> None:
    """Runs of 2, 3 or 5; the apostrophes left over are text before them."""
    runs = [at for at, token in enumerate(tokens) if isinstance(token, int)]
    for at in runs:
        over = 1 if tokens[at] == 4 else max(0, tokens[at] - 5)
        tokens[at] -= over
        tokens[at - 1] += "'" * over
    bold = sum(tokens[at] in {3, 5} for at in runs)
    italic = sum(tokens[at] in {2, 5} for at in runs)
    if bold % 2 and italic % 2 and (bolds := [at for at in runs if tokens[at] == 3]):
        at = _apostrophe(tokens, bolds)
        tokens[at] = 2
        tokens[at - 1] += "'"


def _apostrophe(tokens: list[Any], bolds: list[int]) -> int:
    """The bold mark that is an italic one after an apostrophe: after one letter, else after a word, else a blank."""
    first: dict[str, int] = {}
    for at in bolds:
        begin = max((n for n in range(at) if isinstance(tokens[n], int)), default=-1) + 1
        before = "".join(map(str, tokens[begin:at]))[-2:]
        if before[-1:] == " ":
            first.setdefault("blank", at)
        elif before[:1] == " ":
            return at
        else:
            first.setdefault("word", at)
    return first.get("word", first.get("blank", bolds[0]))


def _toggled(opened: list[str], marks: str) -> Iterator[Style]:
    """Ends those that are open, and begins the others; what is open within one that ends begins again."""
    again: list[str] = []
    ending = [mark for mark in opened if mark in marks]
    while ending:
        mark = opened.pop()
        yield Style(mark, False)
        if mark in ending:
            ending.remove(mark)
            marks = marks.replace(mark, "")
        else:
            again.append(mark)
    for mark in (*again, *marks):
        opened.append(mark)
        yield Style(mark, True)
