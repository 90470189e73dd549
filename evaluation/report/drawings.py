"""All charts of a report by their key: for the page, for files, and their tables for CSV. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from statistics import fmean
from typing import NamedTuple

from evaluation.charts.bars import BarPart, StackedBar, stacked_bars
from evaluation.charts.forest import Estimate, forest_plot, in_per_cent
from evaluation.charts.heatmap import pair_heat_map
from evaluation.charts.sparkline import Trend, sparkline, trend_lines
from evaluation.charts.svg import MISSING, NARROWEST
from evaluation.report.agreement_sections import agreement_sections
from evaluation.report.display import read_display
from evaluation.report.flow_steps import flow_chart, flow_rows
from evaluation.shapes.judge_agreement import AgreementThird
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import SLICE_LABELS
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.tables import ALL, LABELLED, UNLABELLED
from evaluation.tables.agreement import (
    THIRDS,
    first_intervals,
    in_round,
    portion_tables,
    put_forward,
    with_prompts,
)
from evaluation.tables.report_words import (
    is_judged,
    query,
    scale_of_report,
    verdict_labels,
    weights_of,
)
from evaluation.tables.sheet import Sheet, sheet_of
from evaluation.tables.table import Cell, Group, Line, Table, count
from evaluation.tables.verdicts import best_by_model, model_id, offered, verdict_table
from evaluation.tables.words import Unit
from evaluation.tables.words import counted as with_unit

# More judges than this have no heat map: its squares could not be read.
MOST_JUDGES = 20
FEWEST_DAYS = 3
LISTED = "listed"


class Mark(NamedTuple):
    """A row of a chart in words, with the query of its responses."""

    value: str
    query: str


@dataclass(frozen=True)
class ReportChart:
    """A chart with its table; `key` is its address among the charts of its report.

    `marks` are its rows from the top, in words and with the query of their responses.
    """

    key: str
    title: str
    svg: str
    table: Table
    marks: tuple[Mark, ...] = ()

    @property
    def sheet(self) -> Sheet:
        """The table as rows for CSV."""
        return sheet_of([self.table])


def _listed(
    key: str, title: str, head: str, columns: Sequence[str], lines: Iterable[Line]
) -> Table:
    """A table of one group and one key."""
    shown = tuple((words,) for words in columns)
    return Table(key, title, (head,), shown, (Group("", "", tuple(lines)),))


def drawings(report: Report, order: str = "", wide: int = NARROWEST) -> dict[str, ReportChart]:
    """Every chart that this report has, by key, in the order of the page, for a width of so many pixels.

    `order` is that of the models' shares.
    """
    makers: list[Callable[[Report, int], Iterator[ReportChart]]] = [_flow]
    if is_judged(report):
        makers += [_days, _kappas, _pairs, _matrices, _over_time, _bars, partial(_shares, order)]
    return {drawing.key: drawing for make in makers for drawing in make(report, wide)}


def _flow(report: Report, wide: int) -> Iterator[ReportChart]:
    if svg := flow_chart(report, wide):
        lines = (
            Line((row.label,), (_text(row.count), _text("; ".join(row.before))))
            for row in flow_rows(report)
        )
        columns = ("What is left", "Change from the step before")
        title = "From tags to tables"
        yield ReportChart("flow", title, svg, _listed("flow", title, "Step", columns, lines))


def _text(words: str) -> Cell:
    return Cell(Unit.TEXT, text=words)


def _days(report: Report, wide: int) -> Iterator[ReportChart]:
    days = report["days"]
    if len(days) < FEWEST_DAYS:
        return
    total = sum(day["verdicts"] for day in days)
    title = "First verdicts by day" + (", all rounds" if "rounds" in report else "")
    svg = sparkline(
        [(day["day"], day["verdicts"]) for day in days],
        title=title,
        describe=f"{with_unit(total, 'verdict')} from {days[0]['day']} to {days[-1]['day']}.",
        key="days",
        unit="verdicts",
    )
    lines = (Line((day["day"],), (count(day["verdicts"]),)) for day in days)
    yield ReportChart("days", title, svg, _listed("days", title, "Day", ["Verdicts"], lines))


# ---------------------------------------------------------------- agreement


def _kappas(report: Report, wide: int) -> Iterator[ReportChart]:
    """Cohen's kappa of each two judges, by prompt."""
    several = any(len(entry["pairs"]) > 1 for entry in report["agreement"]["prompts"])
    lines = [
        Line(
            (
                f"{prompt['label']}{in_round(entry)}: "
                f"{', '.join(pair['judges']) if several else prompt['title']}",
            ),
            first_intervals(put_forward(pair["coefficients"], ["cohen_kappa"])),
        )
        for prompt, entry in with_prompts(report)
        for pair in entry["pairs"]
    ]
    if not lines:
        return
    name = _named(report)
    title = f"{name} by prompt"
    table = _listed("kappa", title, "Prompt", [name], lines)
    svg = forest_plot(
        [
            _estimate(f"{line.keys[0]} (n\xa0=\xa0{line.cells[0].n:,})", line.cells[0])
            for line in lines
        ],
        title=f"{name} on first verdicts",
        describe="A square is kappa, its line the 95 % interval. The table of agreement has every number.",
        key="kappa",
        unit=name,
        wide=wide,
    )
    yield ReportChart("kappa", title, svg, table)


def _named(report: Report, kappa: str = "Cohen's kappa") -> str:
    """Kappa with its weights."""
    weights = weights_of(report)
    return kappa if weights == UNWEIGHTED else f"{kappa} with {weights} weights"


def _estimate(label: str, cell: Cell) -> Estimate:
    """A cell as a row of a forest plot."""
    words, ends = cell.words, next(iter(cell.intervals), None)
    counted = "/".join(filter(None, [words.count, words.of]))
    value = "undefined" if cell.value is None else words.value
    text = f"{' '.join(filter(None, [counted, value]))}{words.ends and f' ({words.ends})'}"
    others = ", ".join([text, *words.beside])
    low, high = (ends.low, ends.high) if ends else (None, None)
    return Estimate(label, cell.value, low, high, others)


def _pairs(report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt and round that three or more people judged: kappa of each two."""
    for place, entry in enumerate(report["agreement"]["prompts"]):
        cells = {
            (pair["judges"][0], pair["judges"][1]): put_forward(
                pair["coefficients"], ["cohen_kappa"]
            )
            for pair in entry["pairs"]
        }
        names = sorted({name for both in cells for name in both})
        if not 3 <= len(names) <= MOST_JUDGES:
            continue
        name, key = _named(report, "Kappa"), f"pairs-{place}"
        title = f"{name} of each two judges on prompt {entry['prompt']}{in_round(entry)}"
        svg = pair_heat_map(
            names,
            {both: kappa.value for both, (kappa,) in cells.items()},
            title=title,
            describe="Rows and columns are judges; a darker square is a higher kappa, a dash an undefined one.",
            key=key,
            wide=wide,
        )
        lines = tuple(Line(both, cells[both]) for both in sorted(cells))
        heads = ("Judge 1", "Judge 2")
        table = Table(key, title, heads, ((name,),), (Group("", "", lines),))
        yield ReportChart(key, title, svg, table)


def _matrices(report: Report, wide: int) -> Iterator[ReportChart]:
    for section in agreement_sections(report, wide):
        for matrix in section.matrices:
            title = matrix.table.title
            yield ReportChart(matrix.key, title, matrix.svg, matrix.table)


def _over_time(report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt and round a line of the judges' agreement over the thirds of the work."""
    trends = [
        Trend(
            f"{prompt['label']}{in_round(entry)}: {prompt['title']}",
            tuple(map(_point, entry["over_time"])),
        )
        for prompt, entry in with_prompts(report)
        if sum(part["n"] > 0 for part in entry["over_time"]) > 1
    ]
    if not trends:
        return
    svg = trend_lines(
        trends,
        title="Agreement over time",
        describe="For each prompt the share of responses on which two judges agree, in three equal parts by when each "
        "got its last first verdict.",
        key="over-time",
        axes=("Thirds of the work, first to last", "Agreement of two judges, %"),
        wide=wide,
    )
    (table,) = [table for table in portion_tables(report) if table.key == "over-time"]
    yield ReportChart("over-time", "Agreement over time", svg, table)


def _point(part: AgreementThird) -> tuple[str, float | None, str]:
    (agreed,) = put_forward(part["coefficients"], ["percent_agreement"])
    return f"{THIRDS[part['part']]}, n = {part['n']}", agreed.value, agreed.words.value


# ---------------------------------------------------------------- final verdicts


def _bars(report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt the verdicts on each model's responses as a stacked bar."""
    table = verdict_table(report)
    for place, group in enumerate(table.groups):
        whole = replace(
            group, lines=tuple(line for line in group.lines if line.keys[1] == SLICE_LABELS[ALL])
        )
        key, title = f"verdicts-{place}", f"Final verdicts on prompt {group.key}"
        bars = [StackedBar(line.keys[0], counts_of(line)) for line in whole.lines]
        if not any(bar.counts[-1] for bar in bars):
            bars = [replace(bar, counts=bar.counts[:-1]) for bar in bars]
        svg = stacked_bars(
            bars,
            bar_parts(report)[: len(bars[0].counts)],
            title=f"{title} by model",
            describe="Each bar holds all counted responses of a model. The table next to it has every number.",
            key=key,
            wide=wide,
        )
        yield ReportChart(key, title, svg, replace(table, groups=(whole,)))


def counts_of(line: Line) -> tuple[int, ...]:
    """The responses with each verdict, then those without one."""
    n, *verdicts = line.cells
    return (*(cell.k or 0 for cell in verdicts), (n.n or 0) - (n.k or 0) if n.n else 0)


def bar_parts(report: Report) -> list[BarPart]:
    """The verdicts, and what stands in place of one, as bars are made of them."""
    keys, tones = offered(report), {v.key: v.tone for v in scale_of_report(report).verdicts}
    labels, before, parts = verdict_labels(report), Counter[str](), []
    for key in (*keys, UNLABELLED):
        tone = tones.get(key, MISSING)
        parts.append(BarPart(key, labels[key], tone, before[tone]))
        before[tone] += 1
    return parts


def models_in(order: str, report: Report) -> list[str]:
    """The models' names: LISTED as they were chosen for a paper, else those with the highest mean share first."""
    if order == LISTED:
        return [model.name for model in read_display({}, report).models]
    shares: dict[str, list[float]] = {model["name"]: [] for model in report["models"]}
    for line in best_by_model(report, verdict_table(report)).groups[0].lines:
        shares[line.keys[0]] += [cell.value for cell in line.cells if cell.value is not None]
    return sorted(shares, key=lambda name: -fmean(shares[name] or [0.0]))


def _shares(order: str, report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt the share of the best verdict, model by model, with its interval; none without an order."""
    scale = scale_of_report(report)
    if not scale.is_ordered:
        return
    best, names = scale[scale.best].label, models_in(order, report)
    whole = best_by_model(report, verdict_table(report))
    for place, prompt in enumerate(report["prompts"]):
        if not prompt.get("judged", True):
            continue
        key, title = f"shares-{place}", f"{best} on prompt {prompt['label']}, by model"
        table = whole.with_columns(partial(eq, prompt["label"]))
        (group,) = table.groups
        lines = tuple(sorted(group.lines, key=lambda line: names.index(line.keys[0])))
        svg = forest_plot(
            [in_per_cent(_estimate(line.keys[0], line.cells[0])) for line in lines],
            title=title,
            describe="A square is the share of the counted responses, its line the 95 % interval of the table.",
            key=key,
            unit=f"{best} responses, %",
            ends=(0.0, 100.0),
            wide=wide,
        )
        columns, groups = ((best,),), (replace(group, lines=lines),)
        shown = replace(table, title=title, columns=columns, groups=groups)
        marks = tuple(_mark(report, prompt["name"], line) for line in lines)
        yield ReportChart(key, title, svg, shown, marks)


def _mark(report: Report, prompt: str, line: Line) -> Mark:
    """To the responses of a share."""
    model, row = line.keys[0], _estimate(line.keys[0], line.cells[0])
    chosen = {"prompt": prompt, "model": model_id(report, model), "slice": ALL}
    return Mark(f"{row.label}: {row.text}", query(of="final", **chosen, verdict=LABELLED))
