"""The comparisons of a study's report, as data."""

from collections.abc import Sequence

from evaluation.compare import families
from evaluation.compare.families import Answered, Answers, ComputedComparison, Family
from evaluation.counts.naming import one_passage_prompts, prompt_entry
from evaluation.sections.verdict_table import FINAL_VERDICTS
from evaluation.shapes.share_differences import (
    ComparedCounts,
    Comparison,
    ComparisonFamily,
    Comparisons,
    ComparisonSides,
    DifferenceEnds,
    Gain,
    Gains,
)
from evaluation.statistics import bootstrap, differences
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.differences import Difference, GainDifference

# Enough for ends to two places; every open of a report computes them anew.
RESAMPLES = 2_000
TOO_MANY = (
    "{size} comparisons are too many for one correction. Choose some on the page of comparisons."
)


def plan_of(seed: int) -> ResamplePlan:
    return ResamplePlan(seed=abs(seed), resamples=RESAMPLES)


def answers_of(answered: Answered, verdict: str) -> Answers:
    return Answers(answered, verdict=verdict, one_passage=one_passage_prompts())


def comparisons_entry(
    answers: Answers, seed: int, chosen: Sequence[Family] = families.FAMILIES
) -> Comparisons:
    """The families that the answers can speak to, each with its comparisons."""
    plan = plan_of(seed)
    return {
        "population": FINAL_VERDICTS,
        "verdict": answers.verdict,
        "seed": plan.seed,
        "resamples": plan.resamples,
        "method": bootstrap.METHOD,
        "correction": differences.CORRECTION,
        "families": [
            _family_entry(family, answers, plan) for family in families.answerable(answers, chosen)
        ],
    }


def _family_entry(family: Family, answers: Answers, plan: ResamplePlan) -> ComparisonFamily:
    size = families.size(family, len(answers.models))
    too_many = size > families.MOST_COMPARISONS
    comparisons = [] if too_many else families.compared(family, answers, plan)
    return {
        "key": family.key,
        "title": family.title,
        "kind": family.kind,
        "margin": family.margin,
        "reason": TOO_MANY.format(size=size) if too_many else "",
        "rows": [_row(comparison, family.kind) for comparison in comparisons],
    }


def _row(comparison: ComputedComparison, kind: str) -> Comparison:
    """One comparison; prompts are named by their labels."""
    labelled = kind in (families.PROMPTS, families.GAINS)
    difference = comparison.difference
    return {
        "model": comparison.model,
        "prompt": prompt_entry(comparison.prompt)["label"] if comparison.prompt else "",
        "first": prompt_entry(comparison.first)["label"] if labelled else comparison.first,
        "second": prompt_entry(comparison.second)["label"] if labelled else comparison.second,
        "value": difference.value,
        **_interval(difference),
        "p_clustered": difference.p_clustered,
        "p_clustered_corrected": comparison.p_clustered_corrected,
        "within": comparison.within,
        "reason": difference.reason,
        **(
            _sides(difference, comparison)
            if isinstance(difference, Difference)
            else _gains(difference)
        ),
    }


def _interval(difference: Difference | GainDifference) -> DifferenceEnds:
    interval = difference.interval
    if interval is None:
        return {"low": None, "high": None, "clusters": 0, "interval_reason": difference.reason}
    return {
        "low": interval["low"],
        "high": interval["high"],
        "clusters": interval["clusters"],
        "interval_reason": interval["reason"],
    }


def _sides(difference: Difference, comparison: ComputedComparison) -> ComparisonSides:
    return {
        **_counts(difference),
        "only_first": difference.only_first,
        "only_second": difference.only_second,
        "p_exact": difference.p_exact,
        "p_exact_corrected": comparison.p_exact_corrected,
    }


def _gains(difference: GainDifference) -> Gains:
    """The two gains that are compared, explicit first, each with its sides."""
    return {"explicit": _gain(difference.gain), "implicit": _gain(difference.other_gain)}


def _gain(gain: Difference) -> Gain:
    return {"value": gain.value, **_counts(gain), **_interval(gain)}


def _counts(difference: Difference) -> ComparedCounts:
    (k_1, n_1), (k_2, n_2) = difference.first, difference.second
    return {"k_1": k_1, "n_1": n_1, "k_2": k_2, "n_2": n_2}
