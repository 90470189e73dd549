"""The comparisons of a report: each family with its table and in sentences. Pure."""

from dataclasses import dataclass

from evaluation.shapes.share_differences import Comparison, ComparisonFamily
from evaluation.shapes.study_report import ComparedSubject
from evaluation.statistics.differences import DIFFERENT, EQUIVALENT, UNDECIDED
from evaluation.tables.differences import difference_tables
from evaluation.tables.report_words import cluster_word
from evaluation.tables.sentences import lowered
from evaluation.tables.table import Table
from evaluation.tables.words import counted, p_in_words, p_value, point_ends, points


@dataclass(frozen=True)
class ShownFamily:
    """A family of comparisons; `reason` says why it has none."""

    key: str
    reason: str
    table: Table
    sentences: tuple[str, ...]


def families(report: ComparedSubject, word: str) -> list[ShownFamily]:
    """Those of a report, or of an answer to a comparison of its own; `word` is the compared verdict."""
    cluster, tables = cluster_word(report), difference_tables(report, word)
    return [
        ShownFamily(
            family["key"],
            family["reason"],
            table,
            tuple(comparison_sentence(family, row, word, cluster) for row in family["rows"]),
        )
        for family, table in zip(report["comparisons"]["families"], tables, strict=True)
    ]


def comparison_sentence(
    family: ComparisonFamily, row: Comparison, verdict: str, cluster: str
) -> str:
    """One comparison: both sides, the difference, what its interval holds, and its p-values.

    `cluster` is what was resampled.
    """
    if row["value"] is None:
        return f"{_subject(family, row)}: not compared. {row['reason']}"
    if family["kind"] == "gains":
        return _gain_sentence(row, verdict, cluster)
    sentence = (
        f"{_subject(family, row)}: {verdict} on {row['k_1']} of {row['n_1']} {_side(family, row['first'])} and "
        f"{row['k_2']} of {row['n_2']} {_side(family, row['second'])}, a difference of {points(row['value'])} points"
        f"{_interval_words(row, cluster)}"
    )
    return " ".join(
        filter(None, [sentence, _discordant(row), _tested(row, cluster), _margin(family, row)])
    )


def _subject(family: ComparisonFamily, row: Comparison) -> str:
    if family["kind"] == "models":
        return f"Prompt {row['prompt']}"
    return f"{row['model']} on prompt {row['prompt']}" if row["prompt"] else row["model"]


def _side(family: ComparisonFamily, name: str) -> str:
    kind = family["kind"]
    if kind == "prompts":
        return f"under prompt {name}"
    return f"for {name}" if kind == "models" else f"{name} questions"


def _interval_words(row: Comparison, cluster: str) -> str:
    """Ends the sentence on the difference, and says what its interval leaves open."""
    low, high = row["low"], row["high"]
    if low is None or high is None:
        return f". It has no interval: {lowered(row['interval_reason'])}"
    ends = f" (95 % interval {point_ends(low, high)}, resampling {row['clusters']} {cluster}s)."
    if low <= 0 <= high:
        return (
            f"{ends} The interval holds 0, and it holds {points(low)} and {points(high)}: none of these can be "
            "ruled out."
        )
    nearest = low if low > 0 else high
    return f"{ends} The interval leaves out 0; the difference nearest to it that it holds is {points(nearest)}."


def _discordant(row: Comparison) -> str:
    first, second = row["only_first"], row["only_second"]
    if first is None or second is None:
        return ""
    questions = counted(second, "question counts", "questions count")
    return f"{questions} for the second side alone, {first} for the first alone."


def _tested(row: Comparison, cluster: str) -> str:
    tests = []
    if row.get("p_exact") is not None:
        tests.append(
            f"exact McNemar {p_in_words(row['p_exact'])}, {p_value(row['p_exact_corrected'])} after Holm"
        )
    if row["p_clustered"] is not None:
        corrected = p_value(row["p_clustered_corrected"])
        tests.append(
            f"by resampling {cluster}s {p_in_words(row['p_clustered'])}, {corrected} after Holm"
        )
    sentence = "; ".join(tests)
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


def _margin(family: ComparisonFamily, row: Comparison) -> str:
    if family["margin"] is None:
        return ""
    size = f"{100 * family['margin']:.0f} points"
    return {
        EQUIVALENT: f"The whole interval lies within {size} either way: equivalent by that margin.",
        DIFFERENT: f"The whole interval lies beyond {size}: different by that margin.",
        UNDECIDED: f"The interval reaches across {size}: neither equivalence nor a difference by that margin is shown.",
    }.get(row["within"], f"Without an interval nothing is said about the margin of {size}.")


def _gain_sentence(row: Comparison, verdict: str, cluster: str) -> str:
    explicit, implicit = row["explicit"], row["implicit"]
    sentence = (
        f"{row['model']}: from prompt {row['first']} to {row['second']} the share of {verdict} responses moves by "
        f"{points(explicit['value'])} points on {counted(explicit['n_1'], 'explicit question')} and by "
        f"{points(implicit['value'])} on {counted(implicit['n_1'], 'implicit one')}, a difference of "
        f"{points(row['value'])} points{_interval_words(row, cluster)}"
    )
    return " ".join(filter(None, [sentence, _tested(row, cluster)]))
