"""Ways to narrow the list of tags that rooms above this one add: this one may not know of campaigns."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import QuerySet

from wikifetch.models import Tag


@dataclass(frozen=True)
class TagFilter:
    """A field of the list's form: its choices, asked for anew each time, and what a choice leaves of the tags."""

    name: str
    label: str
    choices: Callable[[], list[tuple[str, str]]]
    narrow: Callable[[QuerySet[Tag], str], QuerySet[Tag]]


_registered: dict[str, TagFilter] = {}


def register(tag_filter: TagFilter) -> None:
    """Called once, when the room that brings it is ready."""
    _registered[tag_filter.name] = tag_filter


def registered() -> list[TagFilter]:
    return list(_registered.values())
