"""Who gets which tag next: claim it, take it up again, hand it back, skip it.

Assignments are claimed by conditional UPDATE, so no tag goes to one person twice, nor to more people than it has
assignments. A claimed assignment is held by a lease that each save renews.
"""

from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.models import Person
from annotation.blinding.hiding import has_given_up
from annotation.campaigns import campaign_people, reserve
from annotation.campaigns.campaign_people import (
    OpenCampaign,
    free_in,
    of_campaigns_open_to,
    open_to,
)
from annotation.evidence.headstart import columns_at_start
from annotation.fields.form_input import plain
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import ASSIGNMENT, EDITABLE, AnnotationState, AssignmentState
from annotation.workflow import in_hand
from leases import claim as leases
from leases.prepared import Prepared
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

# Longer than a weekend. Every save renews the lease, so only abandoned assignments expire.
LEASE_SECONDS = 4 * 24 * 3600
SENT_BACK_SECONDS = 14 * 24 * 3600
MOST_REASON = 1_000
# Tags that are counted to say how many are left: a page must not cost more in a larger campaign.
MOST_COUNTED = 200

# What the page of an assignment shows besides its annotation.
SHOWN = (
    "sighting__tag__article__talk",
    "sighting__tag__article__wiki",
    "sighting__revision__article__wiki",
    "sighting__revision__html",
)
FREE_AGAIN: dict[str, Any] = {"person": None, "lease_holder": "", "lease_until": None}


def free_assignments(person: Person, campaign: Campaign | None = None) -> QuerySet[Assignment]:
    """What this person may claim, of one campaign or all, as it is drawn: all people of a tag, then the next tag.

    Left out are tags that the person has, had or skipped in that round, tags whose draft they handed back (they can
    take it up again), and tags that they gave up to see others' work.
    """
    assignments = of_campaigns_open_to(person, campaign.pk if campaign else None)
    return with_what_is_shown(_in_order(assignments, person.pk))


def _in_order(assignments: QuerySet[Assignment], person: int) -> QuerySet[Assignment]:
    left = Annotation.objects.filter(author=person, assignment=None, state__in=EDITABLE)
    assignments = assignments.exclude(tag__in=left.values("sighting__tag"))
    # "campaign" would order by Campaign.Meta.ordering, which has no index.
    return assignments.order_by("campaign_id", "round", "order", "slot")


def with_what_is_shown(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    return assignments.select_related("campaign__guideline", *SHOWN)


@lru_cache(maxsize=100)
def _reads_of(campaign: OpenCampaign) -> tuple[Prepared[Assignment], Prepared[int]]:
    """Of the free_assignments of one campaign the first, locked; and the tag of each of the first _most_read."""

    def free(person: int) -> QuerySet[Assignment]:
        return _in_order(free_in([campaign], person), person)

    def first(person: int) -> QuerySet[Assignment]:
        # Found by the index alone. With the joins SQLite would read and sort all that is free.
        found = free(person).select_for_update(skip_locked=True, of=("self",)).values("pk")[:1]
        return with_what_is_shown(Assignment.objects.filter(pk=found).order_by())

    def tags(person: int) -> QuerySet[Assignment, int]:
        # Not distinct: PostgreSQL would read all that is free.
        return free(person).values_list("tag", flat=True)[: _most_read(campaign)]

    return Prepared(first, "person"), Prepared(tags, "person")


def _most_read(campaign: OpenCampaign) -> int:
    """So many free assignments are of more than MOST_COUNTED tags, as each is free for its people at most."""
    return (MOST_COUNTED + 1) * campaign.people_per_tag


def next_tags(person: Person, campaign: OpenCampaign) -> tuple[list[int], bool]:
    """The next tags that this person may claim in the campaign, at most MOST_COUNTED, and whether there are more."""
    read = _reads_of(campaign)[1](person=person.pk)
    tags = [*dict.fromkeys(read)]
    return tags[:MOST_COUNTED], len(read) == _most_read(campaign) or len(tags) > MOST_COUNTED


@transaction.atomic
def next_assignment(*, by: Person, campaign: Campaign | None = None) -> Assignment | None:
    """Claim the next tag for this person and create an empty draft; None when there is none left.

    Of all campaigns, real work comes before the demonstration. Raises HandsFull.
    """
    campaign_people.one_claim_at_a_time(by)
    campaigns = sorted(
        open_to(by, campaign.pk if campaign else None), key=lambda open_campaign: open_campaign.pk
    )
    full = in_hand.full_campaigns(by)
    for is_one in (False, True):
        mine = [
            open_campaign for open_campaign in campaigns if open_campaign.is_demonstration is is_one
        ]
        if assignment := _claim_first(by, mine, full):
            return assignment
    return None


def none_left(campaign: Campaign | None) -> str:
    """That there is no further tag: in the one campaign that was asked for, or in any."""
    where = f"“{campaign}”" if campaign else "No campaign"
    return f"{where} has {'no' if campaign else 'a'} tag left for you now."


@transaction.atomic
def in_hand_or_next(*, by: Person, campaign: Campaign | None = None) -> Assignment | None:
    """The tag that this person took last and has in hand, begun or not, else as next_assignment.

    A repetition takes no second tag.
    """
    campaign_people.one_claim_at_a_time(by)
    held = in_hand.drafts_in_hand(by).order_by("-annotation__pk")
    if campaign:
        held = held.filter(campaign=campaign)
    return held.first() or next_assignment(by=by, campaign=campaign)


@transaction.atomic
def following_assignment(*, by: Person, campaign: Campaign, again: bool) -> Assignment | None:
    """The tag to open after a submission: one in hand that is not begun, else the next; None when none is left.

    `again`: the submission was a repeated one, as by a reload. Then it is the last tag in hand, begun or not: a
    repetition takes no second tag. Raises as next_assignment does.
    """
    campaign_people.one_claim_at_a_time(by)
    mine = in_hand.drafts_in_hand(by).filter(campaign=campaign).order_by("-annotation__pk")
    held = mine.values_list("pk", "annotation__version")
    if fitting := [pk for pk, version in held if again or version == 0]:
        return Assignment.objects.get(pk=fitting[0])
    is_full = len(held) >= campaign.most_in_hand
    return _claim_first(by, open_to(by, campaign.pk), [campaign.pk] if is_full else [])


def _claim_first(
    person: Person, campaigns: list[OpenCampaign], full: list[int]
) -> Assignment | None:
    """Claim the next tag of the first of these campaigns that has one. Raises HandsFull if only a full one has."""
    for campaign in sorted(campaigns, key=lambda open_campaign: open_campaign.pk in full):
        first, _ = _reads_of(campaign)
        for row in first(person=person.pk):
            if campaign.pk in full:
                raise in_hand.HandsFull(row.campaign)
            if leases.take(row, ASSIGNMENT, "claim", **_lease_of(person)):
                begin_annotation(row, person)
                return row
    return None


def claim_within_limits(assignments: QuerySet[Assignment], by: Person) -> Assignment | None:
    """Claim the first of these assignments that is free, as far as their campaigns let this person hold one more."""
    campaign_people.one_claim_at_a_time(by)
    full = in_hand.full_campaigns(by)
    assignment = claim(assignments.exclude(campaign__in=full), by)
    if assignment is None and (kept_back := assignments.filter(campaign__in=full).first()):
        raise in_hand.HandsFull(kept_back.campaign)
    return assignment


def claim(assignments: QuerySet[Assignment], person: Person) -> Assignment | None:
    """Claim the first of these assignments that is free; None when none is."""
    return leases.claim(assignments, ASSIGNMENT, "claim", **_lease_of(person))


def _lease_of(person: Person) -> dict[str, Any]:
    return {"seconds": LEASE_SECONDS, "holder": holder_of(person), "person": person}


def holder_of(person: Person) -> str:
    return f"person:{person.pk}"


def begin_annotation(assignment: Assignment, person: Person) -> Annotation:
    """A draft with what the tag proposes; none of it is `touched`."""
    return Annotation.objects.create(
        assignment=assignment,
        sighting=assignment.sighting,
        author=person,
        guideline=assignment.campaign.guideline,
        **columns_at_start(assignment.sighting),
    )


def held_by(assignment_id: int, person: Person) -> Assignment:
    """This person's assignment. Raises NotFoundHere, also for another person's."""
    rows = Assignment.objects.filter(pk=assignment_id, person=person)
    return first_of(
        rows, "You have no such assignment. Your queue, or /api/assignments/, lists yours."
    )


@transaction.atomic
def hand_back(*, assignment_id: int, by: Person) -> None:
    """Free the assignment for other people. The draft stays with its author, who can take it up again."""
    assignment = held_by(assignment_id, by)
    ASSIGNMENT.require(assignment, "hand_back", **FREE_AGAIN)
    detach_drafts()


@transaction.atomic
def skip(*, assignment_id: int, by: Person, reason: str) -> None:
    """Skip the tag for good, with a reason; another person gets a new assignment.

    A tag of the main round that everybody has skipped is replaced by one of the reserve. A repetition does nothing.
    """
    reason = plain(reason)[:MOST_REASON]
    if not reason:
        raise Refusal("Say why you skip this tag: the next person will read it.")
    assignment = held_by(assignment_id, by)
    same_tag = Assignment.objects.filter(
        campaign=assignment.campaign, round=assignment.round, tag=assignment.tag
    )
    # Locked, so that two people who skip a tag at the same time do not make the same new assignment.
    list(same_tag.select_for_update().order_by("pk"))
    assignment.refresh_from_db(fields=["state", "skip_reason"])
    if assignment.state == AssignmentState.SKIPPED and assignment.skip_reason == reason:
        return
    ASSIGNMENT.require(assignment, "skip", skip_reason=reason, lease_holder="", lease_until=None)
    last = same_tag.aggregate(last=Max("slot"))["last"]
    # With its letter: those of the others stay.
    reserve.again(assignment, last + 1, lot=assignment.lot).save()
    this = Campaign.objects.filter(pk=assignment.campaign_id)
    reserve.replace_given_up([assignment.tag_id], this)
    reserve.follow_stop_rule(assignment.campaign_id)


@transaction.atomic
def take_up(*, annotation_id: int, by: Person) -> Assignment:
    """Claim a free assignment for a handed-back draft of this person. Raises HandsFull, and Conflict if none is free.

    What was sent back does not count as in hand, so it may always be taken up.
    """
    campaign_people.one_claim_at_a_time(by)
    drafts = Annotation.objects.filter(pk=annotation_id, author=by, state__in=EDITABLE)
    draft = first_of(drafts, "You have no such draft to continue.")
    if draft.assignment_id:
        raise Conflict("You have already continued this draft. Your queue lists it.")
    assignments = of_campaigns_open_to(by).filter(sighting=draft.sighting).order_by("slot")
    is_draft = draft.state == AnnotationState.DRAFT
    assignment = claim_within_limits(assignments, by) if is_draft else claim(assignments, by)
    if assignment is None:
        why = (
            "You have been shown what others entered for this tag."
            if has_given_up(by, draft.sighting.tag_id)
            else "All assignments of this tag are taken, or its campaign is not open to you."
        )
        raise Conflict(f"{why} Your draft is kept; an admin can reassign the tag to you.")
    Annotation.objects.filter(pk=draft.pk).update(assignment=assignment)
    return assignment


def renew(assignment: Assignment, person: Person, seconds: float = LEASE_SECONDS) -> None:
    leases.renew(assignment, seconds=seconds, holder=holder_of(person))


@transaction.atomic
def sweep_assignments() -> int:
    """Free the assignments whose lease has expired; their drafts stay with their authors."""
    freed = leases.sweep(Assignment.objects.all(), ASSIGNMENT, "expire", person=None)
    if freed:
        detach_drafts()
    return freed


def detach_drafts() -> None:
    Annotation.objects.filter(assignment__state=AssignmentState.FREE).update(assignment=None)
