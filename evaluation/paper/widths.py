"""How wide LaTeX source is when it is set, and the widths of a table's columns that follow. Pure.

An estimate from above, for Computer Modern in the size \\small of a text at 10 pt: each letter is taken as wide as the
widest of its kind. Lengths are in points (pt).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from evaluation.charts.letters import Font, pieces
from pages.latex import escaped

# The text of the class article at 10 pt, and half the space between two columns.
TEXT, SEP = 345.0, 4.0
# Computer Modern at \small, 9 pt.
ROMAN = Font(thin=2.9, narrow=3.8, usual=5.3, capital=7.4, wide=9.7)
# A word is broken where it is wider, so that a column can always be this narrow.
LONGEST = 64.0
# Where TeX may end a line: it does so at spaces and hyphens too.
AFTER_A_SIGN, WITHIN_A_WORD = r"\allowbreak{}", r"\penalty500{}"
_BREAK = re.compile(rf"\s+|{re.escape(AFTER_A_SIGN)}|{re.escape(WITHIN_A_WORD)}|(?<=-)(?!-)")


def breakable(text: str) -> str:
    """Text for LaTeX in which no piece that stays on one line is wider than LONGEST."""
    words = re.split(r"(\s+|(?<=-))", text)
    return "".join(
        escaped(word) if ROMAN.width(word) <= LONGEST else _broken(word) for word in words
    )


def _broken(word: str) -> str:
    """Broken after its signs, and anywhere in a piece that is still too wide."""
    return AFTER_A_SIGN.join(
        WITHIN_A_WORD.join(map(escaped, pieces(part, ROMAN, LONGEST)))
        for part in re.split(r"(?<=[_/.:+@])", word)
        if part
    )


def whole(latex: str) -> float:
    """The width of a cell on one line."""
    return ROMAN.width(
        _letters(_BREAK.sub(lambda at: " " if at[0].isspace() else "", _tied(latex)))
    )


def narrowest(latex: str) -> float:
    """The width of the widest piece of a cell that stays on one line."""
    return max(ROMAN.width(_letters(piece)) for piece in _BREAK.split(_tied(latex)))


def _tied(latex: str) -> str:
    """With ties for the spaces and hyphens at which no line ends: those of boxes and formulas."""
    return re.sub(r"\\mbox\{[^{}]*\}|\$[^$]*\$", lambda box: re.sub(r"[\s-]", "~", box[0]), latex)


def _letters(latex: str) -> str:
    """The letters that the source sets, or others of their width."""
    text = re.sub(r"\\text\w+\{\}|\\ldots\{\}", "W", latex)
    text = re.sub(r"\\([&%$#_,])", r"\1", re.sub(r"\\[a-z]+", "x", text.replace(r"\mbox", "")))
    return re.sub(r"[{}$]", "", text).replace("~", " ")


@dataclass(frozen=True)
class TablePart:
    """A table, or a part of one that has too many columns: which of the columns, and their widths."""

    columns: tuple[int, ...]
    widths: tuple[float, ...]

    @property
    def width(self) -> float:
        """With the space between columns."""
        return sum(self.widths) + 2 * SEP * (len(self.widths) - 1)


def laid_out(columns: Sequence[Sequence[str]], keys: int) -> list[TablePart]:
    """Columns of cells within TEXT: in as many parts as that takes, each with the first `keys` columns."""
    least = [max(map(narrowest, cells)) + 0.5 for cells in columns]
    wanted = [max(map(whole, cells)) + 0.5 for cells in columns]
    parts: list[list[int]] = [[*range(keys)]]
    for column in range(keys, len(columns)):
        mine = [*parts[-1], column]
        if len(mine) > keys + 1 and _room(least, mine) < 0:
            parts.append([*range(keys), column])
        else:
            parts[-1] = mine
    return [TablePart(tuple(part), _widths(least, wanted, part)) for part in parts]


def _room(widths: Sequence[float], part: Sequence[int]) -> float:
    return TEXT - 2 * SEP * (len(part) - 1) - sum(widths[column] for column in part)


def _widths(
    least: Sequence[float], wanted: Sequence[float], part: Sequence[int]
) -> tuple[float, ...]:
    """The widths wanted, or the least ones with the room left shared out by what each lacks; rounded down to 0.1."""
    lacking = sum(wanted[column] - least[column] for column in part)
    share = min(1.0, _room(least, part) / lacking) if lacking else 0.0
    return tuple(
        floor(10 * (least[column] + share * (wanted[column] - least[column]))) / 10
        for column in part
    )


def lines_of(row: Sequence[str], part: TablePart) -> int:
    """About how many lines a row takes."""
    return max(
        ceil(1.1 * whole(row[column]) / width) or 1
        for column, width in zip(part.columns, part.widths, strict=True)
    )
