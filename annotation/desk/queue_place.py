"""How far a person is in a campaign: "7 of 31", or "7 of over 200" where many are left."""

from dataclasses import dataclass

from accounts.models import Person
from annotation.campaigns.campaign_people import open_to
from annotation.models import Assignment, Campaign
from annotation.states import AssignmentState
from annotation.workflow.claiming import next_tags
from pages.counting import counted_to


@dataclass(frozen=True)
class QueuePlace:
    """How many tags a person has submitted or in hand, of all that they had or can get (`is_more`: at least)."""

    number: int
    total: int
    is_more: bool = False

    def __str__(self) -> str:
        return f"{self.number} of {counted_to(self.total, self.is_more)}"


def place_in_queue(person: Person, campaign: Campaign) -> QueuePlace:
    """Three statements, however large the campaign is."""
    states = (AssignmentState.HELD, AssignmentState.SUBMITTED)
    own = Assignment.objects.filter(person=person, campaign=campaign, state__in=states)
    number = own.count()
    for open_campaign in open_to(person, campaign.pk):
        free, is_more = next_tags(person, open_campaign)
        return QueuePlace(number, number + len(free), is_more)
    return QueuePlace(number, number)
