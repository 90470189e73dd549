"""Ways to narrow the list of tags that rooms above this one add: this one may not know of campaigns."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet

from leases.extension import ExtensionPoint
from wikifetch.models import Tag


@dataclass(frozen=True)
class TagFilter:
    """A field of the list's form: its choices, read for each form, and what a choice leaves of the tags."""

    name: str
    label: str
    choices: Callable[[], list[tuple[str, str]]]
    narrow: Callable[[QuerySet[Tag], str], QuerySet[Tag]]


# A further field of the list's form.
tag_filters: ExtensionPoint[[], TagFilter] = ExtensionPoint("wikifetch.tagfilters.tag_filters")
