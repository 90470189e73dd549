"""Open a campaign: the frame, a dry run of the drawing, and the rows."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns import reserve
from annotation.campaigns.tag_drawing import (
    CampaignDrawing,
    CampaignPlan,
    DrawnTag,
    FramedTag,
    draw_tags,
)
from annotation.guidelines import current_guideline
from annotation.models import Assignment, Campaign, CampaignPerson
from annotation.states import AssignmentState
from datasets.models import Collection
from datasets.records import check_not_declared
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal, StaleVersion
from leases.rows import first_of
from wikifetch.models import FetchRun, Tag, TagKind
from wikifetch.states import FetchState, TagState
from wikifetch.taglist import TagNarrowing, narrowed_tags, pages_of

AT_ONCE = 1_000  # assignments made by one statement


@dataclass(frozen=True)
class Frame:
    """Which live tags a campaign is drawn from; an empty value leaves none out.

    `fetch` is a fetch's number, `category` the name of a category that was fetched; `since` and `until` are years of
    the month that the tag names; `words` are as in the list of tags.
    """

    kinds: tuple[str, ...] = ()
    fetch: int | None = None
    category: str = ""
    since: int | None = None
    until: int | None = None
    words: str = ""

    def rows(self) -> QuerySet[Tag]:
        """The tags that match, whatever page they are on."""
        tags = Tag.objects.filter(state=TagState.LIVE, latest__isnull=False).order_by("pk")
        tags = tags.filter(kind__in=self.kinds) if self.kinds else tags
        return narrowed_tags(
            tags, TagNarrowing(since=self.since, until=self.until, words=self.words)
        )

    def tags(self) -> list[FramedTag]:
        """The frame in the order of keys. Raises Refusal for a fetch that is still at work."""
        runs = self._fetches()
        pages = None if runs is None else pages_of(runs)
        columns = ("pk", "kind", "latest_id", "article__wiki", "article__pageid")
        return [
            FramedTag(tag, kind, sighting)
            for tag, kind, sighting, *page in self.rows().values_list(*columns).iterator()
            if pages is None or tuple(page) in pages
        ]

    def _fetches(self) -> list[FetchRun] | None:
        """The fetches that the frame names; None if it names none."""
        if not self.fetch and not self.category:
            return None
        runs = FetchRun.objects.all()
        if self.fetch:
            first_of(runs.filter(pk=self.fetch), f"There is no fetch {self.fetch}. Choose another.")
            runs = runs.filter(pk=self.fetch)
        if self.category:
            runs = runs.filter(source=FetchRun.Source.CATEGORY, options__category=self.category)
        for run in runs.filter(state__in=(FetchState.WAITING, FetchState.RUNNING)):
            raise Conflict(
                f"{run} is still at work, so its tags are not complete. Wait until it is done, or pause or cancel it "
                "to draw from what it has fetched.",
                retry=True,
            )
        return list(runs)

    def as_json(self) -> dict[str, Any]:
        return {"state": TagState.LIVE, **asdict(self), "kinds": list(self.kinds)}


@dataclass(frozen=True)
class Limits:
    """What may change while a campaign is open.

    One person has at most `most_in_hand` drafts at a time and gets at most `quota` tags in all; the campaign closes
    when `stop_at_valid` tags are valid. None: no limit.
    """

    most_in_hand: int = 3
    quota: int | None = None
    stop_at_valid: int | None = None


@dataclass(frozen=True)
class CampaignDesign:
    """All that is decided about a campaign before it opens; no `people`: every annotator."""

    frame: Frame = Frame()
    plan: CampaignPlan = field(default_factory=CampaignPlan)
    limits: Limits = Limits()
    people: tuple[Person, ...] = ()
    pilot_again: bool = False


def dry_run(design: CampaignDesign) -> CampaignDrawing:
    """What would be drawn now. Raises Refusal with what to change if it cannot be carried out."""
    frame, plan = design.frame, design.plan
    if unknown := ({*frame.kinds} | {*plan.strata}) - {*TagKind.values}:
        raise Refusal(
            f"There is no kind of tag {sorted(unknown)}. Kinds: {', '.join(TagKind.values)}."
        )
    tags = frame.tags()
    if not tags:
        raise Refusal(
            "No live tag matches. Fetch pages first, or choose other kinds of tag, dates or words."
        )
    drawing = draw_tags(tags, plan)
    _check_tags(drawing, plan)
    _check_people(design)
    _check_stop_rule(drawing, design.limits)
    return drawing


def _check_tags(drawing: CampaignDrawing, plan: CampaignPlan) -> None:
    for stratum in drawing.strata:
        if not stratum.frame:
            raise Refusal(
                f"No live tag of the kind “{TagKind(stratum.kind).label}” matches. Remove its number, or choose other "
                "dates or words."
            )
    if plan.reserve and not plan.limit and not plan.strata:
        raise Refusal(
            "Every tag that matches is drawn, so none is left for the reserve. Say how many to draw."
        )
    if plan.pilot > drawing.tags:
        raise Refusal(
            f"The pilot has {plan.pilot} tags, and only {drawing.tags} are drawn. Make the pilot smaller."
        )


def _check_people(design: CampaignDesign) -> None:
    for person in design.people:
        if not person.has_role(Role.ANNOTATOR):
            raise Refusal(f"{person} is not an annotator. Give them the role under People first.")
    plan, chosen = design.plan, len(design.people)
    if chosen and chosen < plan.people_per_tag:
        raise Refusal(
            f"Each tag is for {plan.people_per_tag} people, and {chosen} are chosen. Choose more people, or fewer "
            "per tag."
        )
    again = plan.people_per_tag if plan.double_share else 1
    if chosen and plan.pilot and not design.pilot_again and chosen < plan.people_per_tag + again:
        raise Refusal(
            f"{plan.people_per_tag} people annotate each tag of the pilot and {again} others in the main round, and "
            f"{chosen} are chosen. Choose more people, or let the pilot's people get its tags again."
        )


def _check_stop_rule(drawing: CampaignDrawing, limits: Limits) -> None:
    most = drawing.tags + drawing.reserve
    if limits.stop_at_valid and limits.stop_at_valid > most:
        raise Refusal(
            f"The campaign is to stop at {limits.stop_at_valid} valid tags, and has {most} with its reserve. Draw more "
            "tags, or stop earlier."
        )


def fingerprint(drawing: CampaignDrawing) -> str:
    """The same for the same drawing: an admin opens what the dry run showed."""
    columns = attrgetter(
        "tag.tag", "tag.kind", "tag.sighting", "round", "order", "people", "is_reserve"
    )
    text = json.dumps([columns(drawn) for drawn in drawing.drawn])
    return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def open_campaign(
    *,
    name: str,
    collection: Collection,
    design: CampaignDesign,
    by: Person,
    shown: str = "",
) -> Campaign:
    """Draw the tags, pin the latest sighting of each, make all assignments.

    Raises Refusal as dry_run does, Conflict for a name that is taken, and StaleVersion if `shown`, the fingerprint of a
    dry run, is given and the tags are others now.
    """
    check_not_declared(collection, "Campaigns")
    if Campaign.objects.filter(name=name).exists():
        raise Conflict(f"There is a campaign “{name}” already. Choose another name.")
    drawing = dry_run(design)
    if shown and shown != fingerprint(drawing):
        raise StaleVersion(
            "What would be drawn has changed since you saw it. Look at the new drawing, then open the campaign."
        )
    campaign = Campaign.objects.create(
        name=name,
        collection=collection,
        guideline=current_guideline(),
        created_by=by,
        **design_columns(design, drawing),
    )
    CampaignPerson.objects.bulk_create(
        CampaignPerson(campaign=campaign, person=person) for person in design.people
    )
    rows = (row for tag in drawing.drawn for row in _assignments(campaign, tag))
    while some := list(islice(rows, AT_ONCE)):
        Assignment.objects.bulk_create(some)
    # Of what everybody was shown before.
    this = Campaign.objects.filter(pk=campaign.pk)
    reserve.replace_given_up(campaign.assignments.values("tag"), this)
    learn_sizes_on_commit("annotation")
    return campaign


def design_columns(design: CampaignDesign, drawing: CampaignDrawing) -> dict[str, Any]:
    """The columns of a campaign in which its design is kept."""
    plan = design.plan
    return {
        "people_per_tag": plan.people_per_tag,
        "double_share": plan.double_share,
        "frame_query": design.frame.as_json(),
        "frame_size": sum(stratum.frame for stratum in drawing.strata),
        "seed": plan.seed,
        "strata": [asdict(stratum) for stratum in drawing.strata],
        "pilot_tags": plan.pilot,
        "pilot_again": design.pilot_again,
        "for_chosen": bool(design.people),
        **asdict(design.limits),
    }


def _assignments(campaign: Campaign, drawn: DrawnTag) -> Sequence[Assignment]:
    return [
        Assignment(
            campaign=campaign,
            round=drawn.round,
            tag_id=drawn.tag.tag,
            sighting_id=drawn.tag.sighting,
            slot=slot,
            order=drawn.order,
            state=AssignmentState.RESERVE if drawn.is_reserve else AssignmentState.FREE,
        )
        for slot in range(1, max(drawn.people, 1) + 1)
    ]
