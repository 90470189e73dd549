"""People's verdicts next to a scorer's labels, laid out for a report's page. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.report import sentences
from evaluation.report.agreement_rows import figure_of, independent
from evaluation.report.figures import Figure, verdict_labels
from evaluation.report.score_sections import states_words
from evaluation.report.sentences import counted, number
from evaluation.shapes.score_tables import ReportValidation
from evaluation.shapes.study_report import Report
from evaluation.statistics.correlation import METHOD, Correlation
from evaluation.statistics.validation import RECORD, ValidatedModel
from protocols.declaration import ORIGINS

BY = {
    RECORD: "A verdict on a text of the record, and the label of each model's response to the record",
    "": "The verdict that stands on a response, and the scorer's label of the same response",
}


@dataclass(frozen=True)
class ValidatedRow:
    """A model: how many of its responses people and the scorer give the label, and how far they agree."""

    model: str
    n: int
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class ShownValidation:
    """One comparison: its table has people's labels as rows, `beside` says what is not in it."""

    name: str
    title: str
    note: str
    people: str
    scorer: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    n: int
    agreement: Figure
    kappa: Figure
    beside: tuple[str, ...]
    label: str
    models: tuple[ValidatedRow, ...]
    correlation: str


def validations(report: Report) -> list[ShownValidation]:
    return [
        _shown(report, entry)
        for entry in (report["scores"]["validations"] if "scores" in report else ())
    ]


def _shown(report: Report, entry: ReportValidation) -> ShownValidation:
    words = verdict_labels(report)
    labels = tuple(words.get(label, label) for label in entry["labels"])
    agreed, kappa = (figure_of(one) for one in entry["coefficients"])
    return ShownValidation(
        entry["name"],
        entry["title"],
        f"{BY[RECORD if entry.get('by') == RECORD else '']}. {ORIGINS[entry['origin']].capitalize()}.",
        entry["people"],
        entry["scorer"],
        labels,
        tuple(zip(labels, map(tuple, entry["table"]), strict=True)),
        entry["n"],
        agreed,
        kappa,
        tuple(_beside(side, states) for side, states in entry["states"].items() if states),
        words.get(entry["label"], entry["label"]),
        tuple(map(_row, entry["models"])),
        _correlation(entry["correlation"]),
    )


def _beside(side: str, states: Mapping[str, int]) -> str:
    whose = "By people" if side == "people" else "By the scorer"
    return f"{whose}: {states_words(states)}"


def _row(model: ValidatedModel) -> ValidatedRow:
    n, agreed = model["n"], (independent(one) for one in model["coefficients"])
    shares = (
        Figure(f"{k}/{n}", share=sentences.share(k, n)) for k in (model["people"], model["scorer"])
    )
    return ValidatedRow(model["model"], n, (*shares, *agreed))


def _correlation(made: Correlation) -> str:
    """Of the shares over models, in a sentence."""
    models = counted(made["n"], "model")
    if made["pearson"] is None:
        return f"Correlation over {models}: none. {made['reason']}"
    why = sentences.lowered(made["interval_reason"]).rstrip(".")
    ends = _ends(made["low"], made["high"]) or why
    return (
        f"Correlation of the two shares over {models}: Pearson {number(made['pearson'], 4)} ({ends}), Spearman "
        f"{number(made['spearman'], 4)}."
    )


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None else f"95 % by {METHOD}: {number(low, 4)} to {number(high, 4)}"
