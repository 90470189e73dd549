"""Who annotates in a campaign: the people chosen, or every annotator; never one who was removed."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, FilteredRelation, OuterRef, Q, QuerySet

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Assignment, Campaign, CampaignPerson, Seen
from annotation.states import AssignmentState, CampaignState


def annotators() -> QuerySet[Person]:
    """Everybody who has the role and can sign in."""
    return Person.objects.who_may(Role.ANNOTATOR)


def annotators_of(campaign: Campaign) -> QuerySet[Person]:
    """The active annotators who may get tags of the campaign, while it is open."""
    rows = CampaignPerson.objects.filter(campaign=campaign)
    if campaign.for_chosen:
        return annotators().filter(pk__in=rows.filter(removed_at=None).values("person"))
    return annotators().exclude(pk__in=rows.exclude(removed_at=None).values("person"))


def may_be_added(campaign: Campaign) -> QuerySet[Person]:
    """The annotators who do not annotate in the campaign."""
    return annotators().exclude(pk__in=annotators_of(campaign).values("pk"))


def works_in(person: Person | int) -> QuerySet[Campaign]:
    """The campaigns that are for this person, closed ones too."""
    rows = CampaignPerson.objects.filter(campaign=OuterRef("pk"), person=person)
    chosen, removed = rows.filter(removed_at=None), rows.exclude(removed_at=None)
    return Campaign.objects.filter(
        Q(for_chosen=False) | Exists(chosen), ~Exists(removed)
    ).order_by()


@dataclass(frozen=True)
class OpenCampaign:
    """What decides which tags of an open campaign a person may get."""

    pk: int
    for_chosen: bool
    quota: int | None
    people_per_tag: int
    open_round: int
    pilot_tags: int
    pilot_again: bool
    gives_seen_tags: bool
    is_demonstration: bool

    @property
    def is_in_pilot(self) -> bool:
        return bool(self.pilot_tags) and self.open_round == 1


COLUMNS = tuple(column.name for column in fields(OpenCampaign))


def _mine(person: Person, **within: int) -> QuerySet[Campaign, tuple[Any, ...]]:
    rows = Campaign.objects.filter(state=CampaignState.OPEN, **within).order_by()
    own = FilteredRelation("chosen", condition=Q(chosen__person=person))
    is_mine = Q(own__isnull=True, for_chosen=False) | Q(own__isnull=False, own__removed_at=None)
    return rows.alias(own=own).filter(is_mine).values_list(*COLUMNS)


def open_to(person: Person, within: int | None = None) -> list[OpenCampaign]:
    """The campaigns of works_in(), or the one `within`, that are open and whose quota the person has not reached."""
    rows = _mine(person, pk=within) if within else _mine(person)
    mine = [OpenCampaign(*row) for row in rows]
    limited = [campaign.pk for campaign in mine if campaign.quota is not None]
    counts = _own_in(person, limited) if limited else {}
    return [
        campaign
        for campaign in mine
        if campaign.quota is None or campaign.quota > counts.get(campaign.pk, 0)
    ]


def _own_in(person: Person, campaigns: list[int]) -> dict[int, int]:
    """Campaign's key -> how many tags the person holds or has submitted there."""
    states = (AssignmentState.HELD, AssignmentState.SUBMITTED)
    rows = Assignment.objects.filter(person=person, campaign__in=campaigns, state__in=states)
    return dict(rows.order_by().values_list("campaign").annotate(n=Count("pk")))


def had_by(person: Person | int) -> Exists:
    """On an assignment: the person has, had or skipped one of the same tag in the round.

    Having had the tag in the pilot counts in the main round too, unless the campaign gives pilot tags again.
    """
    return Exists(_own_of(person).filter(IN_THE_ROUND | Q(campaign__pilot_again=False)))


IN_THE_ROUND = Q(round=OuterRef("round"))


def _own_of(person: Person | int) -> QuerySet[Assignment]:
    """The person's assignments of the same tag in the same campaign."""
    return Assignment.objects.filter(
        person=person, campaign=OuterRef("campaign"), tag=OuterRef("tag")
    )


def given_up_by(person: Person) -> Q:
    """Of an assignment: whether the person gave up its tag to see others' work, and its campaign minds."""
    seen = Seen.objects.filter(person=person).order_by()
    return Q(campaign__gives_seen_tags=False, tag__in=seen.values("tag"))


def of_campaigns_open_to(person: Person, within: int | None = None) -> QuerySet[Assignment]:
    """The free assignments in open rounds of these campaigns, without tags that the person had or gave up.

    The campaigns are read first: with a join the database would sort all their assignments to find the first.
    """
    return free_in(open_to(person, within), person.pk)


def free_in(campaigns: Sequence[OpenCampaign], person: int) -> QuerySet[Assignment]:
    """As of_campaigns_open_to, of these campaigns."""
    again = [campaign.pk for campaign in campaigns if campaign.pilot_again]
    in_pilot = [campaign.pk for campaign in campaigns if campaign.is_in_pilot]
    strict = [campaign.pk for campaign in campaigns if not campaign.gives_seen_tags]
    own = _own_of(person)
    if again:
        own = own.filter(IN_THE_ROUND | ~Q(campaign__in=again))
    free = Assignment.objects.filter(
        ~Exists(own),
        state=AssignmentState.FREE,
        campaign__in=[campaign.pk for campaign in campaigns],
    )
    if in_pilot:
        free = free.exclude(campaign__in=in_pilot, round__gt=1)
    seen = Seen.objects.filter(person=person).order_by().values("tag")
    if strict:
        is_all = len(strict) == len(campaigns)
        free = free.exclude(Q(tag__in=seen) if is_all else Q(tag__in=seen, campaign__in=strict))
    return free


def one_claim_at_a_time(person: Person) -> None:
    """Let the person's other claims wait until the transaction ends, so that all count the same tags in hand.

    SQLite has one writer: there they wait since the transaction began.
    """
    if not connection.features.has_select_for_update:
        return
    # Without the key, inserts of rows that point at the person do not wait.
    people = Person.objects.select_for_update(no_key=True).order_by()
    list(people.filter(pk=person.pk).values_list("pk"))
