"""The tables of scores, laid out for a report's page, its CSV and its comparison with another. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from urllib.parse import urlencode

from evaluation.report import sentences
from evaluation.report.figures import Figure, cluster_word, query
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
from evaluation.statistics.bootstrap import why_few
from evaluation.statistics.measures import ANY, ENTROPY, F1, SKIPPED, Asked, asked
from evaluation.statistics.score_tables import DIFFERENCE, MEAN, POOLED, VALUE, ScoreColumn
from protocols.declaration import MODEL, ORIGINS

# How a page says states, where they stand next to a figure.
STATE_WORDS = {"unreturned": "without all options", "excluded": "excluded with their question"}
# How figures over several columns come about.
MARGINS = {
    MEAN: "A mean gives each column the same weight. Its interval is of the means of all draws.",
    POOLED: "A pooled figure is over the responses of its columns together.",
    DIFFERENCE: "The interval of a difference is of the differences of all draws.",
}
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
    lines: tuple[ScoreLine, ...]


@dataclass(frozen=True)
class ShownTable:
    """A declared table: its first measure, and the others; `origin` says where it is from.

    `axes` are the words of its columns, for each axis those of all columns.
    """

    name: str
    title: str
    origin: str
    head: str
    axes: tuple[tuple[str, ...], ...]
    sections: tuple[ScoreSection, ...]
    note: str

    @property
    def columns(self) -> list[str]:
        """The words of each column on one line."""
        return [_joined(words) for words in zip(*self.axes, strict=True)]

    @property
    def heads(self) -> list[list[tuple[str, int]]]:
        """For each axis its heads, a dash for no value, and over how many columns each of them is."""
        columns = list(zip(*self.axes, strict=True))
        return [
            [
                (words[-1] or "–", len(list(of)))
                for words, of in groupby(one[: place + 1] for one in columns)
            ]
            for place in range(len(self.axes))
        ]

    @property
    def side_by_side(self) -> "ShownTable":
        """Of a single column its measures as columns, where they have one unit; other tables as they are."""
        first, *others = self.sections
        if len(self.columns) > 1 or not others or any(of.unit != first.unit for of in others):
            return self
        lines = tuple(
            ScoreLine(of[0].head, tuple(figure for line in of for figure in line.figures))
            for of in zip(*(section.lines for section in self.sections), strict=True)
        )
        [column] = self.columns
        heads = tuple(section.measure for section in self.sections)
        whole = ScoreSection("", column, column, first.unit, lines)
        return replace(self, axes=(heads,), sections=(whole,))

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
    cells = {name for table in scores["tables"] for name in table["cells"]}
    used = {asked(_measures(scores), name).population for name in cells}
    return [population for population in scores["populations"] if population["name"] in used]


def _measures(scores: ReportScores) -> dict[str, ScoreMeasure]:
    return {measure["name"]: measure for measure in scores["measures"]}


def arranged(table: ScoreTable) -> tuple[list[int], tuple[tuple[str, ...], ...]]:
    """The places of the columns in the order in which they are shown, and for each axis the words of all columns."""
    words = [_column_words(table, column) for column in table["columns_shown"]]
    # What has the same words on the first axes stands together: values, then their mean.
    seen = [list(dict.fromkeys(axis)) for axis in zip(*words, strict=True)][:-1]
    order = sorted(
        range(len(words)),
        key=lambda n: [of.index(word) for of, word in zip(seen, words[n], strict=False)],
    )
    return order, tuple(zip(*(words[n] for n in order), strict=True))


def _shown(report: Report, scores: ReportScores, table: ScoreTable) -> ShownTable:
    order, axes = arranged(table)
    outside = sentences.counted(table["outside"], "response")
    notes = [f"{outside} fit the table and are in none of its columns."] if table["outside"] else []
    kinds = {column["kind"] for column in table["columns_shown"]}
    notes += [sentence for kind, sentence in MARGINS.items() if kind in kinds]
    return ShownTable(
        table["name"],
        table["title"],
        ORIGINS[table["origin"]].capitalize(),
        head_of(table["rows"]),
        axes,
        tuple(_section(report, scores, table, name, order) for name in table["cells"]),
        " ".join(notes),
    )


def head_of(rows: Iterable[str]) -> str:
    """What stands above the heads of the lines."""
    return ", ".join(name.replace("_", " ").capitalize() for name in rows)


def _section(
    report: Report, scores: ReportScores, table: ScoreTable, name: str, order: Sequence[int]
) -> ScoreSection:
    measure, of = _measures(scores)[name], asked(_measures(scores), name)
    figures = {
        (one["line"], one["column"]): one for one in table["figures"] if one["measure"] == name
    }
    return ScoreSection(
        name,
        measure.get("label") or measure["title"],
        measure["title"],
        "bits" if of.of == ENTROPY else "%",
        tuple(
            ScoreLine(
                " · ".join(values),
                tuple(_figure(report, table, of, figures[line, n]) for n in order),
            )
            for line, values in enumerate(table["lines"])
        ),
    )


def _column_words(table: ScoreTable, column: ScoreColumn) -> list[str]:
    """For each axis: "conflict last", "shots 4", "mean over cause", "semantic less no evidence", "" for no value."""
    kind = column["of"] or column["kind"]
    words = []
    for axis, value in zip(table["columns"], column["values"], strict=True):
        name = axis.replace("_", " ")
        number = f"{name} {value}" if value and value.isdigit() else value
        words.append(f"{kind} over {name}" if number is None else number)
    if column["kind"] == DIFFERENCE:
        words[0] += f" less {table.get('difference')}"
    return words


def _joined(words: Iterable[str]) -> str:
    return " · ".join(filter(None, words))


def _ends(figure: ScoreFigure, shown: Callable[[float | None], str]) -> str:
    """By resampling clusters; Wilson's, marked W, where there is none."""
    both = (
        (figure["cluster_low"], figure["cluster_high"], ""),
        (figure["low"], figure["high"], " W"),
    )
    found = (f"{shown(low)} to {shown(high)}{mark}" for low, high, mark in both if low is not None)
    return next(found, "")


def _figure(report: Report, table: ScoreTable, of: Asked, figure: ScoreFigure) -> Figure:
    def shown(value: float | None) -> str:
        """Per cent with two places, or bits; a dash for none."""
        return sentences.number(value if value is None or of.of == ENTROPY else 100 * value, 2)

    column, k, n = table["columns_shown"][figure["column"]], figure["k"], figure["n"]
    rows = _rows(report, table, figure, column) | {"within": of.population, "of": KEPT}
    linked, ends = column["kind"] in (VALUE, POOLED) and n, _ends(figure, shown)
    labels = [(of.scorer, label) for label in of.among or (ANY,)]
    whole = query(**rows, scored=urlencode(labels)) if linked else ""
    # Of F1 the n stands alone; that of an entropy leaves out what no list can choose.
    counted = whole if of.of == F1 else ""
    if linked and k:
        counted = query(**rows, scored=urlencode([(of.scorer, of.label)]))
    reason = figure["reason"]
    if figure["value"] is not None and not ends:
        clusters = figure["clusters"] or 0
        why = f" from {sentences.counted(clusters, cluster_word(report))}."
        if figure["cluster_reason"] != why_few(clusters):
            why = f": {sentences.lowered(figure['cluster_reason'])}"
        reason = f"No interval{why}"
    return Figure(
        value="" if n is None else f"n = {n}" if k is None else str(k),
        of="" if k is None else str(n),
        share=shown(figure["value"]),
        interval=ends,
        reason=" ".join(filter(None, [reason, states_words(figure["states"])])),
        beside=_without_skipped(figure, shown),
        query=counted,
        whole=whole,
    )


def _without_skipped(figure: ScoreFigure, shown: Callable[[float | None], str]) -> str:
    """ "without skipped 45.20, n = 31"; "" where none is skipped."""
    if "without_skipped" not in figure:
        return ""
    n = figure["n"]
    counts = "" if n is None else f", n = {n - figure['states'][SKIPPED]}"
    return f"without skipped {shown(figure['without_skipped'])}{counts}"


def states_words(states: Mapping[str, int]) -> str:
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
HEADER = [
    *("table", "origin", "line", "kind", "column", "measure", *OF_FIGURE),
    *("reason", "states", "without_skipped"),
]


def score_sheet(report: Report) -> Sheet:
    """One row a figure of a table."""
    scores = report.get("scores")
    return Sheet(HEADER, list(_sheet_rows(scores)) if scores else [])


def _sheet_rows(scores: ReportScores) -> Iterator[Sequence[object]]:
    for table in scores["tables"]:
        for figure in table["figures"]:
            column = table["columns_shown"][figure["column"]]
            line = " · ".join(table["lines"][figure["line"]])
            words = _joined(_column_words(table, column))
            place = [line, column["kind"], words, figure["measure"]]
            why = figure["reason"] or figure["cluster_reason"]
            states = states_words(figure["states"])
            said = [why, states, figure.get("without_skipped")]
            yield [table["name"], table["origin"], *place, *values(figure, OF_FIGURE), *said]
