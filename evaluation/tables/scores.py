"""The tables of scores that a protocol declares, and its populations. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

from evaluation.shapes.score_tables import (
    PopulationCount,
    ReportScores,
    ScoreFigure,
    ScoreMeasure,
    ScoreTable,
)
from evaluation.shapes.study_report import Report
from evaluation.statistics.bootstrap import why_few
from evaluation.statistics.measures import ANY, ENTROPY, F1, SKIPPED, Asked, asked
from evaluation.statistics.score_tables import DIFFERENCE, MEAN, POOLED, VALUE, ScoreColumn
from evaluation.tables import sentences
from evaluation.tables.report_words import cluster_word, query
from evaluation.tables.table import Cell, Group, Line, Table, count
from evaluation.tables.verdicts import INTERVALS, intervals_of, model_id
from evaluation.tables.words import Unit
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
IN_WORDS = {Unit.SCORE: "%", Unit.BITS: "bits"}
OF_POPULATION = ("In it", "Of those with all responses", "Lacking one", "Excluded")


def score_tables(report: Report) -> list[Table]:
    """All of them, a group for each measure; none where nothing is scored."""
    scores = report.get("scores")
    return [_table(report, scores, table) for table in scores["tables"]] if scores else []


def population_table(report: Report) -> Table:
    """The populations that figures of the shown tables are over, model by model."""
    scores = report.get("scores")
    populations = scores["populations"] if scores else []
    used = {
        asked(_measures(scores), name).population
        for table in (scores["tables"] if scores else ())
        for name in table["cells"]
    }
    groups = (
        Group(
            one["name"],
            f"Population “{one['name']}”",
            tuple(Line((of["model"],), _of_population(of)) for of in one["models"]),
            f"Questions {one['title']}, model by model and sample by sample.",
        )
        for one in populations
        if one["name"] in used
    )
    heads = tuple((words,) for words in OF_POPULATION)
    return Table("populations", "Populations", ("Model",), heads, tuple(groups))


def _of_population(of: PopulationCount) -> tuple[Cell, ...]:
    return tuple(map(count, (of["k"], of["n"], of["incomplete"], of["excluded"])))


def _measures(scores: ReportScores | None) -> dict[str, ScoreMeasure]:
    return {measure["name"]: measure for measure in scores["measures"]} if scores else {}


def arranged(table: ScoreTable) -> tuple[list[int], tuple[tuple[str, ...], ...]]:
    """The places of the columns in the order in which they are shown, and the words of each on all axes."""
    words = [_column_words(table, column) for column in table["columns_shown"]]
    # What has the same words on the first axes stands together: values, then their mean.
    seen = [list(dict.fromkeys(axis)) for axis in zip(*words, strict=True)][:-1]
    order = sorted(
        range(len(words)),
        key=lambda n: [of.index(word) for of, word in zip(seen, words[n], strict=False)],
    )
    return order, tuple(tuple(words[n]) for n in order)


def heads_of(rows: Iterable[str]) -> tuple[str, ...]:
    """What stands above the keys of the lines."""
    return tuple(name.replace("_", " ").capitalize() for name in rows)


def _table(report: Report, scores: ReportScores, table: ScoreTable) -> Table:
    order, columns = arranged(table)
    groups = tuple(_group(report, scores, table, name, order) for name in table["cells"])
    of = groups_of = "Measure"
    units = {cell.unit for group in groups for line in group.lines for cell in line.cells}
    if len(columns) == len(units) == 1 and len(groups) > 1:
        # Measures are what its columns differ in.
        title = f"{' · '.join(filter(None, columns[0]))} ({IN_WORDS[units.pop()]})"
        lines = (
            Line(parts[0].keys, tuple(part.cells[0] for part in parts))
            for parts in zip(*(group.lines for group in groups), strict=True)
        )
        columns, groups_of = tuple((_label(scores, name),) for name in table["cells"]), ""
        groups = (Group("", title, tuple(lines)),)
    else:
        of = ""
    return Table(
        f"scores-{table['name']}",
        table["title"],
        heads_of(table["rows"]),
        columns,
        groups,
        _about(report, table),
        of=of,
        groups_of=groups_of,
    )


def _about(report: Report, table: ScoreTable) -> str:
    notes = [f"{ORIGINS[table['origin']].capitalize()}."]
    notes.append(f"With {INTERVALS.format(cluster_word(report))}.")
    if table["outside"]:
        outside = sentences.counted(table["outside"], "response")
        notes.append(f"{outside} fit the table and are in none of its columns.")
    kinds = {column["kind"] for column in table["columns_shown"]}
    return " ".join([*notes, *(words for kind, words in MARGINS.items() if kind in kinds)])


def _label(scores: ReportScores, name: str) -> str:
    measure = _measures(scores)[name]
    return measure.get("label") or measure["title"]


def _group(
    report: Report, scores: ReportScores, table: ScoreTable, name: str, order: Sequence[int]
) -> Group:
    label, title = _label(scores, name), _measures(scores)[name]["title"]
    of = asked(_measures(scores), name)
    unit = Unit.BITS if of.of == ENTROPY else Unit.SCORE
    suffix = "" if title.endswith(f"({IN_WORDS[unit]})") else f" ({IN_WORDS[unit]})"
    figures = {
        (one["line"], one["column"]): one for one in table["figures"] if one["measure"] == name
    }
    return Group(
        name,
        f"{label if label == title else f'{label}: {title}'}{suffix}",
        tuple(
            Line(
                tuple(keys),
                tuple(_cell(report, scores, table, of, unit, figures[n, place]) for place in order),
            )
            for n, keys in enumerate(table["lines"])
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


def _cell(
    report: Report,
    scores: ReportScores,
    table: ScoreTable,
    of: Asked,
    unit: Unit,
    figure: ScoreFigure,
) -> Cell:
    column, k, n = table["columns_shown"][figure["column"]], figure["k"], figure["n"]
    rows = _rows(report, table, figure, column) | {"within": of.population, "of": KEPT}
    linked, ends = column["kind"] in (VALUE, POOLED) and n, intervals_of(figure)
    labels = [(of.scorer, label) for label in of.among or (ANY,)]
    # The n of an entropy leaves out what no list can choose. That of F1 stands alone.
    whole = query(**rows, scored=urlencode(labels)) if linked and of.of != ENTROPY else ""
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
    return Cell(
        unit,
        figure["value"],
        k,
        n,
        ends,
        " ".join(filter(None, [reason, states_words(figure["states"])])),
        _without_skipped(figure),
        rows=counted,
        whole=whole,
    )


def _without_skipped(figure: ScoreFigure) -> tuple[tuple[str, float | None], ...]:
    """The value without skipped responses, where there are some."""
    if "without_skipped" not in figure:
        return ()
    n = figure["n"]
    counts = "" if n is None else f", n = {n - figure['states'][SKIPPED]}:"
    return ((f"without skipped{counts}", figure["without_skipped"]),)


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
