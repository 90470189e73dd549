"""The agreement of a campaign's annotators, as data: what its page, its files and a study's report show."""

from annotation.models import Campaign
from evaluation.annotators import shapes
from evaluation.annotators.agreement import AFTER, BEFORE, BLIND, stage_agreement
from evaluation.annotators.entered import populations
from evaluation.annotators.page import in_short
from evaluation.statistics import bootstrap
from evaluation.statistics.bootstrap import Plan

NOBODY_TWICE = "No tag of this campaign has annotations of two people yet."
# In the order in which they are shown.
STAGES = (BEFORE, BLIND, AFTER)


def campaign_agreement(campaign: Campaign) -> shapes.AnnotatorAgreement:
    """Every round and stage, resampled from the campaign's seed."""
    plan = Plan(abs(campaign.seed))
    rounds = populations(campaign)
    entries: list[shapes.RoundAgreement] = [
        {
            "round": n,
            "annotated": len({one.tag for one in rounds[n][BEFORE]}),
            "stages": [
                stage_agreement(stage, rounds[n][stage], plan)
                for stage in STAGES
                if stage in rounds[n]
            ],
        }
        for n in sorted(rounds)
    ]
    is_measured = any(stage["tags"] for entry in entries for stage in entry["stages"])
    return {
        "campaign": campaign.name,
        "is_demonstration": campaign.is_demonstration,
        "measured": is_measured,
        "reason": "" if is_measured else NOBODY_TWICE,
        "interval": {
            "cluster": "article",
            "method": bootstrap.METHOD,
            "resamples": plan.resamples,
            "generator": "PCG64",
            "seed": plan.seed,
        },
        "rounds": entries,
    }


def so_far(campaign: Campaign) -> list[str]:
    """The agreement on validity before review, a sentence for each round, without intervals."""
    rounds = populations(campaign)
    stages = {n: stage_agreement(BEFORE, rounds[n][BEFORE], None) for n in sorted(rounds)}
    return [in_short(n, stage) for n, stage in stages.items() if stage["tags"]] or [NOBODY_TWICE]
