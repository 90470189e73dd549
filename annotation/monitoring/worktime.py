"""The active time at annotations by day, and the timesheet made from it."""

from datetime import UTC

from django.db.models import F
from django.db.models.functions import Now, TruncDate

from annotation.models import Annotation, WorkTime

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
