"""People's verdicts next to a scorer's labels: a table of both, and their shares model by model. Pure."""

from collections.abc import Iterator

from evaluation.shapes.score_tables import ReportValidation
from evaluation.shapes.study_report import Report
from evaluation.statistics.correlation import METHOD, Correlation
from evaluation.statistics.validation import BY_RESPONSE, RECORD, ValidatedModel
from evaluation.tables import sentences
from evaluation.tables.agreement import coefficient_cell
from evaluation.tables.report_words import cluster_word, verdict_labels
from evaluation.tables.scores import states_words
from evaluation.tables.table import Cell, Group, Line, Table, count
from evaluation.tables.words import Unit, counted, number
from protocols.declaration import ORIGINS

BY = {
    RECORD: "A verdict on a text of the record, and the label of each model's response to the record",
    BY_RESPONSE: "The verdict that stands on a response, and the scorer's label of the same response",
}
SIDES = {"people": "people", "scorer": "the scorer"}
OF_MODEL = ("n", "People", "Scorer", "Agreement", "Cohen's kappa")


def validation_tables(report: Report) -> list[Table]:
    """Of each comparison its table of labels, whose `about` has the sentences, and that of models if it has some."""
    entries = report["scores"]["validations"] if "scores" in report else []
    return [table for entry in entries for table in _tables(report, entry)]


def _tables(report: Report, entry: ReportValidation) -> Iterator[Table]:
    words = verdict_labels(report)
    labels = [words.get(label, label) for label in entry["labels"]]
    lines = (
        Line((label,), tuple(map(count, counts)))
        for label, counts in zip(labels, entry["table"], strict=True)
    )
    key, title = f"validation-{entry['name']}", entry["title"]
    columns = tuple((label,) for label in labels)
    about = " ".join(_sentences(report, entry))
    yield Table(key, title, ("People",), columns, (Group("", "", tuple(lines)),), about)
    if entry["models"]:
        label = words.get(entry["label"], entry["label"])
        about = f"{label} by people and by the scorer on the same responses; intervals take these as independent."
        columns = tuple((head,) for head in OF_MODEL)
        group = Group("", "", tuple(map(_line, entry["models"])))
        yield Table(f"{key}-models", f"{title}, by model", ("Model",), columns, (group,), about)


def _sentences(report: Report, entry: ReportValidation) -> Iterator[str]:
    agreed, kappa = (_in_words(coefficient_cell(one)) for one in entry["coefficients"])
    yield (
        f"People ({entry['people']}) in rows, the scorer {entry['scorer']} in columns: {entry['n']:,} with both "
        f"labels. Agreement {agreed}, unweighted Cohen's kappa {kappa}, with 95 % intervals by resampling "
        f"{cluster_word(report)}s."
    )
    for side, states in entry["states"].items():
        if states:
            yield f"By {SIDES[side]}: {states_words(states)}."
    yield _correlation(entry["correlation"])
    by = BY[entry.get("by", BY_RESPONSE)]
    yield f"{by}. {ORIGINS[entry['origin']].capitalize()}."


def _in_words(cell: Cell) -> str:
    """ "92.0 % (84.0–98.0)", "– (why)"."""
    words = cell.words
    about = words.ends or sentences.lowered(words.reason).rstrip(".")
    return f"{words.value} ({about})" if about else words.value


def _line(model: ValidatedModel) -> Line:
    n = model["n"]
    shares = (
        Cell(Unit.SHARE, k / n if n else None, k, n) for k in (model["people"], model["scorer"])
    )
    agreed = (coefficient_cell(one, independent=True) for one in model["coefficients"])
    return Line((model["model"],), (count(n), *shares, *agreed))


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
