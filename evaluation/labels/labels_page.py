"""The agreement in a file of labels, laid out for the page and for the terminal. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from evaluation.labels.file_agreement import LabelsAgreement
from evaluation.statistics.chance import UNWEIGHTED, WEIGHTED
from evaluation.statistics.coefficient import PlainCoefficient
from evaluation.tables import sentences
from evaluation.tables.sheet import Sheet
from evaluation.tables.words import counted, interval, number
from leases.refusal import printable

COLUMNS = ("weights", "value", "se", "low", "high", "n", "method", "reason")
SHARES = ("specific_agreement", "prevalence", "bias")


class Line(NamedTuple):
    """One coefficient, or the kappa on one label: of whom, its figure, and a label's shares."""

    name: str
    raters: str
    n: int
    value: str
    interval: str
    reason: str
    method: str
    shares: tuple[str, ...] = ()


def lines(result: LabelsAgreement, *, everything: bool) -> list[Line]:
    """Those over all raters first, then pair by pair: kappa, its weighted form, alpha and agreement, or everything."""
    ordered = sorted(result["coefficients"], key=lambda row: row["pair"] is not None)
    return [_line(row) for row in ordered if everything or _is_asked_first(row, result)]


def _is_asked_first(row: PlainCoefficient, result: LabelsAgreement) -> bool:
    name, is_plain = row["name"], row["weights"] == UNWEIGHTED
    if row["weights"] == WEIGHTED[-1] or (row["value"] is None and not is_plain):
        return False
    if row["pair"]:
        return name in ("percent_agreement", "cohen_kappa")
    if name == "krippendorff_alpha_ordinal":
        return row["value"] is not None
    # What two raters alone have is in the lines of the pair.
    of_all = () if result["n_raters"] == 2 else ("percent_agreement", "fleiss_kappa")
    return name in ("krippendorff_alpha_nominal", *of_all)


def _line(row: PlainCoefficient) -> Line:
    value, ends = sentences.in_its_unit(row)
    why = sentences.why_empty(row, row["reason"])
    shown = ends(row["low"], row["high"])
    name = sentences.name_of(row)
    return Line(name, _raters(row), row["n"], value, shown, why, row["method"])


def _raters(row: Any) -> str:
    return " and ".join(row["pair"]) if row["pair"] else "all"


def class_lines(result: LabelsAgreement) -> list[Line]:
    return [
        Line(
            row["label"],
            _raters(row),
            row["n"],
            number(row["kappa"]),
            interval(row["low"], row["high"]),
            row["reason"],
            row["method"],
            tuple(number(row[name]) for name in SHARES),
        )
        for row in result["per_class"]
    ]


def methods(shown: Iterable[Line]) -> list[str]:
    """How the intervals were made, each way once."""
    return list(dict.fromkeys(line.method for line in shown if line.method))


def sheet(result: LabelsAgreement) -> Sheet:
    """The result as a table: a row a coefficient; kappa on a label with the label's shares."""
    of_label = {"name": "cohen_kappa", "weights": UNWEIGHTED}
    rows: list[dict[str, Any]] = [{**row} for row in result["coefficients"]]
    rows += [{**row, **of_label, "value": row["kappa"]} for row in result["per_class"]]
    columns = ("label", "name", *COLUMNS, *SHARES)
    return Sheet(
        ["rater_1", "rater_2", "label", "coefficient", *columns[2:]],
        [[*(row["pair"] or ("all", "all")), *map(row.get, columns)] for row in rows],
    )


def in_lines(result: LabelsAgreement, *, everything: bool) -> Iterator[str]:
    """The result as lines of text for a terminal: control characters of a file are shown, not obeyed."""
    yield from map(printable, result["notices"])
    counts = [counted(result["n_items"], "item"), counted(result["n_raters"], "rater")]
    counts.append(counted(result["n_labels"], "label"))
    yield f"{', '.join(counts)}: {', '.join(map(printable, result['labels']))}"
    shown = lines(result, everything=everything)
    shown += class_lines(result) if everything else []
    for line in shown:
        ends = f" ({line.interval})" if line.interval else ""
        why = f" {line.reason}" if line.reason else ""
        name = f"kappa on {printable(line.name)}" if line.shares else line.name
        text = f"  {name}, {printable(line.raters)}, n = {line.n}: {line.value}{ends}{why}"
        named = ("specific agreement", "prevalence", "bias")
        yield ", ".join([text, *map(" ".join, zip(named, line.shares, strict=False))])
    for method in methods(shown):
        yield f"95 % intervals by {method}."
