"""What an admin changes in a campaign that is open: its state, its round, its limits, and who joins."""

from dataclasses import asdict

from django.db import transaction

from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns import reserve
from annotation.campaigns.opening import Limits
from annotation.models import Campaign, CampaignPerson
from annotation.states import CAMPAIGN
from leases.refusal import Conflict, Refusal


def change_campaign(campaign: Campaign, verb: str) -> None:
    """Make the move "close" (no more tags are assigned) or "reopen". Raises Refusal if the stop rule is reached."""
    if verb == "reopen" and reserve.is_reached(campaign):
        raise Refusal(
            f"The campaign stops at {campaign.stop_at_valid} valid tags, and it has them. Raise that number under "
            "Limits, then reopen it."
        )
    CAMPAIGN.require(campaign, verb)


def open_main_round(campaign: Campaign) -> None:
    """Give out the tags of the main round too; what is left of the pilot can still be annotated. Raises Conflict."""
    before = Campaign.objects.filter(pk=campaign.pk, open_round__lt=campaign.main_round)
    if not before.update(open_round=campaign.main_round):
        raise Conflict("The main round is open already.")


@transaction.atomic
def change_limits(campaign: Campaign, limits: Limits) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(**asdict(limits))
    reserve.follow_stop_rule(campaign.pk)


def add_person(campaign: Campaign, person: Person) -> None:
    """Choose a person for the campaign, also one who was removed. Raises Refusal for one who is no annotator."""
    if not person.has_role(Role.ANNOTATOR):
        raise Refusal(f"{person} is not an annotator. Give them the role under People first.")
    CampaignPerson.objects.update_or_create(
        campaign=campaign, person=person, defaults={"removed_at": None}
    )
