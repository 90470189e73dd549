"""Open a campaign: which tags it is drawn from, and how many people annotate each."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from annotation.guidelines import current_guideline
from annotation.models import Assignment, Campaign
from datasets.models import Collection
from leases.refusal import Conflict, Refusal
from wikifetch.models import Tag, TagKind
from wikifetch.states import TagState


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
    """How a campaign's tags are assigned.

    `double_share` of the tags, drawn by `seed`, get all `people_per_tag` people; the others get one. One person
    holds at most `most_in_hand` drafts at a time.
    """

    people_per_tag: int = 1
    double_share: float = 1.0
    seed: int = 0
    most_in_hand: int = 3


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
    """Draw the tags, pin the latest sighting of each, make all assignments. Raises Refusal if no tag matches."""
    if unknown := set(frame.kinds) - set(TagKind.values):
        raise Refusal(
            f"There is no kind of tag {sorted(unknown)}. Kinds: {', '.join(TagKind.values)}."
        )
    if Campaign.objects.filter(name=name).exists():
        raise Conflict(f"There is a campaign “{name}” already. Choose another name.")
    tags = list(frame.tags())
    if not tags:
        raise Refusal("No live tag matches. Fetch pages first, or choose other kinds of tag.")
    campaign = Campaign.objects.create(
        name=name,
        collection=collection,
        guideline=current_guideline(),
        people_per_tag=plan.people_per_tag,
        double_share=plan.double_share,
        frame_query={"state": TagState.LIVE, "kinds": list(frame.kinds), "limit": frame.limit},
        frame_size=len(tags),
        seed=plan.seed,
        most_in_hand=plan.most_in_hand,
        is_demonstration=demonstration,
        created_by=by,
    )
    Assignment.objects.bulk_create(_assignments(campaign, tags, frame.limit, plan))
    return campaign


def _assignments(
    campaign: Campaign, tags: list[Tag], limit: int, plan: Plan
) -> Iterable[Assignment]:
    # Reproducible from the stored `seed`; not a matter of security.
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
