"""The numbers on the pages of campaigns: assignments and annotations by state, and by person."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Annotation, Assignment, Campaign
from annotation.monitoring.pace import minutes_a_tag
from annotation.states import DONE, AnnotationState, AssignmentState


@dataclass(frozen=True)
class CampaignStage:
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


def stages(campaign: Campaign) -> list[CampaignStage]:
    annotations = Annotation.objects.filter(assignment__campaign=campaign)
    listed: list[CampaignStage] = []
    for kind, states, rows in (
        ("Assignments", AssignmentState, campaign.assignments),
        ("Annotations", AnnotationState, annotations),
    ):
        counts = dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
        listed += [
            CampaignStage(f"{kind}: {state.label.lower()}", counts.get(state, 0))
            for state in states
        ]
    return listed


def people_with_counts(campaign: Campaign) -> list[dict[str, object]]:
    """Each person chosen or with an assignment: counts by state, minutes a tag, and since when they are `removed`."""
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
