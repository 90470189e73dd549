"""The assignments of a campaign that need a person, and why."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextChoices, Value, When
from django.db.models.functions import Coalesce, Now

from annotation.models import Assignment, Campaign
from annotation.states import EDITABLE, IN_WORK, AnnotationState, AssignmentState
from wikifetch.states import TagState

# Half of what a lease lasts: there is time left to ask.
STALE_DAYS = 2


class Concern(TextChoices):
    """Why an assignment needs a person, the most pressing first."""

    FLAGGED = "flagged", "Flagged"
    REVIEW = "review", "Waits for review"
    STALE = "stale", "Stale draft"
    SKIPPED = "skipped", "Skipped"
    GONE = "gone", "Tag gone"


def conditions() -> dict[Concern, Q]:
    """On assignments. A skipped one needs nobody once another person has its tag, or the reserve has replaced it.

    Tags are reviewed as a whole: of those submitted, the first waits for review.
    """
    undecided = (*EDITABLE, AnnotationState.SUBMITTED)
    same = {name: OuterRef(name) for name in ("campaign", "round", "tag")}
    free = Assignment.objects.filter(state=AssignmentState.FREE, **same)
    is_submitted = Q(annotation__state=AnnotationState.SUBMITTED)
    earlier = Assignment.objects.filter(is_submitted, slot__lt=OuterRef("slot"), **same)
    return {
        Concern.FLAGGED: Q(annotation__flagged=True, annotation__state__in=undecided),
        Concern.REVIEW: Q(~Exists(earlier), is_submitted),
        Concern.STALE: Q(
            state=AssignmentState.HELD, annotation__saved_at__lt=Now() - timedelta(days=STALE_DAYS)
        ),
        Concern.SKIPPED: Q(Exists(free), state=AssignmentState.SKIPPED),
        Concern.GONE: Q(state__in=IN_WORK, tag__state=TagState.GONE),
    }


@dataclass(frozen=True)
class ConcernCount:
    """A reason with how many assignments it holds for."""

    why: Concern
    count: int


def concern_counts(campaign: Campaign) -> list[ConcernCount]:
    """Every reason with its count; an assignment may have several."""
    rows = campaign.assignments.order_by()
    return [ConcernCount(why, rows.filter(where).count()) for why, where in conditions().items()]


def concerning_assignments(campaign: Campaign, why: str = "") -> QuerySet[Assignment]:
    """The assignments that need a person, for one reason or any, with the first as `why`; the longest waiting first."""
    by_reason = conditions()
    any_of = Q()
    for where in by_reason.values():
        any_of |= where
    wanted = by_reason[Concern(why)] if why in Concern.values else any_of
    first = [When(where, then=Value(reason.value)) for reason, where in by_reason.items()]
    rows = campaign.assignments.filter(wanted).annotate(
        why=Value(why) if why in Concern.values else Case(*first, default=Value("")),
        since=Coalesce("annotation__submitted_at", "annotation__saved_at"),
    )
    related = ("tag__article", "person", "annotation", "campaign")
    first_come = F("since").asc(nulls_last=True)
    return rows.select_related(*related).order_by(first_come, "round", "order", "slot", "pk")
