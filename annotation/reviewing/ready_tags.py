"""The lines of the list of tags to review."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Person
from annotation.models import Annotation
from annotation.reviewing.tags_in_round import InRound, annotated_by
from annotation.states import AnnotationState
from wikifetch.models import Sighting


@dataclass(frozen=True)
class ReadyTag:
    """A tag with the annotations that are in, and how many may still come; `is_own`: the person annotated it."""

    at: InRound
    annotations: list[Annotation]
    missing: int
    is_ready: bool
    is_own: bool

    @property
    def submitted(self) -> list[Annotation]:
        return [row for row in self.annotations if row.state == AnnotationState.SUBMITTED]

    @property
    def sighting(self) -> Sighting:
        return self.annotations[0].sighting

    @property
    def campaign(self) -> Any:
        assert self.annotations[0].assignment is not None
        return self.annotations[0].assignment.campaign

    @property
    def total(self) -> int:
        return len(self.submitted) + self.missing

    @property
    def validities(self) -> list[str]:
        """What the annotators say, each once."""
        return list(dict.fromkeys(row.validity for row in self.submitted))

    @property
    def is_flagged(self) -> bool:
        return any(row.flagged for row in self.annotations)


def ready_tags(rows: Iterable[Mapping[str, Any]], person: Person) -> list[ReadyTag]:
    """The lines of rows of tags.to_review, in their order, for this person; without those decided meanwhile."""
    rows = list(rows)
    keys = [InRound(row["campaign"], row["round"], row["tag"]) for row in rows]
    own = set(
        annotated_by(person)
        .filter(sighting__tag__in=[at.tag_id for at in keys])
        .values_list("sighting__tag", flat=True)
    )
    by_key: dict[InRound, list[Annotation]] = {at: [] for at in keys}
    for annotation in _annotations(keys):
        place = annotation.assignment
        assert place is not None
        at = InRound(place.campaign_id, place.round, place.tag_id)
        if at in by_key:
            by_key[at].append(annotation)
    return [
        ReadyTag(at, by_key[at], row["missing"], row["is_ready"], at.tag_id in own)
        for at, row in zip(keys, rows, strict=True)
        if by_key[at]
    ]


def _annotations(keys: Iterable[InRound]) -> Iterable[Annotation]:
    keys = list(keys)
    return (
        Annotation.objects.filter(
            assignment__campaign__in={at.campaign_id for at in keys},
            assignment__tag__in={at.tag_id for at in keys},
            state__in=(AnnotationState.SUBMITTED, AnnotationState.SENT_BACK),
        )
        .select_related("author", "assignment__campaign", "sighting__tag__article")
        .order_by("assignment__lot", "pk")
    )
