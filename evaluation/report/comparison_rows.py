"""The comparisons of a report, laid out for its page. Pure."""

from dataclasses import dataclass
from typing import NamedTuple

from evaluation.report.figures import Figure, cluster_word, query
from evaluation.report.sentences import (
    counted,
    lowered,
    p_in_words,
    p_value,
    point_ends,
    points,
    share,
)
from evaluation.report.verdict_rows import model_id
from evaluation.shapes.share_differences import Comparison, ComparisonFamily
from evaluation.shapes.study_report import ComparedSubject
from evaluation.statistics.differences import DIFFERENT, EQUIVALENT, UNDECIDED

SIDES = {
    "prompts": ("First prompt", "Second prompt"),
    "models": ("First model", "Second model"),
    "reasoning": ("Implicit", "Explicit"),
    "gains": ("Gain on explicit", "Gain on implicit"),
}
WITHIN = {
    "equivalent": "Within the margin",
    "different": "Beyond the margin",
    "undecided": "Not decided",
    "": "No interval",
}


class P(NamedTuple):
    """A p-value as it is, and as corrected within its family; "" where there is none to correct."""

    plain: str
    corrected: str


@dataclass(frozen=True)
class ComparisonRow:
    """One comparison: what is compared, both sides, the difference, its p-values, and all of it in words."""

    what: str
    sides: tuple[Figure, Figure]
    difference: Figure
    p_exact: P
    p_clustered: P
    within: str
    sentence: str


@dataclass(frozen=True)
class FamilySection:
    """A family with its columns; `exact` whether it has McNemar's p, `margin` in words where it has one."""

    key: str
    title: str
    sides: tuple[str, str]
    exact: bool
    margin: str
    reason: str
    rows: tuple[ComparisonRow, ...]


def family_sections(report: ComparedSubject, word: str) -> list[FamilySection]:
    """The families of a report, or of an answer to a comparison of its own; `word` is the compared verdict."""
    return [_section(report, family, word) for family in report["comparisons"]["families"]]


def _section(report: ComparedSubject, family: ComparisonFamily, word: str) -> FamilySection:
    margin = family["margin"]
    return FamilySection(
        family["key"],
        family["title"],
        SIDES[family["kind"]],
        family["kind"] in ("prompts", "models"),
        f"{100 * margin:.0f} points" if margin is not None else "",
        family["reason"],
        tuple(_row(report, family, row, word) for row in family["rows"]),
    )


def _row(
    report: ComparedSubject, family: ComparisonFamily, row: Comparison, word: str
) -> ComparisonRow:
    sides = _gains(row) if family["kind"] == "gains" else _sides(report, family, row)
    ends = point_ends(row["low"], row["high"])
    why = row["reason"] or row["interval_reason"]
    return ComparisonRow(
        _what(family, row),
        sides,
        Figure(points(row["value"]), ends, "" if ends else why),
        _p(row.get("p_exact"), row.get("p_exact_corrected")),
        _p(row["p_clustered"], row["p_clustered_corrected"]),
        WITHIN[row["within"]] if family["margin"] is not None else "",
        comparison_sentence(family, row, word, cluster_word(report)),
    )


def _p(p: float | None, corrected: float | None) -> P:
    return P(p_value(p), "" if corrected is None else p_value(corrected))


def _what(family: ComparisonFamily, row: Comparison) -> str:
    if family["kind"] == "models":
        return f"{row['first']}, {row['second']} (prompt {row['prompt']})"
    if family["kind"] == "reasoning":
        return f"{row['model']}, prompt {row['prompt']}"
    return f"{row['model']}, prompts {row['first']} and {row['second']}"


def _gains(row: Comparison) -> tuple[Figure, Figure]:
    explicit, implicit = (
        Figure(
            points(gain["value"]), point_ends(gain["low"], gain["high"]), share=f"n = {gain['n_1']}"
        )
        for gain in (row["explicit"], row["implicit"])
    )
    return explicit, implicit


def _sides(
    report: ComparedSubject, family: ComparisonFamily, row: Comparison
) -> tuple[Figure, Figure]:
    """Each side as k/n, with a link to the responses with that verdict that have one on the other side too."""
    verdict = report["comparisons"]["verdict"]
    names = {prompt["label"]: prompt["name"] for prompt in report["prompts"]}

    def side(place: str, other: str, k: int, n: int) -> Figure:
        kind = family["kind"]
        chosen = {
            "model": model_id(report, place if kind == "models" else row["model"]),
            "prompt": names[place] if kind == "prompts" else names[row["prompt"]],
            "slice": place if kind == "reasoning" else "",
        }
        paired = {
            "with_model": model_id(report, other) if kind == "models" else "",
            "with_prompt": names[other] if kind == "prompts" else "",
        }
        link = query(of="final", **chosen, verdict=verdict, **paired) if k else ""
        return Figure(f"{k}/{n}", query=link, share=share(k, n))

    first, second = row["first"], row["second"]
    return (
        side(first, second, row["k_1"], row["n_1"]),
        side(second, first, row["k_2"], row["n_2"]),
    )


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
