"""The agreement part of a report's page: sentences, matrices and charts by prompt. Pure."""

from dataclasses import dataclass

from evaluation.charts.confusion import confusion_matrix
from evaluation.charts.svg import NARROWEST
from evaluation.shapes.judge_agreement import JudgePair
from evaluation.shapes.study_report import Report
from evaluation.statistics.bootstrap import FEWEST_CLUSTERS
from evaluation.tables import sentences
from evaluation.tables.agreement import classes_table, in_round, matrix_table, with_prompts
from evaluation.tables.report_words import resampled_word
from evaluation.tables.table import Table
from evaluation.tables.words import counted


@dataclass(frozen=True)
class Matrix:
    """The verdicts of two judges: a chart with its `key`, the same as a table, and the agreement on each verdict."""

    key: str
    table: Table
    classes: Table
    svg: str


@dataclass(frozen=True)
class AgreementSection:
    """What a page says of the agreement on one prompt in one round; `where` is its label with that round."""

    where: str
    title: str
    sentence: str
    matrices: tuple[Matrix, ...]


def agreement_sections(report: Report, wide: int = NARROWEST) -> list[AgreementSection]:
    """Each prompt's sentence and confusion matrices."""
    return [
        AgreementSection(
            prompt["label"] + in_round(entry),
            f"{prompt['label']}: {prompt['title']}{in_round(entry)}",
            sentences.agreement_sentence(entry),
            tuple(
                _matrix(
                    f"matrix-{place}-{number}",
                    matrix_table(report, prompt, entry, pair),
                    classes_table(report, prompt, entry, pair),
                    pair,
                    wide,
                )
                for number, pair in enumerate(entry["pairs"])
            ),
        )
        for place, (prompt, entry) in enumerate(with_prompts(report))
    ]


def _matrix(key: str, table: Table, classes: Table, pair: JudgePair, wide: int) -> Matrix:
    counts, (first, second) = pair["table"], pair["judges"]
    n, same = sum(map(sum, counts)), sum(counts[i][i] for i in range(len(counts)))
    svg = confusion_matrix(
        counts,
        table.column_words,
        sides=(first, second),
        title=table.title,
        describe=f"{counted(n, 'response')}; the two agree on the {same} on the diagonal. The table below has every "
        "number.",
        key=key,
        wide=wide,
    )
    return Matrix(key, table, classes, svg)


def interval_sentence(report: Report) -> str:
    """How the intervals of agreement were computed."""
    made, word = report["agreement"]["interval"], resampled_word(report)
    return (
        f"Below a number: its 95 % interval by {made['method']}, whole {word}s drawn "
        f"{made['resamples']:,} times from seed {made['seed']} ({made['generator']}). Under it, in brackets, "
        "Wilson's or the closed form (Fleiss, Cohen and Everitt 1969), which take responses as independent. From fewer "
        f"than {FEWEST_CLUSTERS} {word}s a share has Wilson's alone, and any other number no interval."
    )
