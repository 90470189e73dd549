"""What an admin changes in an open campaign."""

from django.db import transaction

from annotation.models import Annotation, Assignment, Campaign
from annotation.states import ASSIGNMENT, CAMPAIGN
from leases.rows import first_of


def change_campaign(campaign: Campaign, verb: str) -> None:
    """Make the move "close" (no more tags are assigned) or "reopen"."""
    CAMPAIGN.require(campaign, verb)


@transaction.atomic
def withdraw(*, assignment_id: int, campaign: Campaign) -> None:
    """Withdraw a free or held assignment from the campaign; a draft stays with its author."""
    rows = Assignment.objects.filter(pk=assignment_id, campaign=campaign)
    assignment = first_of(rows, "This campaign has no such assignment.")
    ASSIGNMENT.require(assignment, "withdraw", lease_holder="", lease_until=None)
    Annotation.objects.filter(assignment=assignment).update(assignment=None)
