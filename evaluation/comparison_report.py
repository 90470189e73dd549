"""The comparisons of a study's report, as data."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluation import counts, families
from evaluation.bootstrap import Plan
from evaluation.comparisons import Difference, GainDifference
from evaluation.families import Answered, Answers, Compared, Family
from evaluation.verdict_report import FINAL_VERDICTS
from judging.models import Verdict

# Enough for ends to two places; every open of a report computes them anew.
RESAMPLES = 2_000
TOO_MANY = (
    "{size} comparisons are too many for one correction. Choose some on the page of comparisons."
)


def plan_of(seed: int) -> Plan:
    return Plan(seed=abs(seed), resamples=RESAMPLES)


def answers_of(answered: Iterable[Answered], verdict: str = Verdict.CORRECT) -> Answers:
    return Answers(answered, verdict=str(verdict), one_passage=counts.one_passage_prompts())


def comparisons_entry(
    answers: Answers, seed: int, chosen: Sequence[Family] = families.FAMILIES
) -> dict[str, Any]:
    """The families that the answers can speak to, each with its comparisons."""
    plan = plan_of(seed)
    return {
        "population": FINAL_VERDICTS,
        "verdict": answers.verdict,
        "seed": plan.seed,
        "resamples": plan.resamples,
        "families": [
            _family_entry(family, answers, plan) for family in families.answerable(answers, chosen)
        ],
    }


def _family_entry(family: Family, answers: Answers, plan: Plan) -> dict[str, Any]:
    size = families.size(family, len(answers.models))
    too_many = size > families.MOST_COMPARISONS
    found = [] if too_many else families.compared(family, answers, plan)
    return {
        "key": family.key,
        "title": family.title,
        "kind": family.kind,
        "margin": family.margin,
        "reason": TOO_MANY.format(size=size) if too_many else "",
        "rows": [_row(one, family.kind) for one in found],
    }


def _row(one: Compared, kind: str) -> dict[str, Any]:
    """One comparison; prompts stand under their labels."""
    labelled = kind in (families.PROMPTS, families.GAINS)
    found = one.found
    return {
        "model": one.model,
        "prompt": counts.prompt_entry(one.prompt)["label"] if one.prompt else "",
        "first": counts.prompt_entry(one.first)["label"] if labelled else one.first,
        "second": counts.prompt_entry(one.second)["label"] if labelled else one.second,
        "value": found.value,
        **_interval(found),
        "p_clustered": found.p_clustered,
        "p_clustered_corrected": one.p_clustered_corrected,
        "within": one.within,
        "reason": found.reason,
        **(_sides(found, one) if isinstance(found, Difference) else _gains(found)),
    }


def _interval(found: Difference | GainDifference) -> dict[str, Any]:
    interval = found.interval
    if interval is None:
        return {"low": None, "high": None, "clusters": 0, "interval_reason": found.reason}
    return {
        "low": interval.low,
        "high": interval.high,
        "clusters": interval.clusters,
        "interval_reason": interval.reason,
    }


def _sides(found: Difference, one: Compared) -> dict[str, Any]:
    return {
        "k_1": found.first[0],
        "n_1": found.first[1],
        "k_2": found.second[0],
        "n_2": found.second[1],
        "only_first": found.only_first,
        "only_second": found.only_second,
        "p_exact": found.p_exact,
        "p_exact_corrected": one.p_exact_corrected,
    }


def _gains(found: GainDifference) -> dict[str, Any]:
    """The two gains that are compared, explicit first, each with its sides."""
    return {
        part: {
            "value": gain.value,
            "k_1": gain.first[0],
            "n_1": gain.first[1],
            "k_2": gain.second[0],
            "n_2": gain.second[1],
            **_interval(gain),
        }
        for part, gain in (("explicit", found.gain), ("implicit", found.other_gain))
    }
