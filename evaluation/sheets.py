"""A report's parts as tables: header and rows, for CSV. Pure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Report = dict[str, Any]


class Sheet(NamedTuple):
    """A table for CSV."""

    header: list[str]
    rows: list[list[Any]]


# A row, and the interval by resampling that belongs to it.
Clustered = tuple[list[Any], dict[str, Any] | None]
CLUSTERED = ("low", "high", "se", "clusters", "resamples", "undefined", "seed", "method", "reason")
COEFFICIENT = ("weights", "value", "se", "low", "high", "n", "method", "reason")


def agreement_sheet(report: Report) -> Sheet:
    """One row a coefficient: for each prompt, for each two judges ("all" for all of them), for each verdict."""
    header = ["prompt", "judge_1", "judge_2", "verdict", "coefficient", *COEFFICIENT]
    rows = [row for prompt in report["agreement"]["prompts"] for row in _agreement_rows(prompt)]
    made = report["agreement"].get("interval")
    if made is None:  # frozen before intervals were resampled
        return Sheet(header, [row for row, _ in rows])
    header += [f"clustered_{name}" for name in CLUSTERED] + ["cluster"]
    return Sheet(header, [[*row, *_clustered(by), made["cluster"]] for row, by in rows])


def _clustered(found: dict[str, Any] | None) -> list[Any]:
    return [(found or {}).get(name) for name in CLUSTERED]


def _agreement_rows(prompt: dict[str, Any]) -> Iterator[Clustered]:
    label = prompt["prompt"]
    for pair in prompt["pairs"]:
        for found in pair["coefficients"]:
            yield _coefficient_row([label, *pair["judges"]], found)
        for row in pair["per_class"]:
            yield from _class_rows([label, *pair["judges"], row["label"]], row, _n(pair["table"]))
    for found in prompt["all"]:
        yield _coefficient_row([label, "all", "all"], found)


def _coefficient_row(place: list[Any], found: dict[str, Any]) -> Clustered:
    said = [found[name] for name in COEFFICIENT]
    return [*place, "", found["name"], *said], found.get("clustered")


def _class_rows(place: list[Any], row: dict[str, Any], n: int) -> Iterator[Clustered]:
    by = row.get("clustered", {})
    kappa = [*place, "cohen_kappa", "none", row["kappa"], None, None, None, n, "", row["reason"]]
    yield kappa, by.get("kappa")
    for name in ("specific_agreement", "prevalence", "bias"):
        yield [*place, name, "none", row[name], None, None, None, n, "", ""], by.get(name)


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
CLUSTER_COLUMNS = ["cluster_low", "cluster_high", "clusters"]
LINE_COLUMNS = ["total", "unlabelled", "left_out"]


def verdict_sheet(report: Report) -> Sheet:
    """One row a cell of the tables of final verdicts; the last columns say what n leaves out."""
    # A report frozen before articles were resampled has its sheet as it was.
    clustered = CLUSTER_COLUMNS if "resamples" in report["tables"][0] else []
    rows = [row for table in report["tables"] for row in _table_rows(table, clustered)]
    return Sheet([*VERDICT_COLUMNS, *LINE_COLUMNS, "population", *clustered], rows)


def judge_verdict_sheet(report: Report) -> Sheet:
    """The same of each judge model's verdicts on everything."""
    rows = [
        [judge["judge"], *row]
        for judge in report.get("judge_models", [])
        for row in _table_rows(judge["table"], CLUSTER_COLUMNS)
    ]
    header = ["judge", *VERDICT_COLUMNS, *LINE_COLUMNS, "population", *CLUSTER_COLUMNS]
    return Sheet(header, rows)


def _table_rows(table: dict[str, Any], clustered: list[str]) -> Iterator[list[Any]]:
    lines = {(line["prompt"], line["model"], line["slice"]): line for line in table["lines"]}
    for cell in table["rows"]:
        line = lines[cell["prompt"], cell["model"], cell["slice"]]
        yield [
            *(cell[name] for name in VERDICT_COLUMNS),
            *(line[name] for name in LINE_COLUMNS),
            table["population"],
            *(cell[name] for name in clustered),
        ]


COMPARED = [
    "model", "prompt", "first", "second", "value", "low", "high", "clusters", "k_1", "n_1", "k_2", "n_2",
    "only_first", "only_second", "p_exact", "p_exact_corrected", "p_clustered", "p_clustered_corrected",
    "within", "reason",
]  # fmt: skip


def comparison_sheet(report: Report) -> Sheet:
    """One row a comparison; the gains of both kinds of questions stand in the JSON."""
    families = report.get("comparisons", {}).get("families", [])
    rows = [
        [family["key"], family["kind"], family["margin"], *(row.get(name) for name in COMPARED)]
        for family in families
        for row in family["rows"]
    ]
    return Sheet(["family", "kind", "margin", *COMPARED], rows)


def judge_sheet(report: Report) -> Sheet:
    """One row a score of a judge model: accuracy and macro-F of a prompt, then each verdict's scores."""
    header = [
        "judge",
        "prompt",
        "verdict",
        "score",
        "k",
        "n",
        "value",
        "low",
        "high",
        "unparsed",
        "reason",
    ]
    rows = [
        row
        for judge in report.get("judge_models", [])
        for prompt in judge["prompts"]
        for row in _judge_rows(judge["judge"], prompt)
    ]
    return Sheet(header, rows)


def _judge_rows(judge: str, prompt: dict[str, Any]) -> Iterator[list[Any]]:
    place = [judge, prompt["prompt"]]
    yield [*place, "", "accuracy", *_score(prompt["accuracy"]), prompt["unparsed"], ""]
    macro = prompt["macro_f"]
    yield [*place, "", "macro_f", *_score(macro), prompt["unparsed"], macro["reason"]]
    for one in prompt["classes"]:
        for name in ("precision", "recall", "f"):
            found = one[name]
            yield [*place, one["label"], name, *_score(found), None, found["reason"]]


def _score(found: dict[str, Any]) -> list[Any]:
    """k, n, value and the ends, by resampling articles where there are any."""
    k, n = found.get("k"), found.get("n")
    value = found["value"] if "value" in found else (k / n if n else None)
    low, high = found.get("cluster_low"), found.get("cluster_high")
    if low is None:
        low, high = found.get("low"), found.get("high")
    return [k, n, value, low, high]


SHARE_COLUMNS = ["whose", "verdict", "k", "n", "low", "high", *CLUSTER_COLUMNS]


def judge_model_sheet(report: Report) -> Sheet:
    """People's and a judge model's verdicts on each model's responses, one row a share."""
    rows = [
        [judge["judge"], prompt["prompt"], model["model"], *(cell[name] for name in SHARE_COLUMNS)]
        for judge in report.get("judge_models", [])
        for prompt in judge["prompts"]
        for model in prompt["models"]
        for cell in model.get("shares", [])
    ]
    return Sheet(["judge", "prompt", "model", *SHARE_COLUMNS], rows)


SHEETS = {
    "agreement": agreement_sheet,
    "confusion": confusion_sheet,
    "verdicts": verdict_sheet,
    "comparisons": comparison_sheet,
    "judge-models": judge_sheet,
    "judge-by-model": judge_model_sheet,
    "judge-verdicts": judge_verdict_sheet,
}
