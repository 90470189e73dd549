"""The comparisons of a study's report, as data."""

from collections.abc import Sequence
from typing import Any, cast

from evaluation.compare import families
from evaluation.compare.families import Answered, Answers, ComputedComparison, Family
from evaluation.counts.naming import one_passage_prompts, prompt_entry
from evaluation.sections.verdict_table import FINAL_VERDICTS
from evaluation.shapes.share_differences import (
    Comparison,
    ComparisonFamily,
    Comparisons,
    Gain,
    Gains,
)
from evaluation.statistics import bootstrap, differences
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.differences import Difference
from evaluation.statistics.entries import compared_counts, difference_ends

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
    made = {
        "model": comparison.model,
        "prompt": prompt_entry(comparison.prompt)["label"] if comparison.prompt else "",
        "first": prompt_entry(comparison.first)["label"] if labelled else comparison.first,
        "second": prompt_entry(comparison.second)["label"] if labelled else comparison.second,
        "value": difference.value,
        **difference_ends(difference),
        "p_clustered": difference.p_clustered,
        "p_clustered_corrected": comparison.p_clustered_corrected,
        "within": comparison.within,
        "reason": difference.reason,
    }
    if isinstance(difference, Difference):
        return cast(Comparison, made | _sides(difference, comparison))
    gains: Gains = {"explicit": _gain(difference.gain), "implicit": _gain(difference.other_gain)}
    return cast(Comparison, made | gains)


def _sides(difference: Difference, comparison: ComputedComparison) -> dict[str, Any]:
    return {
        **compared_counts(difference),
        "only_first": difference.only_first,
        "only_second": difference.only_second,
        "p_exact": difference.p_exact,
        "p_exact_corrected": comparison.p_exact_corrected,
    }


def _gain(gain: Difference) -> Gain:
    return cast(Gain, {"value": gain.value, **compared_counts(gain), **difference_ends(gain)})
