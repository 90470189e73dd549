"""Narrowing the list of tags by the campaign that they are in."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Assignment, Campaign
from wikifetch.models import Tag
from wikifetch.tagfilters import TagFilter

NONE = "none"


def choices() -> list[tuple[str, str]]:
    found = [(str(pk), name) for pk, name in Campaign.objects.values_list("pk", "name")]
    return [("", "Any or none"), (NONE, "In no campaign"), *found]


def narrow(tags: QuerySet[Tag], campaign: str) -> QuerySet[Tag]:
    """Tags in this campaign (its id), or in none."""
    places = Assignment.objects.filter(tag=OuterRef("pk"))
    if campaign == NONE:
        return tags.exclude(Exists(places))
    return tags.filter(Exists(places.filter(campaign=int(campaign))))


CAMPAIGN = TagFilter("campaign", "Campaign", choices, narrow)
