"""Campaigns: which tags are annotated, by how many people, and who gets which tag next.

Places are made when a campaign opens and then claimed by conditional UPDATE, so no tag goes to one person
twice, nor to more people than it has places. A claimed place is held by a lease that each save renews.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from accounts.models import Person
from annotation.guidelines import current_guideline
from annotation.models import Annotation, Assignment, Campaign
from annotation.reading import plain
from annotation.states import ASSIGNMENT, CAMPAIGN, AnnotationState, AssignmentState, CampaignState
from datasets.models import Collection
from leases import claim as leases
from leases.refusal import Conflict, NotFoundHere, Refusal
from wikifetch.models import Tag, TagKind
from wikifetch.states import TagState

# A place outlives a weekend. It is renewed by every save, so only abandoned ones run out.
LEASE_SECONDS = 4 * 24 * 3600
SENT_BACK_SECONDS = 14 * 24 * 3600
MOST_REASON = 1_000

FREE_AGAIN: dict[str, Any] = {"person": None, "lease_holder": "", "lease_until": None}


@dataclass(frozen=True)
class Frame:
    """Which live tags a campaign is drawn from: `kinds` (empty: all), at most `limit` of them (0: all)."""

    kinds: tuple[str, ...] = ()
    limit: int = 0

    def tags(self) -> QuerySet[Tag]:
        tags = Tag.objects.filter(state=TagState.LIVE, latest__isnull=False).order_by("pk")
        return tags.filter(kind__in=self.kinds) if self.kinds else tags


@dataclass(frozen=True)
class Plan:
    """How a campaign's tags are given out.

    `double_share` of the tags, drawn by `seed`, get all `people_per_tag` people; the others get one.
    """

    people_per_tag: int = 1
    double_share: float = 1.0
    seed: int = 0


@transaction.atomic
def open_campaign(
    *,
    name: str,
    collection: Collection,
    frame: Frame,
    plan: Plan,
    by: Person,
    demonstration: bool = False,
) -> Campaign:
    """Draw the tags, pin the latest sighting of each, make all places. Raises Refusal when there is nothing to draw."""
    if unknown := set(frame.kinds) - set(TagKind.values):
        raise Refusal(
            f"There is no kind of tag {sorted(unknown)}. Kinds: {', '.join(TagKind.values)}."
        )
    if Campaign.objects.filter(name=name).exists():
        raise Conflict(f"There is a campaign “{name}” already. Choose another name.")
    tags = list(frame.tags())
    if not tags:
        raise Refusal("No live tag fits. Fetch pages first, or choose other kinds of tag.")
    campaign = Campaign.objects.create(
        name=name,
        collection=collection,
        guideline=current_guideline(),
        people_per_tag=plan.people_per_tag,
        double_share=plan.double_share,
        frame_query={"state": TagState.LIVE, "kinds": list(frame.kinds), "limit": frame.limit},
        frame_size=len(tags),
        seed=plan.seed,
        is_demonstration=demonstration,
        created_by=by,
    )
    Assignment.objects.bulk_create(_places(campaign, tags, frame.limit, plan))
    return campaign


def _places(campaign: Campaign, tags: list[Tag], limit: int, plan: Plan) -> Iterable[Assignment]:
    # The draw is stored as `seed`; it chooses tags, it keeps no secret.
    random.Random(plan.seed).shuffle(tags)  # noqa: S311
    drawn = tags[:limit] if limit else tags
    shared = round(plan.double_share * len(drawn))
    for order, tag in enumerate(drawn):
        assert tag.latest_id is not None, "the frame asks for tags that were seen"
        people = plan.people_per_tag if order < shared else 1
        for slot in range(1, people + 1):
            yield Assignment(
                campaign=campaign, tag=tag, sighting_id=tag.latest_id, slot=slot, order=order
            )


def change_campaign(campaign: Campaign, verb: str) -> None:
    """Make the move "close" (nobody gets a tag of it any more) or "reopen"."""
    CAMPAIGN.require(campaign, verb)


def free_places(person: Person) -> QuerySet[Assignment]:
    """The places that this person may claim, in the order of the draw.

    Not those of a tag where the person has, had or skipped a place in that round, nor those of a tag
    whose draft the person handed back: that one is taken up instead.
    """
    left = Annotation.objects.filter(
        author=person,
        assignment=None,
        state__in=(AnnotationState.DRAFT, AnnotationState.SENT_BACK),
    )
    places = _open_to(person).exclude(tag__in=left.values("sighting__tag"))
    # campaign_id: by "campaign" a campaign's own order would be meant, which no index has.
    return places.order_by("campaign_id", "round", "slot", "order")


def _open_to(person: Person) -> QuerySet[Assignment]:
    same = {name: OuterRef(name) for name in ("campaign", "round", "tag")}
    seen = Assignment.objects.filter(person=person, **same)
    free = Assignment.objects.filter(state=AssignmentState.FREE, campaign__state=CampaignState.OPEN)
    return free.exclude(Exists(seen))


def next_assignment(*, by: Person, campaign: Campaign | None = None) -> Assignment | None:
    """Claim the next tag for this person and lay out an empty draft; None when there is none left."""
    for _ in range(3):
        places = free_places(by)
        if campaign:
            places = places.filter(campaign=campaign)
        try:
            with transaction.atomic():
                place = _claim(places, by)
                if place:
                    begin_annotation(place, by)
                return place
        except IntegrityError:
            continue  # a second click of the same person took another place of that tag
    raise Conflict("The tags are being given out right now. Try again.", retry=True)


def _claim(places: QuerySet[Assignment], person: Person) -> Assignment | None:
    return leases.claim(
        places, ASSIGNMENT, "claim", seconds=LEASE_SECONDS, holder=holder_of(person), person=person
    )


def holder_of(person: Person) -> str:
    return f"person:{person.pk}"


def begin_annotation(place: Assignment, person: Person) -> Annotation:
    """An empty draft with the titles proposed; what is proposed is not `touched`."""
    known = Assignment.objects.filter(pk=place.pk).values_list(
        "campaign__guideline", "tag__article__title", "sighting__other_article"
    )
    guideline, title, other = known.get()
    return Annotation.objects.create(
        assignment=place,
        sighting_id=place.sighting_id,
        author=person,
        guideline_id=guideline,
        article_1=title,
        article_2=other or title,
    )


def held_by(assignment_id: int, person: Person) -> Assignment:
    """This person's place, or NotFoundHere: that somebody else holds it is nobody's business."""
    place = Assignment.objects.filter(pk=assignment_id, person=person).first()
    if place is None:
        raise NotFoundHere("You have no such place. Your queue lists what is yours.")
    return place


@transaction.atomic
def hand_back(*, assignment_id: int, by: Person) -> None:
    """Free the place for somebody else. The draft stays with its author, and can be taken up again."""
    place = held_by(assignment_id, by)
    ASSIGNMENT.require(place, "hand_back", **FREE_AGAIN)
    detach_drafts()


@transaction.atomic
def skip(*, assignment_id: int, by: Person, reason: str) -> None:
    """Give the tag up for good, with a reason; a new place goes to somebody else."""
    reason = plain(reason)[:MOST_REASON]
    if not reason:
        raise Refusal("Say why you skip this tag: the next person will read it.")
    place = held_by(assignment_id, by)
    beside = Assignment.objects.filter(campaign=place.campaign, round=place.round, tag=place.tag)
    # Held, so that two who skip one tag at once do not both make the same new place.
    list(beside.select_for_update().order_by("pk"))
    ASSIGNMENT.require(place, "skip", skip_reason=reason, lease_holder="", lease_until=None)
    last = beside.aggregate(last=Max("slot"))["last"]
    Assignment.objects.create(
        campaign=place.campaign,
        round=place.round,
        tag=place.tag,
        sighting=place.sighting,
        slot=last + 1,
        order=place.order,
    )


@transaction.atomic
def take_up(*, annotation_id: int, by: Person) -> Assignment:
    """Claim a free place for a draft that its author had handed back. Raises Conflict when none is free."""
    draft = Annotation.objects.filter(pk=annotation_id, author=by, assignment=None).first()
    if draft is None:
        raise NotFoundHere("You have no such draft without a place.")
    places = _open_to(by).filter(sighting=draft.sighting)
    try:
        with transaction.atomic():
            place = _claim(places.order_by("slot"), by)
    except IntegrityError as error:
        raise Conflict("You have just taken this draft up. Your queue lists it.") from error
    if place is None:
        raise Conflict("All places of this tag are taken. Your draft is kept.")
    Annotation.objects.filter(pk=draft.pk).update(assignment=place)
    return place


def renew(place: Assignment, person: Person, seconds: float = LEASE_SECONDS) -> None:
    leases.renew(place, seconds=seconds, holder=holder_of(person))


@transaction.atomic
def sweep_assignments() -> int:
    """Free the places whose lease has run out; their drafts stay with their authors."""
    freed = leases.sweep(Assignment.objects.all(), ASSIGNMENT, "expire", person=None)
    if freed:
        detach_drafts()
    return freed


def detach_drafts() -> None:
    """A free place has no annotation: whatever still points at one belongs to its author alone."""
    Annotation.objects.filter(assignment__state=AssignmentState.FREE).update(assignment=None)


@transaction.atomic
def withdraw(*, assignment_id: int, campaign: Campaign) -> None:
    """Take a free or held place out of the campaign; a draft stays with its author."""
    place = Assignment.objects.filter(pk=assignment_id, campaign=campaign).first()
    if place is None:
        raise NotFoundHere("This campaign has no such place.")
    ASSIGNMENT.require(place, "withdraw", lease_holder="", lease_until=None)
    Annotation.objects.filter(assignment=place).update(assignment=None)
