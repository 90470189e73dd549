"""The agreement in a file of labels, laid out for the page and for the terminal. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.labels.file_agreement import LabelAgreement, LabelsAgreement
from evaluation.report import sentences
from evaluation.report.figures import Figure
from evaluation.report.sentences import counted, interval, number
from evaluation.report.sheets import Sheet
from evaluation.statistics.chance import UNWEIGHTED
from evaluation.statistics.coefficient import PlainCoefficient

COLUMNS = ("weights", "value", "se", "low", "high", "n", "method", "reason")


@dataclass(frozen=True)
class CoefficientLine:
    """One coefficient: what it is, of whom, and its figure with the method of its interval."""

    name: str
    raters: str
    n: int
    figure: Figure
    method: str


@dataclass(frozen=True)
class ClassLine:
    """The agreement of two raters on one label."""

    label: str
    raters: str
    kappa: Figure
    specific: str
    prevalence: str
    bias: str


def lines(result: LabelsAgreement) -> list[CoefficientLine]:
    """Those over all raters first, then pair by pair."""
    ordered = sorted(result["coefficients"], key=lambda row: row["pair"] is not None)
    return [_line(row) for row in ordered]


def _line(row: PlainCoefficient) -> CoefficientLine:
    value, ends = sentences.in_its_unit(row)
    why = sentences.why_empty(row, row["reason"])
    figure = Figure(value, ends(row["low"], row["high"]), why)
    return CoefficientLine(sentences.name_of(row), _raters(row), row["n"], figure, row["method"])


def _raters(row: PlainCoefficient | LabelAgreement) -> str:
    return " and ".join(row["pair"]) if row["pair"] else "all"


def class_lines(result: LabelsAgreement) -> list[ClassLine]:
    return [
        ClassLine(
            row["label"],
            _raters(row),
            Figure(number(row["kappa"]), interval(row["low"], row["high"]), row["reason"]),
            number(row["specific_agreement"]),
            number(row["prevalence"]),
            number(row["bias"]),
        )
        for row in result["per_class"]
    ]


def rule(result: LabelsAgreement) -> str:
    """Which kappa comes first, and why."""
    if result["weights"] == UNWEIGHTED:
        return "As in reports, unweighted kappa comes first: the labels have no order, or are three or fewer."
    return f"As in reports, kappa with {result['weights']} weights comes first: four labels or more have an order."


def methods(result: LabelsAgreement) -> list[str]:
    """How the intervals were made, each way once."""
    methods = [row["method"] for row in result["coefficients"]]
    methods += [row["method"] for row in result["per_class"]]
    return list(dict.fromkeys(filter(None, methods)))


def sheet(result: LabelsAgreement) -> Sheet:
    """The result as a table: a row a coefficient, and for each label its kappa and its shares."""
    header = ["rater_1", "rater_2", "label", "coefficient", *COLUMNS]
    rows: list[list[object]] = [
        [*_two(row), "", row["name"], *_values(row)] for row in result["coefficients"]
    ]
    for row in result["per_class"]:
        place = [*_two(row), row["label"]]
        kappa = {**row, "weights": "none", "value": row["kappa"]}
        rows.append([*place, "cohen_kappa", *_values(kappa)])
        for name, share in (
            ("specific_agreement", row["specific_agreement"]),
            ("prevalence", row["prevalence"]),
            ("bias", row["bias"]),
        ):
            rows.append([*place, name, "none", share, None, None, None, row["n"], "", ""])
    return Sheet(header, rows)


def _values(row: Mapping[str, object]) -> list[object]:
    return [row[name] for name in COLUMNS]


def _two(row: PlainCoefficient | LabelAgreement) -> list[str]:
    return list(row["pair"]) if row["pair"] else ["all", "all"]


def in_lines(result: LabelsAgreement) -> Iterator[str]:
    """The result as lines of text for a terminal: control characters of a file are shown, not obeyed."""
    yield from map(printable, result["notices"])
    yield (
        f"{counted(result['n_items'], 'item')}, {counted(result['n_raters'], 'rater')}, "
        f"{counted(result['n_labels'], 'label')}: "
        f"{', '.join(map(printable, result['labels']))}"
    )
    yield rule(result)
    for line in lines(result):
        ends = f" ({line.figure.interval})" if line.figure.interval else ""
        why = f" {line.figure.reason}" if line.figure.reason else ""
        yield f"  {line.name}, {printable(line.raters)}, n = {line.n}: {line.figure.value}{ends}{why}"
    for row in class_lines(result):
        ends = f" ({row.kappa.interval})" if row.kappa.interval else ""
        yield (
            f"  {printable(row.label)}, {printable(row.raters)}: kappa {row.kappa.value}{ends}, specific agreement "
            f"{row.specific}, prevalence {row.prevalence}, bias {row.bias}"
        )
    for method in methods(result):
        yield f"95 % intervals by {method}."


def printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
