"""The scores of two reports next to each other: the figures of tables that both have. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.report.score_sections import score_tables
from evaluation.report.sentences import MINUS
from evaluation.shapes.study_report import Report

# Figures by the words of line and column.
Shares = dict[tuple[str, str], str]


@dataclass(frozen=True)
class TwoFigures:
    """A figure of a table in both reports, "" where one lacks it, and second less first."""

    line: str
    column: str
    sides: Sequence[str]
    difference: str


@dataclass(frozen=True)
class TwoTables:
    """A measure of a table that one report has at least, figure by figure."""

    title: str
    origin: str
    measure: str
    unit: str
    rows: tuple[TwoFigures, ...]


def scores_next_to(first: Report, second: Report) -> list[TwoTables]:
    """Matched by the names of tables and measures, and by the words of lines and columns."""
    mine, other = _tables(first), _tables(second)
    found = []
    for key in {**mine, **other}:
        words, shares = mine.get(key) or (other[key][0], {})
        others = other[key][1] if key in other else {}
        sides = ((at, shares.get(at, ""), others.get(at, "")) for at in {**shares, **others})
        rows = tuple(TwoFigures(*at, of, _difference(*of)) for at, *of in sides)
        found.append(TwoTables(*words, rows))
    return found


def _tables(report: Report) -> dict[tuple[str, str], tuple[tuple[str, str, str, str], Shares]]:
    """By the names of table and measure: title, origin, measure and unit, and the figures."""
    return {
        (table.name, section.key): (
            (table.title, table.origin, section.title, section.unit),
            {
                (line.head, column): figure.share
                for line in section.lines
                for column, figure in zip(table.columns, line.figures, strict=True)
            },
        )
        for table in score_tables(report)
        for section in table.sections
    }


def _difference(first: str, second: str) -> str:
    """Of the figures as they are shown; "" where one is not there."""
    try:
        less, value = (float(side.replace(MINUS, "-")) for side in (first, second))
    except ValueError:
        return ""
    text = f"{value - less + 0.0:+.2f}"
    return text.replace("-", MINUS) if float(text) else "0.00"
