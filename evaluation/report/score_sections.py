"""The tables of scores, laid out for a report's page, its CSV and its comparison with another. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from evaluation.report import sentences
from evaluation.report.figures import Figure, query
from evaluation.report.sheets import Sheet, values
from evaluation.report.verdict_rows import model_id
from evaluation.shapes.score_tables import (
    ReportScores,
    ScoreFigure,
    ScoreMeasure,
    ScorePopulation,
    ScoreTable,
)
from evaluation.shapes.study_report import Report
from evaluation.statistics.measures import asked
from evaluation.statistics.score_tables import DIFFERENCE, POOLED, VALUE, ScoreColumn
from protocols.declaration import MODEL, ORIGINS

# How a page says states, where they stand next to a figure.
STATE_WORDS = {"unreturned": "without all options", "excluded": "excluded with their question"}
KEPT = "kept"


@dataclass(frozen=True)
class ScoreLine:
    """A line of a table: its head, and a figure for each column."""

    head: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class ScoreSection:
    """One measure of a table; `unit` is what its figures are in."""

    key: str
    measure: str
    title: str
    unit: str
    columns: tuple[str, ...]
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class ShownTable:
    """A declared table: its first measure, and the others; `origin` says where it is from."""

    name: str
    title: str
    origin: str
    head: str
    sections: tuple[ScoreSection, ...]
    note: str

    @property
    def parts(self) -> tuple[tuple[ScoreSection, ...], tuple[ScoreSection, ...]]:
        """What is shown at once, and what is folded."""
        return self.sections[:1], self.sections[1:]


def score_tables(report: Report) -> list[ShownTable]:
    """All of them; none where nothing is scored."""
    scores = report.get("scores")
    return [_shown(report, scores, table) for table in scores["tables"]] if scores else []


def populations(report: Report) -> list[ScorePopulation]:
    """Those that figures of the shown tables are over."""
    scores = report.get("scores")
    if not scores:
        return []
    measures = {measure["name"]: measure for measure in scores["measures"]}
    used = {
        asked(measures, name).population for table in scores["tables"] for name in table["cells"]
    }
    return [population for population in scores["populations"] if population["name"] in used]


def _shown(report: Report, scores: ReportScores, table: ScoreTable) -> ShownTable:
    measures = {measure["name"]: measure for measure in scores["measures"]}
    outside = sentences.counted(table["outside"], "response")
    return ShownTable(
        table["name"],
        table["title"],
        ORIGINS[table["origin"]].capitalize(),
        ", ".join(map(_axis, table["rows"])),
        tuple(_section(report, scores, table, measures[name]) for name in table["cells"]),
        f"{outside} fit the table and are in none of its columns." if table["outside"] else "",
    )


def _axis(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _section(
    report: Report, scores: ReportScores, table: ScoreTable, measure: ScoreMeasure
) -> ScoreSection:
    of: dict[int, list[Figure]] = {}
    for figure in table["figures"]:
        if figure["measure"] == measure["name"]:
            shown = _figure(report, scores, table, figure)
            of.setdefault(figure["line"], []).append(shown)
    heads = (" · ".join(values) for values in table["lines"])
    return ScoreSection(
        measure["name"],
        measure.get("label") or measure["title"],
        measure["title"],
        "bits" if "mean" in measure else "%",
        tuple(column_words(table, column) for column in table["columns_shown"]),
        tuple(ScoreLine(head, tuple(of[n])) for n, head in enumerate(heads)),
    )


def column_words(table: ScoreTable, column: ScoreColumn) -> str:
    """ "conflict last · semantic", "Mean over cause", "semantic less no evidence"."""
    kind = column["of"] or column["kind"]
    parts = [
        value if value is not None else f"{kind} over {axis}"
        for axis, value in zip(table["columns"], column["values"], strict=True)
    ]
    if column["kind"] == DIFFERENCE:
        parts[0] += f" less {table.get('difference')}"
    return " · ".join(filter(None, parts))


def as_number(scores: ReportScores, figure: ScoreFigure, value: float | None) -> str:
    """Per cent with two places, or bits; a dash for none."""
    is_share = (
        asked({m["name"]: m for m in scores["measures"]}, figure["measure"]).label is not None
    )
    return sentences.number(value if value is None or not is_share else 100 * value, 2)


def _ends(scores: ReportScores, figure: ScoreFigure) -> str:
    """By resampling clusters; Wilson's, marked W, where there is none."""
    ends, mark = (figure["cluster_low"], figure["cluster_high"]), ""
    if ends[0] is None:
        ends, mark = (figure["low"], figure["high"]), " W"
    if ends[0] is None:
        return ""
    low, high = (as_number(scores, figure, end) for end in ends)
    return f"{low} to {high}{mark}"


def _figure(report: Report, scores: ReportScores, table: ScoreTable, figure: ScoreFigure) -> Figure:
    column = table["columns_shown"][figure["column"]]
    of = asked({m["name"]: m for m in scores["measures"]}, figure["measure"])
    rows = _rows(report, table, figure, column) | {"within": of.population, "of": KEPT}
    labels = [(of.scorer, label) for label in of.among or ()]
    linked = column["kind"] in (VALUE, POOLED) and figure["n"]
    k = figure["k"]
    return Figure(
        value="" if figure["n"] is None else f"n = {figure['n']}" if k is None else str(k),
        of="" if k is None else str(figure["n"]),
        share=as_number(scores, figure, figure["value"]),
        interval=_ends(scores, figure),
        reason=figure["reason"] or states_words(figure["states"]),
        query=query(**rows, scored=urlencode([(of.scorer, of.label)])) if linked and k else "",
        whole=query(**rows, scored=urlencode(labels)) if linked else "",
    )


def states_words(states: dict[str, int]) -> str:
    """ "2 undecided, 1 missing"."""
    return ", ".join(f"{n:,} {STATE_WORDS.get(state, state)}" for state, n in states.items())


def _rows(
    report: Report, table: ScoreTable, figure: ScoreFigure, column: ScoreColumn
) -> dict[str, object]:
    """The query of the responses of a cell: the model, and the values on all other axes."""
    where: dict[str, object] = dict(table.get("where", {}))
    where |= dict(zip(table["rows"], table["lines"][figure["line"]], strict=True))
    shown = [table["columns_shown"][part]["values"] for part in column["parts"]]
    for axis, *of in zip(table["columns"], *shown, strict=True):
        where[axis] = list(dict.fromkeys(of))
    model = where.pop(MODEL, None)
    number = model_id(report, model) if isinstance(model, str) else None
    return {"model": number, "where": urlencode(where, doseq=True)}


OF_FIGURE = ("value", "k", "n", "low", "high", "cluster_low", "cluster_high", "clusters")
HEADER = ["table", "origin", "line", "kind", "column", "measure", *OF_FIGURE, "reason", "states"]


def score_sheet(report: Report) -> Sheet:
    """One row a figure of a table."""
    scores = report.get("scores")
    return Sheet(HEADER, list(_sheet_rows(scores)) if scores else [])


def _sheet_rows(scores: ReportScores) -> Iterator[Sequence[object]]:
    for table in scores["tables"]:
        for figure in table["figures"]:
            column = table["columns_shown"][figure["column"]]
            line = " · ".join(table["lines"][figure["line"]])
            place = [line, column["kind"], column_words(table, column), figure["measure"]]
            why = figure["reason"] or figure["cluster_reason"]
            states = states_words(figure["states"])
            yield [table["name"], table["origin"], *place, *values(figure, OF_FIGURE), why, states]
