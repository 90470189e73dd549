"""What happens by itself while a campaign runs: reserve tags replace lost ones, and the stop rule closes it."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.campaigns.people import annotators_of
from annotation.models import Annotation, Assignment, Campaign, Seen
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

Tags = Collection[int] | QuerySet[Any]

# A tag with an assignment in one of these states may still be annotated, or is.
LIVE = (AssignmentState.FREE, AssignmentState.HELD, AssignmentState.SUBMITTED)


def reserve_of(campaign: Campaign) -> QuerySet[Assignment]:
    """The reserve tags that can be released, in their order: not those gone from their article or out of reach."""
    rows = campaign.assignments.filter(state=AssignmentState.RESERVE, tag__state=TagState.LIVE)
    return rows.exclude(tag__in=out_of_reach(campaign, rows.values("tag"))).order_by("order")


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


def replace_given_up(tags: Tags, campaigns: QuerySet[Campaign] | None = None) -> None:
    """Replace those of these tags that nobody annotates, and that nobody can get any more.

    Where the reserve has no tag of its stratum left, a tag waits for further people. `campaigns`: only in these.
    """
    waiting = Assignment.objects.filter(campaign=OuterRef("pk"), state=AssignmentState.RESERVE)
    rows = Campaign.objects.all() if campaigns is None else campaigns
    for campaign in rows.filter(Exists(waiting)).order_by("pk"):
        places = campaign.assignments.filter(round=campaign.main_round, tag__in=tags)
        # Of two people who give up a tag at once, the second waits here and then finds that both have.
        idle = places.filter(state__in=(AssignmentState.FREE, AssignmentState.SKIPPED))
        list(idle.select_for_update().order_by("pk").values_list("pk"))
        has_one = places.filter(state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED))
        given_up = out_of_reach(campaign, tags) - {*has_one.values_list("tag", flat=True)}
        free = places.filter(state=AssignmentState.FREE, tag__in=given_up).order_by("order")
        for tag in dict.fromkeys(free.values_list("tag", flat=True)):
            _replace(campaign, tag)


def out_of_reach(campaign: Campaign, tags: Tags) -> set[int]:
    """Those of these tags that everybody who annotates in the campaign has had in its main round, or gave up."""
    people = {*annotators_of(campaign).values_list("pk", flat=True)}
    had = campaign.assignments.filter(person__in=people, tag__in=tags).order_by()
    had = had.filter(round=campaign.main_round) if campaign.pilot_again else had
    reached: defaultdict[int, set[int]] = defaultdict(set)
    for tag, person in had.values_list("tag", "person"):
        reached[tag].add(person)
    if not campaign.gives_seen_tags:
        seen = Seen.objects.filter(person__in=people, tag__in=tags).order_by()
        for tag, person in seen.values_list("tag", "person"):
            reached[tag].add(person)
    return {tag for tag, had_by in reached.items() if had_by >= people}


@transaction.atomic
def _replace(campaign: Campaign, tag: int) -> None:
    """Replace the tag by one of the reserve; with none left, leave it."""
    ASSIGNMENT.move(campaign.assignments.filter(round=campaign.main_round, tag=tag), "withdraw")
    _, released = replace_lost(campaign.pk, {tag})
    if not released:
        transaction.set_rollback(True)
