"""What happens by itself while a campaign runs: reserve tags replace lost ones, and the stop rule closes it."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Count, Q, QuerySet

from annotation.campaigns.people import annotators_of
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import (
    ASSIGNMENT,
    CAMPAIGN,
    EDITABLE,
    AnnotationState,
    AssignmentState,
    CampaignState,
)
from datasets.models import Validity
from wikifetch.states import TagState

# A tag with an assignment in one of these states may still be annotated, or is.
LIVE = (AssignmentState.FREE, AssignmentState.HELD, AssignmentState.SUBMITTED)


def reserve_of(campaign: Campaign) -> QuerySet[Assignment]:
    """The reserve tags that can still be released, in their order: those gone from their article cannot."""
    rows = campaign.assignments.filter(state=AssignmentState.RESERVE, tag__state=TagState.LIVE)
    return rows.order_by("order")


def valid_tags(campaign: Campaign) -> int:
    """How many tags of the main round have an annotation that says valid, and that a review has not left out.

    Of a merge its result counts, not what it was made of.
    """
    main = campaign.assignments.filter(round=campaign.main_round)
    left_out = (AnnotationState.MERGED, AnnotationState.UNUSED, AnnotationState.AMBIGUOUS)
    says_valid = (
        Annotation.objects.filter(validity=Validity.VALID)
        .filter(Q(assignment__in=main) | Q(merged_from__assignment__in=main))
        .exclude(state__in=(*EDITABLE, *left_out))
    )
    counted = says_valid.order_by().aggregate(n=Count("sighting__tag", distinct=True))
    return counted["n"]


def is_reached(campaign: Campaign) -> bool:
    """Whether the campaign has as many valid tags as it is to stop at."""
    return campaign.stop_at_valid is not None and valid_tags(campaign) >= campaign.stop_at_valid


def follow_stop_rule(campaign_id: int) -> None:
    """Close the campaign if its stop rule is reached; release reserve tags if it cannot be reached without them."""
    has_rule = Campaign.objects.exclude(stop_at_valid=None).filter(state=CampaignState.OPEN)
    if not has_rule.filter(pk=campaign_id).exists():
        return
    campaign = _locked(campaign_id)
    if campaign.stop_at_valid is None:  # removed meanwhile
        return
    valid = valid_tags(campaign)
    if valid >= campaign.stop_at_valid:
        CAMPAIGN.move(campaign, "stop")
        return
    main = campaign.assignments.filter(round=campaign.main_round)
    handed_in = main.filter(state=AssignmentState.SUBMITTED)
    to_come = main.filter(state__in=(AssignmentState.FREE, AssignmentState.HELD))
    left = to_come.exclude(tag__in=handed_in.values("tag")).order_by().values("tag").distinct()
    if (short := campaign.stop_at_valid - valid - left.count()) > 0:
        _release(reserve_of(campaign)[:short], people=1)


def replace_lost(campaign_id: int, tags: Collection[int]) -> tuple[int, int]:
    """Release a reserve tag of the same stratum for each of these tags of the main round that nobody will annotate.

    Returns the number of lost tags and of released ones: fewer if the reserve has run out.
    """
    campaign = _locked(campaign_id)
    lost = _lost(campaign, tags)
    waiting: defaultdict[str, list[Assignment]] = defaultdict(list)
    for row in reserve_of(campaign).select_related("sighting") if lost else ():
        waiting[_stratum(campaign, row.sighting.kind)].append(row)
    released = 0
    for stratum, people in lost:
        if waiting[stratum]:
            released += _release([waiting[stratum].pop(0)], people)
    return len(lost), released


def _locked(campaign_id: int) -> Campaign:
    """The campaign as it is now; others that would release its reserve wait."""
    # Without the key, inserts of rows that point at the campaign do not wait.
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign_id)


def _stratum(campaign: Campaign, kind: str) -> str:
    kinds = {each["kind"] for each in campaign.strata}
    return kind if kind in kinds else ""


def _lost(campaign: Campaign, tags: Collection[int]) -> list[tuple[str, int]]:
    """(stratum, people) of each lost tag; `people` is how many assignments were withdrawn."""
    rows = campaign.assignments.filter(round=campaign.main_round).order_by("order", "slot")
    states: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for tag, kind, state in rows.values_list("tag", "sighting__kind", "state"):
        if tag in tags:
            states[tag, kind].append(state)
    return [
        (_stratum(campaign, kind), max(1, each.count(AssignmentState.WITHDRAWN)))
        for (_, kind), each in states.items()
        if not {*each} & {*LIVE}
    ]


def _release(rows: Iterable[Assignment], people: int) -> int:
    """Let these reserve tags be claimed, by so many people each; returns how many there were."""
    released = 0
    for row in rows:
        released += ASSIGNMENT.move(row, "release")
        Assignment.objects.bulk_create(again(row, slot) for slot in range(2, people + 1))
    return released


def again(row: Assignment, slot: int) -> Assignment:
    """A further free assignment of the same tag and round."""
    return Assignment(
        campaign_id=row.campaign_id,
        round=row.round,
        tag_id=row.tag_id,
        sighting_id=row.sighting_id,
        slot=slot,
        order=row.order,
    )


def is_given_up(assignment: Assignment) -> bool:
    """Whether nobody has this tag of the round, and everybody who could get it has had it, or gave it up."""
    same = {"campaign": assignment.campaign, "tag": assignment.tag}
    rows = Assignment.objects.filter(**same, round=assignment.round)
    if rows.filter(state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED)).exists():
        return False
    had = rows if assignment.campaign.pilot_again else Assignment.objects.filter(**same)
    who_had = had.exclude(person=None).values("person")
    left = annotators_of(assignment.campaign).exclude(pk__in=who_had)
    if not assignment.campaign.gives_seen_tags:
        left = left.exclude(pk__in=assignment.tag.seen_by.order_by().values("person"))
    return not left.exists()
