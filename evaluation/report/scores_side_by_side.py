"""The scores of two reports next to each other: the figures of tables that both have. Pure."""

from dataclasses import dataclass

from evaluation.report.score_sections import ScoreSection, ShownTable, score_tables
from evaluation.report.sentences import MINUS
from evaluation.shapes.study_report import Report


@dataclass(frozen=True)
class TwoFigures:
    """A figure of a table in both reports, "" where one lacks it, and second less first."""

    line: str
    column: str
    sides: tuple[str, str]
    difference: str


@dataclass(frozen=True)
class TwoTables:
    """A measure of a table that one report has at least, figure by figure."""

    title: str
    measure: str
    unit: str
    rows: tuple[TwoFigures, ...]


def scores_next_to(first: Report, second: Report) -> list[TwoTables]:
    """Matched by the names of tables and measures, and by the words of lines and columns."""
    sides = [{table.name: table for table in score_tables(report)} for report in (first, second)]
    found = []
    for name in {**sides[0], **sides[1]}:
        both = [side.get(name) for side in sides]
        sections: dict[str, ScoreSection] = {}
        for table in filter(None, both[::-1]):
            sections |= {section.key: section for section in table.sections}
        title = next(table.title for table in both if table)
        found += [
            TwoTables(title, one.title, one.unit, _rows(both, one.key)) for one in sections.values()
        ]
    return found


def _rows(both: list[ShownTable | None], key: str) -> tuple[TwoFigures, ...]:
    first, second = shares = [_shares(table, key) for table in both]
    return tuple(
        TwoFigures(
            *place, (first.get(place, ""), second.get(place, "")), _difference(place, shares)
        )
        for place in {**first, **second}
    )


def _shares(table: ShownTable | None, key: str) -> dict[tuple[str, str], str]:
    return {
        (line.head, column): figure.share
        for section in (table.sections if table else ())
        if section.key == key
        for line in section.lines
        for column, figure in zip(section.columns, line.figures, strict=True)
    }


def _difference(place: tuple[str, str], shares: list[dict[tuple[str, str], str]]) -> str:
    """Of the figures as they are shown; "" where one is not there."""
    try:
        first, second = (float(of[place].replace(MINUS, "-")) for of in shares)
    except (KeyError, ValueError):
        return ""
    text = f"{second - first + 0.0:+.2f}"
    return text.replace("-", MINUS) if float(text) else "0.00"
