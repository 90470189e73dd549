"""Filter the list of tags by campaign."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Assignment, Campaign
from wikifetch.models import Tag
from wikifetch.tagfilters import TagFilter

NONE = "none"


def choices() -> list[tuple[str, str]]:
    campaigns = [(str(pk), name) for pk, name in Campaign.objects.values_list("pk", "name")]
    return [("", "Any or none"), (NONE, "In no campaign"), *campaigns]


def narrow(tags: QuerySet[Tag], campaign: str) -> QuerySet[Tag]:
    """Tags in this campaign (its id), or in none."""
    assignments = Assignment.objects.filter(tag=OuterRef("pk"))
    if campaign == NONE:
        return tags.exclude(Exists(assignments))
    return tags.filter(Exists(assignments.filter(campaign=int(campaign))))


def campaign_filter() -> TagFilter:
    return TagFilter("campaign", "Campaign", choices, narrow)
