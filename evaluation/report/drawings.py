"""All charts of a report by their key: for the page, for files, and their tables for CSV. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Any

from evaluation.charts.forest import Estimate, forest_plot, in_per_cent
from evaluation.charts.heatmap import pair_heat_map
from evaluation.charts.sparkline import Trend, sparkline, trend_lines
from evaluation.charts.svg import NARROWEST
from evaluation.report import sentences
from evaluation.report.agreement_rows import THIRDS, agreement_sections, in_round
from evaluation.report.display import read_display
from evaluation.report.figures import (
    Figure,
    cluster_word,
    is_judged,
    query,
    scale_of_report,
    weights_of,
)
from evaluation.report.flow_steps import flow_chart, flow_rows
from evaluation.report.sentences import share_ends
from evaluation.report.sheets import OF_ENTRY, PAIR_CELL, SHEETS, Sheet, pair_cells, values
from evaluation.report.verdict_rows import model_id, prompt_sections
from evaluation.shapes.judge_agreement import AgreementThird, JudgePair, PromptAgreement
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import VerdictCell
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import Coefficient
from evaluation.statistics.tables import ALL, LABELLED

# More judges than this have no heat map: its squares could not be read.
MOST_JUDGES = 20
FEWEST_DAYS = 3
LISTED = "listed"
# Columns of the files as the page's tables call them; the others are words already.
HEADINGS = {
    "k": "with this verdict (k)",
    "n": "responses (n)",
    "low": "interval from",
    "high": "interval to",
    "interval": "interval by",
    "left": "what is left",
    "before": "change from the step before",
}


@dataclass(frozen=True)
class ReportChart:
    """A chart with its table; `key` is its address among the charts of its report.

    `marks` are its rows from the top, in words and with the query of their responses.
    """

    key: str
    title: str
    svg: str
    sheet: Sheet
    marks: tuple[Figure, ...] = ()

    @property
    def headings(self) -> list[str]:
        """The table's columns in words."""
        words = (HEADINGS.get(name, name) for name in self.sheet.header)
        return [word.replace("_", " ").capitalize() for word in words]

    @property
    def cells(self) -> list[list[str]]:
        """The table as it is shown: numbers to three places, a dash for none."""
        return [[_shown(cell) for cell in row] for row in self.sheet.rows]


def _shown(cell: object) -> str:
    if cell is None:
        return sentences.number(None)
    return sentences.number(cell) if isinstance(cell, float) else str(cell)


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
        rows: list[list[Any]] = [[r.label, r.count, "; ".join(r.before)] for r in flow_rows(report)]
        yield ReportChart(
            "flow", "From tags to tables", svg, Sheet(["step", "left", "before"], rows)
        )


def _days(report: Report, wide: int) -> Iterator[ReportChart]:
    days = report["days"]
    if len(days) < FEWEST_DAYS:
        return
    total = sum(day["verdicts"] for day in days)
    title = "First verdicts by day" + (", all rounds" if "rounds" in report else "")
    svg = sparkline(
        [(day["day"], day["verdicts"]) for day in days],
        title=title,
        describe=f"{sentences.counted(total, 'verdict')} from {days[0]['day']} to {days[-1]['day']}.",
        key="days",
        unit="verdicts",
    )
    rows = [[day["day"], day["verdicts"]] for day in days]
    yield ReportChart("days", title, svg, Sheet(["day", "verdicts"], rows))


# ---------------------------------------------------------------- agreement


def _kappas(report: Report, wide: int) -> Iterator[ReportChart]:
    kappas = [
        (entry, pair, _kappa(pair))
        for entry in report["agreement"]["prompts"]
        for pair in entry["pairs"]
    ]
    if not kappas:
        return
    several, name = any(len(entry["pairs"]) > 1 for entry, _, _ in kappas), _named(report)
    titles = {prompt["label"]: prompt["title"] for prompt in report["prompts"]}
    svg = forest_plot(
        [
            _kappa_row(entry, titles, pair["judges"] if several else (), pair)
            for entry, pair, _ in kappas
        ],
        title=f"{name} on first verdicts",
        describe="A square is kappa, its line the 95 % interval. The table of agreement has every number.",
        key="kappa",
        unit=name,
        wide=wide,
    )
    header = [*OF_ENTRY, "judge_1", "judge_2", "kappa", "low", "high", "n", "method", "reason"]
    header += _beside(report)
    rows = [
        [*values(entry, OF_ENTRY), *pair["judges"], *_ends(kappa), *_unweighted(pair, kappa)]
        for entry, pair, kappa in kappas
    ]
    yield ReportChart("kappa", f"{name} by prompt", svg, Sheet(header, rows))


def _kappa(pair: JudgePair) -> Coefficient:
    return sentences.coefficient_of(pair["coefficients"], "cohen_kappa")


def _named(report: Report, kappa: str = "Cohen's kappa") -> str:
    """Kappa with its weights."""
    weights = weights_of(report)
    return kappa if weights == UNWEIGHTED else f"{kappa} with {weights} weights"


def _beside(report: Report) -> list[str]:
    """Further columns where kappa is weighted."""
    return ["weights", "unweighted"] if weights_of(report) != UNWEIGHTED else []


def _unweighted(pair: JudgePair, kappa: Coefficient) -> list[Any]:
    """What a weighted kappa has in the columns `_beside`."""
    plain = sentences.unweighted_of(pair["coefficients"], kappa)
    return [kappa["weights"], plain["value"]] if plain else []


def _ends(kappa: Coefficient) -> list[Any]:
    """Value, the ends that are drawn, n, and their method."""
    low, high = sentences.ends_of(kappa)
    method = sentences.method_of(kappa)
    return [kappa["value"], low, high, kappa["n"], method, kappa["reason"]]


def _kappa_row(
    entry: PromptAgreement, titles: dict[str, str], judges: Sequence[str], pair: JudgePair
) -> Estimate:
    prompt, kappa = entry["prompt"], _kappa(pair)
    what = ", ".join(judges) if judges else titles[prompt]
    label = f"{prompt}{in_round(entry)}: {what} (n\xa0=\xa0{kappa['n']:,})"
    shown = sentences.number(kappa["value"], 2)
    low, high = sentences.ends_of(kappa)
    ends = sentences.interval(low, high, 2)
    text = f"{shown} ({ends})" if ends else shown if kappa["value"] is not None else "undefined"
    beside = sentences.beside_of(pair["coefficients"], kappa, 2)
    return Estimate(label, kappa["value"], low, high, f"{text}{beside and f', {beside}'}")


def _pairs(report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt and round that three or more people judged: kappa of each two."""
    for place, prompt in enumerate(report["agreement"]["prompts"]):
        kappas = {
            (pair["judges"][0], pair["judges"][1]): (pair, _kappa(pair)) for pair in prompt["pairs"]
        }
        names = sorted({name for both in kappas for name in both})
        if not 3 <= len(names) <= MOST_JUDGES:
            continue
        title = f"{_named(report, 'Kappa')} of each two judges on prompt {prompt['prompt']}{in_round(prompt)}"
        svg = pair_heat_map(
            names,
            {both: kappa["value"] for both, (_, kappa) in kappas.items()},
            title=title,
            describe="Rows and columns are judges; a darker square is a higher kappa, a dash an undefined one.",
            key=f"pairs-{place}",
            wide=wide,
        )
        rows = [
            [*both, kappa["value"], kappa["n"], *_unweighted(pair, kappa)]
            for both, (pair, kappa) in sorted(kappas.items())
        ]
        header = ["judge_1", "judge_2", "kappa", "n", *_beside(report)]
        yield ReportChart(f"pairs-{place}", title, svg, Sheet(header, rows))


def _matrices(report: Report, wide: int) -> Iterator[ReportChart]:
    prompts = report["agreement"]["prompts"]
    for section, agreement in zip(agreement_sections(report, wide), prompts, strict=True):
        for matrix, pair in zip(section.matrices, agreement["pairs"], strict=True):
            where = f"Prompt {section.prompt}{in_round(agreement)}"
            title = f"{where}: {' and '.join(pair['judges'])}"
            sheet = Sheet(PAIR_CELL, pair_cells(pair))
            yield ReportChart(matrix.key, title, matrix.svg, sheet)


def _over_time(report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt and round a line of the judges' agreement over the thirds of the work."""
    titles = {prompt["label"]: prompt["title"] for prompt in report["prompts"]}
    thirds = [
        entry
        for entry in report["agreement"]["prompts"]
        if sum(part["n"] > 0 for part in entry["over_time"]) > 1
    ]
    if not thirds:
        return
    svg = trend_lines(
        [
            Trend(
                f"{entry['prompt']}{in_round(entry)}: {titles[entry['prompt']]}",
                tuple(map(_point, entry["over_time"])),
            )
            for entry in thirds
        ],
        title="Agreement over time",
        describe="For each prompt the share of responses on which two judges agree, in three equal parts by when each "
        "got its last first verdict.",
        key="over-time",
        axes=("Thirds of the work, first to last", "Agreement of two judges, %"),
        wide=wide,
    )
    header = ["prompt", "round", "part", "since", "until", "n", "agreement", "low", "high"]
    coefficients = [_put_forward(part) for entry in thirds for part in entry["over_time"]]
    header += ["method", *map(_column, coefficients[0])]
    rows = [_part_row(entry, part) for entry in thirds for part in entry["over_time"]]
    yield ReportChart("over-time", "Agreement over time", svg, Sheet(header, rows))


def _point(part: AgreementThird) -> tuple[str, float | None, str]:
    agreed = sentences.coefficient_of(part["coefficients"], "percent_agreement")["value"]
    return f"{THIRDS[part['part']]}, n = {part['n']}", agreed, sentences.percent(agreed)


def _part_row(entry: PromptAgreement, part: AgreementThird) -> list[object]:
    agreed = sentences.coefficient_of(part["coefficients"], "percent_agreement")
    place = [entry["prompt"], entry["round"], part["part"], part["since"], part["until"], part["n"]]
    ends = [*sentences.ends_of(agreed), sentences.method_of(agreed)]
    return [*place, agreed["value"], *ends, *(one["value"] for one in _put_forward(part))]


def _put_forward(part: AgreementThird) -> list[Coefficient]:
    """Kappa and alpha over all judges, and where they are weighted the unweighted ones beside them."""
    every = part["coefficients"]
    shown = [sentences.coefficient_of(every, name) for name in ("fleiss_kappa", "krippendorff")]
    beside = [sentences.unweighted_of(every, one) for one in shown]
    return [*shown, *(one for one in beside if one)]


def _column(coefficient: Coefficient) -> str:
    """What the sheet calls a coefficient: fleiss_kappa, or fleiss_kappa_linear."""
    weights = coefficient["weights"]
    return coefficient["name"] + ("" if weights == UNWEIGHTED else f"_{weights}")


# ---------------------------------------------------------------- final verdicts


def _bars(report: Report, wide: int) -> Iterator[ReportChart]:
    sheet = SHEETS["verdicts"](report)
    for place, section in enumerate(prompt_sections(report, wide)):
        rows = [row for row in sheet.rows if row[0] == section.prompt and row[2] == ALL]
        title = f"Final verdicts on prompt {section.prompt}"
        yield ReportChart(f"verdicts-{place}", title, section.svg, Sheet(sheet.header, rows))


def models_in(order: str, report: Report) -> list[str]:
    """The models' names: LISTED as they were chosen for a paper, else those with the highest mean share first."""
    if order == LISTED:
        return [model.name for model in read_display({}, report).models]
    shares: dict[str, list[float]] = {model["name"]: [] for model in report["models"]}
    for prompt in report["prompts"]:
        for cell in _best_cells(report, prompt["label"]):
            if cell["n"]:
                shares[cell["model"]].append(cell["k"] / cell["n"])
    return sorted(shares, key=lambda name: -fmean(shares[name] or [0.0]))


def _best_cells(report: Report, prompt: str) -> list[VerdictCell]:
    best = scale_of_report(report).best
    return [
        cell
        for cell in report["tables"][0]["rows"]
        if (cell["prompt"], cell["slice"], cell["verdict"]) == (prompt, ALL, best)
    ]


def _shares(order: str, report: Report, wide: int) -> Iterator[ReportChart]:
    """For each prompt the share of the best verdict, model by model, with its interval; none without an order."""
    scale, names = scale_of_report(report), models_in(order, report)
    if not scale.is_ordered:
        return
    best = scale[scale.best].label
    for place, prompt in enumerate(report["prompts"]):
        if not prompt.get("judged", True):
            continue
        cells = _best_cells(report, prompt["label"])
        mine = sorted(cells, key=lambda cell: names.index(cell["model"]))
        title = f"{best} on prompt {prompt['label']}, by model"
        svg = forest_plot(
            [in_per_cent(_share_row(cell)) for cell in mine],
            title=title,
            describe="A square is the share of the counted responses, its line the 95 % interval of the table.",
            key=f"shares-{place}",
            unit=f"{best} responses, %",
            ends=(0.0, 100.0),
            wide=wide,
        )
        header = ["model", "k", "n", "low", "high", "interval"]
        word = cluster_word(report)
        rows = [
            [*values(c, header[:3]), *share_ends(c), sentences.share_method(c, word)] for c in mine
        ]
        marks = tuple(_mark(report, prompt["name"], cell) for cell in mine)
        yield ReportChart(f"shares-{place}", title, svg, Sheet(header, rows), marks)


def _mark(report: Report, prompt: str, cell: VerdictCell) -> Figure:
    row, model = _share_row(cell), model_id(report, cell["model"])
    responses = query(of="final", prompt=prompt, model=model, slice=ALL, verdict=LABELLED)
    return Figure(f"{row.label}: {row.text}", query=responses)


def _share_row(cell: VerdictCell) -> Estimate:
    k, n = cell["k"], cell["n"]
    text = f"{k}/{n} {sentences.share(k, n)}" if n else "none counted"
    return Estimate(cell["model"], k / n if n else None, *share_ends(cell), text)
