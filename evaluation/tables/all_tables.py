"""The tables of a report by the file in which they can be downloaded. Pure."""

from collections.abc import Callable

from evaluation.shapes.study_report import Report
from evaluation.tables import agreement, judges
from evaluation.tables.annotators import every_measure
from evaluation.tables.differences import difference_tables
from evaluation.tables.report_words import compared_word, is_judged
from evaluation.tables.scores import score_tables
from evaluation.tables.sheet import Sheet, sheet_of
from evaluation.tables.table import Table
from evaluation.tables.validations import validation_tables
from evaluation.tables.verdicts import verdict_table


def _agreement(report: Report) -> list[Table]:
    """Every coefficient over all verdicts, then those of each verdict."""
    classes = _of_pairs(agreement.classes_table)
    return [agreement.every_coefficient(report), *classes(report)]


def _of_pairs(make: Callable[..., Table]) -> Callable[[Report], list[Table]]:
    """Of each two judges on each prompt, in every round."""
    return lambda report: [
        make(report, prompt, entry, pair)
        for prompt, entry in agreement.with_prompts(report, every=True)
        for pair in entry["pairs"]
    ]


def _of_judges(make: Callable[..., Table]) -> Callable[[Report], list[Table]]:
    return lambda report: [make(report, judge) for judge in report["judge_models"]]


def _judge_scores(report: Report) -> list[Table]:
    made = judges.halves_table, judges.classes_table
    return [make(report, judge) for judge in report["judge_models"] for make in made]


OF_VERDICTS: dict[str, Callable[[Report], list[Table]]] = {
    "agreement": _agreement,
    "confusion": _of_pairs(agreement.matrix_table),
    "verdicts": lambda report: [verdict_table(report)],
    "comparisons": lambda report: difference_tables(report, compared_word(report)),
    "judge-models": _judge_scores,
    "judge-by-model": _of_judges(judges.by_model_table),
    "judge-verdicts": _of_judges(verdict_table),
}
OTHERS: dict[str, Callable[[Report], list[Table]]] = {
    "annotators": lambda report: [every_measure(campaign) for campaign in report["annotators"]],
    "scores": lambda report: [*score_tables(report), *validation_tables(report)],
}


def files_of(report: Report) -> list[str]:
    """The names of the files; that of scores is there where a report has some."""
    return [name for name in (*OF_VERDICTS, *OTHERS) if name != "scores" or "scores" in report]


def sheet(report: Report, name: str) -> Sheet:
    """The tables of a file as rows; without rows where the report has none."""
    if name in OTHERS:
        return sheet_of(OTHERS[name](report))
    return sheet_of(OF_VERDICTS[name](report) if is_judged(report) else [])
