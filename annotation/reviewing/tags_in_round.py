"""Tags of a round with all their annotations: which can be reviewed, by whom, and what is still missing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, Value, When
from django.urls import reverse

from accounts.models import Person
from annotation.models import Annotation, Assignment, Campaign, Review, TagReview
from annotation.reviewing.letters import letters_by
from annotation.states import AnnotationState, AssignmentState, CampaignState
from leases.rows import first_of
from wikifetch.models import Sighting, Tag

# On assignments: an annotation may still come of it.
MAY_COME = Q(state=AssignmentState.HELD) | Q(
    state=AssignmentState.FREE, campaign__state=CampaignState.OPEN
)

NOTHING_HERE = "There is no such tag, or nothing of it is submitted yet."


class InRound(NamedTuple):
    """A tag in a round of a campaign, by their ids; the keys of Assignment and TagReview."""

    campaign_id: int
    round: int
    tag_id: int

    @classmethod
    def of_review(cls, kept: TagReview) -> "InRound":
        return cls(kept.campaign_id, kept.round, kept.tag_id)

    @property
    def path(self) -> str:
        return reverse("annotation:review", args=self)

    @property
    def assignments(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(**self._asdict()).order_by("slot")

    @property
    def submitted(self) -> QuerySet[Annotation]:
        """The annotations that wait for a decision, in the order of their letters."""
        return self.annotations.filter(state=AnnotationState.SUBMITTED)

    @property
    def annotations(self) -> QuerySet[Annotation]:
        """All that were handed in at least once."""
        rows = Annotation.objects.filter(assignment__in=self.assignments)
        return rows.exclude(state=AnnotationState.DRAFT).order_by("assignment__lot", "pk")

    @property
    def opened(self) -> QuerySet[Annotation]:
        """All of them but those that may be taken back: what a reviewer is shown (decision 0072)."""
        return self.annotations.exclude(state=AnnotationState.SUBMITTED, opened_at=None)

    @property
    def letters(self) -> dict[int, str]:
        """Assignment's key -> the letter of its annotation."""
        return letters_by(dict(self.assignments.values_list("pk", "lot")))

    @property
    def reviews(self) -> QuerySet[TagReview]:
        return TagReview.objects.filter(**self._asdict())

    @property
    def decision(self) -> TagReview | None:
        """The decision in force."""
        return self.reviews.filter(taken_back_at=None).first()


@dataclass(frozen=True)
class TagInRound:
    at: InRound
    campaign: Campaign
    sighting: Sighting

    @property
    def tag(self) -> Tag:
        return self.sighting.tag

    @cached_property
    def missing(self) -> list[Assignment]:
        """The assignments whose annotation may still come."""
        return list(self.at.assignments.filter(MAY_COME).select_related("person", "annotation"))


def tag_in_round(at: InRound) -> TagInRound:
    """Raises NotFoundHere where nothing was handed in."""
    rows = at.annotations.select_related(
        "assignment__campaign", "sighting__tag__article__wiki", "sighting__revision"
    )
    first = first_of(rows, NOTHING_HERE)
    assert first.assignment is not None
    return TagInRound(at, first.assignment.campaign, first.sighting)


def annotated_by(person: Person) -> QuerySet[Annotation]:
    """This person's annotations, begun ones that they gave up left out; of a merged one they are the reviewer."""
    given_up = Q(state=AnnotationState.DRAFT, assignment=None)
    return Annotation.objects.filter(author=person, merged_from=None).exclude(given_up)


def may_review(tag_id: int, person: Person) -> bool:
    """Nobody reviews a tag that they annotated."""
    return not annotated_by(person).filter(sighting__tag=tag_id).exists()


def to_review(campaign: Campaign | None = None) -> QuerySet[Any]:
    """Tags with annotations that wait for a decision or were sent back: ready ones first, demonstrations last.

    Rows of {campaign, round, tag, submitted, missing, since, is_ready}: how many are in, and how many may still come.
    """
    rows = Assignment.objects.filter(campaign=campaign) if campaign else Assignment.objects.all()
    # Found by the annotations' state, so that not all assignments are grouped.
    waiting = Annotation.objects.filter(
        state__in=(AnnotationState.SUBMITTED, AnnotationState.SENT_BACK), assignment__isnull=False
    )
    counted = (
        rows.filter(tag__in=waiting.order_by().values("sighting__tag"))
        .order_by()
        .values("campaign", "round", "tag")
        .annotate(
            submitted=Count("pk", filter=Q(annotation__state=AnnotationState.SUBMITTED)),
            sent_back=Count("pk", filter=Q(annotation__state=AnnotationState.SENT_BACK)),
            missing=Count("pk", filter=MAY_COME),
            since=Min(
                "annotation__submitted_at", filter=Q(annotation__state=AnnotationState.SUBMITTED)
            ),
        )
        .filter(Q(submitted__gt=0) | Q(sent_back__gt=0))
    )
    is_ready = Case(When(submitted__gt=0, missing=0, then=Value(True)), default=Value(False))
    ordered = ("-is_ready", "campaign__is_demonstration", F("since").asc(nulls_last=True))
    return counted.annotate(is_ready=is_ready).order_by(*ordered, "campaign", "round", "tag")


def waiting_for(person: Person) -> QuerySet[Any]:
    """The rows of to_review that are ready and that this person may review."""
    own = annotated_by(person).filter(sighting__tag=OuterRef("tag"))
    return to_review().filter(~Exists(own), is_ready=True)


def decided(campaign: Campaign | None = None) -> QuerySet[TagReview]:
    """The decisions in force, newest first, with whether an annotator `answers` a note."""
    rows = TagReview.objects.filter(campaign=campaign) if campaign else TagReview.objects.all()
    answered = Review.objects.filter(of_tag=OuterRef("pk"), answered_at__isnull=False)
    return (
        rows.filter(taken_back_at=None)
        .annotate(answers=Exists(answered))
        .select_related("campaign", "tag__article", "reviewer")
        .order_by("-pk")
    )
