"""A report's parts as tables: header and rows, for CSV. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from evaluation.report.judge_sections import by_population
from evaluation.report.sentences import share_ends
from evaluation.shapes.judge_agreement import JudgePair, PromptAgreement
from evaluation.shapes.judge_models import CountedScores, JudgeModel, Score, ScoreShare
from evaluation.shapes.study_report import Report
from evaluation.shapes.verdict_tables import ClusterEnds, VerdictTable
from evaluation.statistics.bootstrap import Resampled
from evaluation.statistics.coefficient import ClassAgreement, Coefficient


class Sheet(NamedTuple):
    """A table for CSV."""

    header: list[str]
    rows: Sequence[Sequence[object]]


# A row, and the interval by resampling that belongs to it.
Clustered = tuple[list[object], Resampled | None]
METHODS = ("method", "cluster_method")
CLUSTERED = ("low", "high", "se", "clusters", "resamples", "undefined", "seed", "method", "reason")
COEFFICIENT = ("weights", "value", "se", "low", "high", "n", "method", "reason")


def agreement_sheet(report: Report) -> Sheet:
    """One row a coefficient: for each prompt and round, for each two judges ("all" for all of them), for each verdict.

    Rounds that give no final verdict come last; `round` is empty where the study has one.
    """
    header = [*OF_ENTRY, "judge_1", "judge_2", "verdict", "coefficient", *COEFFICIENT]
    rows = [row for entry in entries(report) for row in _agreement_rows(entry)]
    made = report["agreement"]["interval"]
    header += [f"clustered_{name}" for name in CLUSTERED] + ["cluster"]
    return Sheet(header, [[*row, *values(by, CLUSTERED), made["cluster"]] for row, by in rows])


def values(entry: Mapping[str, object] | None, names: Sequence[str]) -> list[object]:
    return [None if entry is None else entry[name] for name in names]


def entries(report: Report) -> list[PromptAgreement]:
    """Agreement by prompt and round: the entries that are put forward, then those of other rounds."""
    return [*report["agreement"]["prompts"], *report["agreement"]["other_rounds"]]


OF_ENTRY = ("prompt", "round", "final")


def _agreement_rows(entry: PromptAgreement) -> Iterator[Clustered]:
    place = values(entry, OF_ENTRY)
    for pair in entry["pairs"]:
        for coefficient in pair["coefficients"]:
            yield _coefficient_row([*place, *pair["judges"]], coefficient)
        for row in pair["per_class"]:
            yield from _class_rows(
                [*place, *pair["judges"], row["label"]], row, sum(map(sum, pair["table"]))
            )
    for coefficient in entry["all"]:
        yield _coefficient_row([*place, "all", "all"], coefficient)


def _coefficient_row(place: list[object], coefficient: Coefficient) -> Clustered:
    row = [*place, "", coefficient["name"], *values(coefficient, COEFFICIENT)]
    return row, coefficient["clustered"]


def _class_rows(place: list[object], row: ClassAgreement, n: int) -> Iterator[Clustered]:
    by = row["clustered"]
    kappa = [*place, "cohen_kappa", "none", row["kappa"], None, None, None, n, "", row["reason"]]
    yield kappa, by["kappa"]
    for name, value, interval in (
        ("specific_agreement", row["specific_agreement"], by["specific_agreement"]),
        ("prevalence", row["prevalence"], None),
        ("bias", row["bias"], None),
    ):
        yield [*place, name, "none", value, None, None, None, n, "", ""], interval


def confusion_sheet(report: Report) -> Sheet:
    """One row a cell of a confusion matrix, zeros included."""
    rows = [
        [*values(entry, OF_ENTRY), *pair["judges"], *cell]
        for entry in entries(report)
        for pair in entry["pairs"]
        for cell in pair_cells(pair)
    ]
    return Sheet([*OF_ENTRY, "judge_1", "judge_2", *PAIR_CELL], rows)


PAIR_CELL = ["verdict_1", "verdict_2", "count"]


def pair_cells(pair: JudgePair) -> list[list[object]]:
    """The confusion matrix of two judges, a row a cell."""
    return [
        [first, second, count]
        for first, counts in zip(pair["labels"], pair["table"], strict=True)
        for second, count in zip(pair["labels"], counts, strict=True)
    ]


VERDICT_COLUMNS = ["prompt", "model", "slice", "verdict", "k", "n", "low", "high"]
VERDICT_COLUMNS += ["lowest", "highest"]
CLUSTER_COLUMNS = ["cluster_low", "cluster_high", "clusters"]
LINE_COLUMNS = ["total", "unlabelled", "left_out"]
TABLE_COLUMNS = [*VERDICT_COLUMNS, *LINE_COLUMNS, "population", *CLUSTER_COLUMNS, *METHODS]


def verdict_sheet(report: Report) -> Sheet:
    """One row a cell of the tables of final verdicts; the last columns say what n leaves out."""
    rows = [row for table in report["tables"] for row in _table_rows(table)]
    return Sheet(TABLE_COLUMNS, rows)


def judge_verdict_sheet(report: Report) -> Sheet:
    """The same of each judge model's verdicts on everything."""
    rows = [
        [judge["judge"], *row]
        for judge in report["judge_models"]
        for row in _table_rows(judge["table"])
    ]
    return Sheet(["judge", *TABLE_COLUMNS], rows)


def _table_rows(table: VerdictTable) -> Iterator[list[object]]:
    lines = {(line["prompt"], line["model"], line["slice"]): line for line in table["lines"]}
    for cell in table["rows"]:
        line = lines[cell["prompt"], cell["model"], cell["slice"]]
        yield [
            *values(cell, VERDICT_COLUMNS),
            *values(line, LINE_COLUMNS),
            table["population"],
            *values(cell, CLUSTER_COLUMNS),
            *values(table, METHODS),
        ]


OF_FAMILY = ("key", "kind", "margin")
HOW = ("method", "correction")
COMPARED = [
    "model", "prompt", "first", "second", "value", "low", "high", "clusters", "k_1", "n_1", "k_2", "n_2",
    "only_first", "only_second", "p_exact", "p_exact_corrected", "p_clustered", "p_clustered_corrected",
    "within", "reason",
]  # fmt: skip


def comparison_sheet(report: Report) -> Sheet:
    """One row a comparison; the gains of both kinds of questions are in the JSON."""
    whole = report["comparisons"]
    rows = [
        [*values(family, OF_FAMILY), *(row.get(name) for name in COMPARED), *values(whole, HOW)]
        for family in whole["families"]
        for row in family["rows"]
    ]
    return Sheet(["family", "kind", "margin", *COMPARED, *HOW], rows)


def judge_sheet(report: Report) -> Sheet:
    """One row a score of a judge model: accuracy and macro-F of a prompt, then each verdict's scores."""
    header = ["judge", "prompt", "verdict", "score", "k", "n", "value", "low", "high"]
    header += ["unparsed", "reason", "method", "articles", "judge_prompt"]
    rows = [
        [*row, _method(judge, score), part, judge["judge_prompt"]]
        for judge in report["judge_models"]
        for prompt in judge["prompts"]
        for part, scores in by_population(prompt)
        for row, score in _judge_rows([judge["judge"], prompt["prompt"]], scores)
    ]
    return Sheet(header, rows)


def _method(judge: JudgeModel, score: ClusterEnds) -> str | None:
    """Which way gave the ends that `_share` and `_score` show; None where there are none."""
    if score["cluster_low"] is not None:
        return judge["cluster_method"]
    return judge["method"] if score.get("low") is not None else None


def _judge_rows(
    place: list[object], prompt: CountedScores
) -> Iterator[tuple[list[object], ClusterEnds]]:
    """Each row with its score."""
    right, macro = prompt["accuracy"], prompt["macro_f"]
    yield [*place, "", "accuracy", *_share(right), prompt["unparsed"], ""], right
    yield [*place, "", "macro_f", *_score(macro), prompt["unparsed"], macro["reason"]], macro
    for scores in prompt["classes"]:
        for name, share in (("precision", scores["precision"]), ("recall", scores["recall"])):
            yield [*place, scores["label"], name, *_share(share), None, share["reason"]], share
        f = scores["f"]
        yield [*place, scores["label"], "f", *_score(f), None, f["reason"]], f


def _share(score: ScoreShare) -> list[object]:
    """k, n, value and the ends, by resampling articles where there are any."""
    k, n = score["k"], score["n"]
    return [k, n, k / n if n else None, *share_ends(score)]


def _score(score: Score) -> list[object]:
    return [None, None, score["value"], score["cluster_low"], score["cluster_high"]]


SHARE_COLUMNS = ["whose", "verdict", "k", "n", "low", "high", *CLUSTER_COLUMNS]


def judge_model_sheet(report: Report) -> Sheet:
    """People's and a judge model's verdicts on each model's responses, one row a share."""
    rows = [
        [
            *(judge["judge"], prompt["prompt"], model["model"]),
            *values(cell, SHARE_COLUMNS),
            *values(judge, METHODS),
            _itself(judge, model["model"]),
        ]
        for judge in report["judge_models"]
        for prompt in judge["prompts"]
        for model in prompt["models"]
        for cell in model["shares"]
    ]
    return Sheet(["judge", "prompt", "model", *SHARE_COLUMNS, *METHODS, "itself"], rows)


def _itself(judge: JudgeModel, model: str) -> str | None:
    """Whether the judge model is this model; None for replies from a file, of which it is not known."""
    if judge["from_file"]:
        return None
    return "yes" if model in judge["own_models"] else "no"


SHEETS = {
    "agreement": agreement_sheet,
    "confusion": confusion_sheet,
    "verdicts": verdict_sheet,
    "comparisons": comparison_sheet,
    "judge-models": judge_sheet,
    "judge-by-model": judge_model_sheet,
    "judge-verdicts": judge_verdict_sheet,
}
