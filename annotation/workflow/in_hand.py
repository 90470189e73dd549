"""How many tags a person has in hand: claimed, not submitted, not sent back. A campaign limits the number."""

from django.db.models import Count, F, QuerySet

from accounts.models import Person
from annotation.models import Assignment, Campaign
from annotation.states import AnnotationState, AssignmentState
from leases.refusal import Conflict


class HandsFull(Conflict):
    def __init__(self, campaign: Campaign) -> None:
        most = campaign.most_in_hand
        tags = "1 tag" if most == 1 else f"{most} tags"
        super().__init__(
            f"You have {tags} of “{campaign.name}” in progress, and nobody may have more at a time. "
            "Submit one or hand one back, then get the next."
        )


def drafts_in_hand(person: Person) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        person=person, state=AssignmentState.HELD, annotation__state=AnnotationState.DRAFT
    )


def full_campaigns(person: Person) -> list[int]:
    """The ids of the campaigns from which this person may not claim another tag now."""
    counts = drafts_in_hand(person).order_by().values("campaign").annotate(n=Count("pk"))
    full = counts.filter(n__gte=F("campaign__most_in_hand"))
    return list(full.values_list("campaign", flat=True))
