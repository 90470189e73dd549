"""The agreement of a campaign's annotators, as data: what its page, its files and a study's report show."""

from collections.abc import Iterator

from django.db.models import QuerySet

from annotation.models import Campaign
from annotation.states import CampaignState
from evaluation.annotators import compared_rows
from evaluation.annotators.entered import populations
from evaluation.annotators.stage_agreement import BEFORE, stage_agreement
from evaluation.shapes.annotator_agreement import AnnotatorAgreement, RoundAgreement
from evaluation.shapes.study_report import Report
from evaluation.statistics import bootstrap
from evaluation.statistics.bootstrap import ResamplePlan
from judging.models import Study

NOBODY_TWICE = "No tag of this campaign has annotations of two people yet."
OPEN = "This campaign is open: until it is closed, its agreement is only on a page of its own."
COMPARED = ["campaign", *(name for name in compared_rows.COLUMNS if name != "title")]
TAGGED = ["campaign", "round", "tag"]


def campaigns_of(study: Study) -> QuerySet[Campaign]:
    """The campaigns that feed the collections of the study's questions."""
    collections = study.items.order_by().values("response__instance__contradiction__collection")
    return Campaign.objects.filter(collection__in=collections).order_by("name")


def study_annotators(study: Study) -> list[AnnotatorAgreement]:
    """Those campaigns' agreement; none of an open one, whose annotators may read the study's report."""
    return [campaign_agreement(campaign, of_closed=True) for campaign in campaigns_of(study)]


def comparison_rows(study: Study, report: Report | None = None) -> Iterator[list[object]]:
    """What these numbers are computed from, in the columns COMPARED: no number uses the titles of articles.

    They are of the campaigns that an earlier `report` has numbers of, else of the closed ones: opening or closing a
    campaign since then changes no row.
    """
    title = compared_rows.COLUMNS.index("title")
    for campaign in _with_numbers(study, report):
        for line in compared_rows.table(populations(campaign)):
            yield [campaign.name, *line[:title], *line[title + 1 :]]


def annotated_tags(study: Study, report: Report | None = None) -> Iterator[list[object]]:
    """The tags with an annotation before review, in the columns TAGGED, of the same campaigns as comparison_rows."""
    for campaign in _with_numbers(study, report):
        for n, stages in sorted(populations(campaign).items()):
            for tag in sorted({entered.tag for entered in stages[BEFORE]}):
                yield [campaign.name, n, tag]


def _with_numbers(study: Study, report: Report | None) -> QuerySet[Campaign]:
    campaigns = campaigns_of(study)
    if report is None:
        return campaigns.filter(state=CampaignState.CLOSED)
    given = [entry["campaign"] for entry in report["annotators"] if entry["reason"] != OPEN]
    return campaigns.filter(name__in=given)


def campaign_agreement(campaign: Campaign, *, of_closed: bool = False) -> AnnotatorAgreement:
    """Every round and stage, resampled from the campaign's seed; `of_closed` gives none of an open campaign."""
    plan = ResamplePlan(abs(campaign.seed))
    is_hidden = of_closed and campaign.state != CampaignState.CLOSED
    rounds = {} if is_hidden else populations(campaign)
    entries: list[RoundAgreement] = [
        {
            "round": n,
            "annotated": len({entered.tag for entered in rounds[n][BEFORE]}),
            "stages": [
                stage_agreement(stage, rounds[n][stage], plan)
                for stage in compared_rows.STAGES
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
        "reason": "" if is_measured else OPEN if is_hidden else NOBODY_TWICE,
        "interval": {
            "cluster": "article",
            "method": bootstrap.METHOD,
            "resamples": plan.resamples,
            "generator": "PCG64",
            "seed": plan.seed,
        },
        "rounds": entries,
    }
