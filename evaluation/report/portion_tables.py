"""The tables of agreement on a part of the responses, below the agreement on all of them. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from evaluation.report.agreement_rows import (
    OWN_COLUMNS,
    PORTION_COLUMNS,
    ROUND_COLUMNS,
    SLICE_COLUMNS,
    Portion,
    by_slice,
    changed,
    heads,
    other_rounds,
    over_time,
    own_agreement,
)
from evaluation.report.drawings import ReportChart
from evaluation.report.figures import weights_of
from evaluation.shapes.study_report import Report
from evaluation.statistics.chance import UNWEIGHTED


@dataclass(frozen=True)
class PortionTable:
    """A table at the address `key` of its page; `of` and `what` head its first columns, `columns` the figures."""

    key: str
    heading: str
    note: str
    what: str
    columns: tuple[str, ...]
    rows: list[Portion]
    chart: ReportChart | None = None
    of: str = "Prompt"


def portion_tables(report: Report, chart: ReportChart | None) -> list[PortionTable]:
    """Those that have rows; the chart is of agreement over time."""
    weights = weights_of(report)
    return [
        replace(table, columns=heads(table.columns, weights))
        for table in _tables(report, chart)
        if table.rows
    ]


def of_slices(report: Report) -> str:
    """Which kappa and alpha the table by slice has."""
    weights = weights_of(report)
    if weights == UNWEIGHTED:
        return "Kappa is unweighted, alpha nominal"
    return f"Kappa has {weights} weights, alpha is ordinal"


def _tables(report: Report, chart: ReportChart | None) -> Iterator[PortionTable]:
    yield PortionTable(
        "other-rounds",
        "Rounds that give no final verdict",
        "No share of this report rests on them.",
        "Round",
        ROUND_COLUMNS,
        other_rounds(report),
    )
    yield PortionTable(
        "changed",
        "From round to round",
        "The verdicts that two rounds ended with on the same responses, over all prompts.",
        "Rounds",
        OWN_COLUMNS,
        changed(report),
    )
    yield PortionTable(
        "by-slice",
        "Agreement by slice",
        f"First verdicts on all responses about records with this value, over all prompts. {of_slices(report)}. The "
        "interval of alpha is by resampling, the others take responses as independent.",
        "Value, judges",
        SLICE_COLUMNS,
        by_slice(report),
        of="Slice",
    )
    yield PortionTable(
        "over-time",
        "Agreement over time",
        "The responses of a prompt in three equal parts, by when each got the last of its first verdicts.",
        "Part",
        PORTION_COLUMNS,
        over_time(report),
        chart,
    )
    yield PortionTable(
        "own",
        "Judges with themselves",
        "Every two verdicts of one judge on the same response, over all prompts.",
        "Judge",
        OWN_COLUMNS,
        own_agreement(report),
    )
