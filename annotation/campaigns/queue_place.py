"""How far a person is in a campaign: "7 of 31"."""

from dataclasses import dataclass

from django.db.models import Count

from accounts.models import Person
from annotation.campaigns.claiming import free_in
from annotation.models import Assignment, Campaign
from annotation.states import AssignmentState
from leases.prepared import Prepared


@dataclass(frozen=True)
class QueuePlace:
    """The number of tags that a person has submitted or in hand, of those and the ones they can still get."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number} of {self.total}"


# One row, none where there are none.
OWN_TAGS = Prepared(
    lambda person, campaign: (
        Assignment.objects.filter(
            person=person,
            campaign=campaign,
            state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED),
        )
        .order_by()
        .values("campaign")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
    ),
    person=int,
    campaign=int,
)


def place_in_queue(person: Person, campaign: Campaign) -> QueuePlace:
    """Three statements, however large the campaign is."""
    number = sum(OWN_TAGS(person=person.pk, campaign=campaign.pk))
    _, free_tags = free_in(person, campaign)
    return QueuePlace(number, number + free_tags())
