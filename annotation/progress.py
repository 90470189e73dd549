"""Progress of people and campaigns, counted from the rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import Person
from annotation.campaigns.claiming import next_tags
from annotation.campaigns.in_hand import full_campaigns
from annotation.campaigns.people import open_to
from annotation.fields.draft_page import last_review, step_to_resume
from annotation.fields.entries import entries_of
from annotation.fields.steps import STEPS
from annotation.fields.walker import standings
from annotation.models import Annotation, Assignment, Campaign, Review
from annotation.states import DONE, EDITABLE, AnnotationState, AssignmentState
from pages.counting import counted_to


@dataclass(frozen=True)
class HeldDraft:
    """A draft that a person holds: the step to resume, and the number of complete and needed steps."""

    annotation: Annotation
    step: str
    complete: int
    steps: int
    review: Review | None


@dataclass(frozen=True)
class FreeTags:
    """An open campaign with the number of free tags for a person, who `is_full` if they may claim none now.

    `is_more` says that there are more than `count`.
    """

    campaign: Campaign
    count: int
    is_more: bool
    is_full: bool

    def __str__(self) -> str:
        return counted_to(self.count, self.is_more)


@dataclass(frozen=True)
class Queue:
    """An annotator's own page: drafts, free tags by campaign, what is done and at what pace."""

    sent_back: list[HeldDraft]
    drafts: list[HeldDraft]
    detached: list[Annotation]
    free: list[FreeTags]
    done_count: int
    minutes: float | None


def queue_of(person: Person) -> Queue:
    """All of this person's work."""
    mine = Annotation.objects.filter(author=person).select_related(
        "assignment__campaign", "sighting__tag__article", "sighting__revision"
    )
    held = mine.filter(assignment__state=AssignmentState.HELD)
    done = mine.filter(state__in=DONE, merged_from=None)
    return Queue(
        sent_back=[held_draft(each) for each in held.filter(state=AnnotationState.SENT_BACK)],
        drafts=[held_draft(each) for each in held.filter(state=AnnotationState.DRAFT)],
        detached=list(mine.filter(assignment=None, state__in=EDITABLE)),
        free=free_by_campaign(person),
        done_count=done.count(),
        minutes=minutes_a_tag(
            done.filter(seconds_active__gt=0).values_list("seconds_active", flat=True)
        ),
    )


def held_draft(annotation: Annotation) -> HeldDraft:
    at_steps = standings(STEPS, entries_of(annotation))
    # Until the first step is complete, all others may still be needed.
    steps = [at for at in at_steps if at.open or not at_steps[0].complete]
    return HeldDraft(
        annotation,
        step_to_resume(annotation),
        sum(at.complete for at in steps),
        len(steps),
        last_review(annotation) if annotation.state == AnnotationState.SENT_BACK else None,
    )


def free_by_campaign(person: Person) -> list[FreeTags]:
    """The open campaigns that have free tags for this person; a statement each, however many tags are free."""
    free = {each.pk: next_tags(person, each) for each in open_to(person)}
    full = full_campaigns(person)
    with_tags = [pk for pk, (tags, _) in free.items() if tags]
    campaigns = Campaign.objects.filter(pk__in=with_tags).select_related("guideline").order_by("pk")
    return [
        FreeTags(each, len(tags), is_more, each.pk in full)
        for each in campaigns
        for tags, is_more in [free[each.pk]]
    ]


def minutes_a_tag(seconds: Iterable[float]) -> float | None:
    """The median active time at the form in minutes; None before the first."""
    known = list(seconds)
    return median(known) / 60 if known else None


@dataclass(frozen=True)
class Stage:
    """One stage of a campaign's work with the number of assignments or annotations in it."""

    label: str
    count: int


def campaigns_with_counts() -> QuerySet[Campaign]:
    """Campaigns with `assigned` (all that are to be submitted) and `handed_in`."""
    handed_in = AssignmentState.SUBMITTED
    counted = Campaign.objects.annotate(
        assigned=_assignments(AssignmentState.FREE, AssignmentState.HELD, handed_in),
        handed_in=_assignments(handed_in),
    )
    return counted.select_related("collection", "guideline").order_by("-pk")


def _assignments(*states: str) -> Coalesce:
    """How many assignments of the campaign are in these states, counted in an index."""
    rows = Assignment.objects.filter(campaign=OuterRef("pk"), state__in=states).order_by()
    return Coalesce(Subquery(rows.values("campaign").annotate(n=Count("pk")).values("n")), 0)


def stages(campaign: Campaign) -> list[Stage]:
    """Assignments by state, then annotations by state."""
    assignments = dict(campaign.assignments.order_by().values_list("state").annotate(n=Count("pk")))
    annotations = dict(
        Annotation.objects.filter(assignment__campaign=campaign)
        .order_by()
        .values_list("state")
        .annotate(n=Count("pk"))
    )
    both = (
        ("Assignments", AssignmentState, assignments),
        ("Annotations", AnnotationState, annotations),
    )
    return [
        Stage(f"{kind}: {state.label.lower()}", counts.get(state, 0))
        for kind, states, counts in both
        for state in states
    ]


def people_of(campaign: Campaign) -> list[dict[str, object]]:
    """Each person chosen or with an assignment in the campaign, with counts by state and minutes for each tag.

    `removed` says since when the person gets no tags, None while they do.
    """
    removed = dict(campaign.chosen.values_list("person", "removed_at"))
    rows = list(
        Assignment.objects.filter(campaign=campaign, person__isnull=False)
        .order_by("person__name")
        .values("person", "person__name")
        .annotate(
            held=Count("pk", filter=Q(state=AssignmentState.HELD)),
            submitted=Count("pk", filter=Q(state=AssignmentState.SUBMITTED)),
            skipped=Count("pk", filter=Q(state=AssignmentState.SKIPPED)),
        )
    )
    times: dict[int, list[float]] = {}
    timed = Annotation.objects.filter(
        assignment__campaign=campaign, state__in=DONE, seconds_active__gt=0
    ).values_list("author", "seconds_active")
    for author, seconds in timed:
        times.setdefault(author, []).append(seconds)
    others = campaign.chosen.exclude(person__in=[row["person"] for row in rows])
    zero = {"held": 0, "submitted": 0, "skipped": 0}
    everyone: list[dict[str, Any]] = [dict(row) for row in rows]
    everyone += [{**row, **zero} for row in map(dict, others.values("person", "person__name"))]
    return [
        {
            **row,
            "minutes": minutes_a_tag(times.get(row["person"], [])),
            "removed": removed.get(row["person"]),
        }
        for row in everyone
    ]
