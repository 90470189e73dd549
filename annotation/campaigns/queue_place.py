"""How far a person is in a campaign: "7 of 31"."""

from dataclasses import dataclass

from accounts.models import Person
from annotation.campaigns.claiming import free_assignments
from annotation.models import Assignment, Campaign
from annotation.states import AssignmentState


@dataclass(frozen=True)
class QueuePlace:
    """The number of tags that a person has submitted or in hand, of those and the ones they can still get."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number} of {self.total}"


def place_in_queue(person: Person, campaign: Campaign) -> QueuePlace:
    """Four statements, however large the campaign is."""
    own = (AssignmentState.HELD, AssignmentState.SUBMITTED)
    number = Assignment.objects.filter(person=person, campaign=campaign, state__in=own).count()
    free = free_assignments(person, campaign).order_by()
    return QueuePlace(number, number + free.values("tag").distinct().count())
