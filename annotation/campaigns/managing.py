"""What an admin changes in a campaign that is open."""

from django.db import transaction

from annotation.campaigns import reserve
from annotation.models import Annotation, Assignment, Campaign
from annotation.states import ASSIGNMENT, CAMPAIGN
from leases.refusal import Conflict, Refusal
from leases.rows import first_of


def change_campaign(campaign: Campaign, verb: str) -> None:
    """Make the move "close" (no more tags are assigned) or "reopen". Raises Refusal if the stop rule is reached."""
    if verb == "reopen" and reserve.is_reached(campaign):
        raise Refusal(
            f"The campaign stops at {campaign.stop_at_valid} valid tags, and it has them. Open another for more."
        )
    CAMPAIGN.require(campaign, verb)


def open_main_round(campaign: Campaign) -> None:
    """Give out the tags of the main round too; what is left of the pilot can still be annotated. Raises Conflict."""
    before = Campaign.objects.filter(pk=campaign.pk, open_round__lt=campaign.main_round)
    if not before.update(open_round=campaign.main_round):
        raise Conflict("The main round is open already.")


@transaction.atomic
def withdraw(*, assignment_id: int, campaign: Campaign) -> None:
    """Withdraw a free or held assignment from the campaign; a draft stays with its author."""
    rows = Assignment.objects.filter(pk=assignment_id, campaign=campaign)
    assignment = first_of(rows, "This campaign has no such assignment.")
    ASSIGNMENT.require(assignment, "withdraw", lease_holder="", lease_until=None)
    Annotation.objects.filter(assignment=assignment).update(assignment=None)
    if assignment.round == campaign.main_round:
        reserve.replace_lost(campaign.pk, {assignment.tag_id})
    reserve.follow_stop_rule(campaign.pk)
