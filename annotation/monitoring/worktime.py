"""The active time at annotations by day, and the tables made from it."""

from collections.abc import Iterator
from datetime import UTC, date
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Now, TruncDate

from annotation.models import Annotation, Campaign, WorkTime
from leases.clock import day_of

TODAY = TruncDate(Now(), tzinfo=UTC)


def keep_time(annotation: Annotation, seconds: float) -> None:
    """Add active time to the day's row. Call while the annotation's row is locked.

    Where the assignment was taken away meanwhile, the time goes to the campaign that was worked on last.
    """
    campaign = annotation.assignment.campaign_id if annotation.assignment else None
    if campaign is None:
        kept = WorkTime.objects.filter(annotation=annotation).order_by("day")
        campaign = kept.values_list("campaign", flat=True).last()
    if campaign is None:
        return
    day = {"annotation": annotation, "campaign_id": campaign, "day": TODAY}
    if not WorkTime.objects.filter(**day).update(seconds=F("seconds") + seconds):
        WorkTime.objects.create(**day, seconds=seconds)


TIMESHEET = ["day", "pseudonym", "name", "minutes", "tags", "submitted"]


def timesheet(campaign: Campaign) -> Iterator[list[object]]:
    """Rows of TIMESHEET: each person's active minutes on each day (UTC), at how many tags, and how many submitted."""
    times = WorkTime.objects.filter(campaign=campaign).order_by("day", "annotation__author__name")
    by_day = times.values(
        "day", "annotation__author__pseudonym", "annotation__author__name", "annotation__author"
    ).annotate(seconds=Sum("seconds"), tags=Count("annotation"))
    submitted = _submitted_by_day(campaign)
    for row in by_day.iterator(chunk_size=2_000):
        yield [
            row["day"].isoformat(),
            row["annotation__author__pseudonym"],
            row["annotation__author__name"],
            round(row["seconds"] / 60, 1),
            row["tags"],
            submitted.get((row["annotation__author"], row["day"]), 0),
        ]


def _submitted_by_day(campaign: Campaign) -> dict[tuple[int, date], int]:
    """How many annotations each author submitted for the first time on each day."""
    rows = Annotation.objects.filter(
        first_assignment__campaign=campaign, first_submitted_at__isnull=False
    ).order_by()
    counts = rows.values_list("author", day_of("first_submitted_at")).annotate(n=Count("pk"))
    return {(author, date.fromisoformat(day)): n for author, day, n in counts}


TIMES = ["round", "tag", "title", "pseudonym", "state", "minutes"]


def times(campaign: Campaign) -> Iterator[list[object]]:
    """Rows of TIMES: each person's active minutes at each tag in the campaign, `tag` being its place in the draw.

    Drafts that have left the campaign count too: time stays with who worked it. Of these, `round` is empty if the
    campaign has two. The time by step is for the annotator alone.
    """
    rows = _worked_on(campaign).order_by("round", "tag", "assignment__slot", "pk")
    values = rows.values_list(
        "round", "tag", "sighting__tag__article__title", "author__pseudonym", "state", "seconds"
    )
    for *place, seconds in values.iterator(chunk_size=2_000):
        yield [*place, round(seconds / 60, 1)]


def _worked_on(campaign: Campaign) -> QuerySet[Any]:
    """The annotations that are in the campaign, were submitted in it, or were worked on in it, with TIMES of theirs."""
    here, first = Q(assignment__campaign=campaign), Q(first_assignment__campaign=campaign)
    worked = WorkTime.objects.filter(campaign=campaign, annotation=OuterRef("pk")).order_by()
    place = campaign.assignments.filter(tag=OuterRef("sighting__tag")).order_by()
    seconds = worked.values("annotation").annotate(all=Sum("seconds")).values("all")
    return Annotation.objects.filter(here | first | Exists(worked)).annotate(
        round=Case(
            When(here, then=F("assignment__round")),
            When(first, then=F("first_assignment__round")),
            default=Value(None if campaign.pilot_tags else campaign.main_round),
            output_field=IntegerField(),
        ),
        tag=Subquery(place.values("order")[:1]),
        seconds=Coalesce(Subquery(seconds), 0.0),
    )
