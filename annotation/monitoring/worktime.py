"""The active time at annotations by day, and the tables made from it."""

from collections.abc import Iterator
from datetime import UTC, date

from django.db.models import Count, F, Sum
from django.db.models.functions import Now, TruncDate

from annotation.models import Annotation, Campaign, WorkTime

TODAY = TruncDate(Now(), tzinfo=UTC)


def keep_time(annotation: Annotation, seconds: float) -> None:
    """Add active time to the day's row. Call while the annotation's row is locked.

    An annotation that was taken from its assignment meanwhile adds to the campaign it was worked on for last.
    """
    rows = WorkTime.objects.filter(annotation=annotation)
    campaign = annotation.assignment.campaign_id if annotation.assignment else None
    campaign = campaign or rows.order_by("day").values_list("campaign", flat=True).last()
    if campaign is None:
        return
    today = rows.filter(campaign=campaign, day=TODAY)
    if not today.update(seconds=F("seconds") + seconds):
        WorkTime.objects.create(
            annotation=annotation, campaign_id=campaign, day=TODAY, seconds=seconds
        )


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
    counts = rows.values_list("author", TruncDate("first_submitted_at", tzinfo=UTC))
    return {(author, day): n for author, day, n in counts.annotate(n=Count("pk"))}


TIMES = ["round", "tag", "title", "pseudonym", "state", "minutes"]


def times(campaign: Campaign) -> Iterator[list[object]]:
    """Rows of TIMES: the active minutes at each annotation, `tag` being its place in the draw.

    The time by step is the annotator's own.
    """
    rows = Annotation.objects.filter(assignment__campaign=campaign).order_by(
        "assignment__round", "assignment__order", "assignment__slot"
    )
    values = rows.values_list(
        "assignment__round",
        "assignment__order",
        "sighting__tag__article__title",
        "author__pseudonym",
        "state",
        "seconds_active",
    )
    for *place, seconds in values.iterator(chunk_size=2_000):
        yield [*place, round(seconds / 60, 1)]
