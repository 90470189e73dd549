"""A report's parts as tables: header and rows, for CSV. Pure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Report = dict[str, Any]


class Sheet(NamedTuple):
    """A table for CSV."""

    header: list[str]
    rows: list[list[Any]]


COEFFICIENT = ("weights", "value", "se", "low", "high", "n", "method", "reason")


def agreement_sheet(report: Report) -> Sheet:
    """One row a coefficient: for each prompt, for each two judges ("all" for all of them), for each verdict."""
    header = ["prompt", "judge_1", "judge_2", "verdict", "coefficient", *COEFFICIENT]
    rows = [row for prompt in report["agreement"]["prompts"] for row in _agreement_rows(prompt)]
    return Sheet(header, rows)


def _agreement_rows(prompt: dict[str, Any]) -> Iterator[list[Any]]:
    label = prompt["prompt"]
    for pair in prompt["pairs"]:
        for found in pair["coefficients"]:
            yield [
                label,
                *pair["judges"],
                "",
                found["name"],
                *(found[name] for name in COEFFICIENT),
            ]
        for row in pair["per_class"]:
            yield from _class_rows([label, *pair["judges"], row["label"]], row, _n(pair["table"]))
    for found in prompt["all"]:
        yield [label, "all", "all", "", found["name"], *(found[name] for name in COEFFICIENT)]


def _class_rows(place: list[Any], row: dict[str, Any], n: int) -> Iterator[list[Any]]:
    yield [*place, "cohen_kappa", "none", row["kappa"], None, None, None, n, "", row["reason"]]
    for name in ("specific_agreement", "prevalence", "bias"):
        yield [*place, name, "none", row[name], None, None, None, n, "", ""]


def _n(table: list[list[int]]) -> int:
    return sum(map(sum, table))


def confusion_sheet(report: Report) -> Sheet:
    """One row a cell of a confusion matrix, zeros included."""
    header = ["prompt", "judge_1", "judge_2", "verdict_1", "verdict_2", "count"]
    rows = [
        [prompt["prompt"], *pair["judges"], first, second, pair["table"][i][j]]
        for prompt in report["agreement"]["prompts"]
        for pair in prompt["pairs"]
        for i, first in enumerate(pair["labels"])
        for j, second in enumerate(pair["labels"])
    ]
    return Sheet(header, rows)


VERDICT_COLUMNS = ["prompt", "model", "slice", "verdict", "k", "n", "low", "high"]
LINE_COLUMNS = ["total", "unlabelled", "left_out"]


def verdict_sheet(report: Report) -> Sheet:
    """One row a cell of the tables of final verdicts; the last columns say what n leaves out."""
    rows = []
    for table in report["tables"]:
        lines = {(line["prompt"], line["model"], line["slice"]): line for line in table["lines"]}
        for cell in table["rows"]:
            line = lines[cell["prompt"], cell["model"], cell["slice"]]
            kept = [cell[name] for name in VERDICT_COLUMNS] + [line[name] for name in LINE_COLUMNS]
            rows.append([*kept, table["population"]])
    return Sheet([*VERDICT_COLUMNS, *LINE_COLUMNS, "population"], rows)


SHEETS = {
    "agreement": agreement_sheet,
    "confusion": confusion_sheet,
    "verdicts": verdict_sheet,
}
