"""Who annotates in a campaign: the people chosen, or every annotator; never one who was removed."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import Person
from accounts.roles import Role
from annotation.models import Assignment, Campaign, CampaignPerson, Seen
from annotation.states import AssignmentState, CampaignState


def annotators_of(campaign: Campaign) -> QuerySet[Person]:
    """The active annotators who may get tags of the campaign, while it is open."""
    annotators = Person.objects.filter(is_active=True, grants__role=Role.ANNOTATOR)
    rows = CampaignPerson.objects.filter(campaign=campaign)
    if campaign.for_chosen:
        return annotators.filter(pk__in=rows.filter(removed_at=None).values("person"))
    return annotators.exclude(pk__in=rows.exclude(removed_at=None).values("person"))


def may_be_added(campaign: Campaign) -> QuerySet[Person]:
    """The annotators who do not annotate in the campaign."""
    annotators = Person.objects.filter(is_active=True, grants__role=Role.ANNOTATOR)
    return annotators.exclude(pk__in=annotators_of(campaign).values("pk"))


def works_in(person: Person) -> QuerySet[Campaign]:
    """The open campaigns that are for this person."""
    rows = CampaignPerson.objects.filter(campaign=OuterRef("pk"), person=person)
    chosen, removed = rows.filter(removed_at=None), rows.exclude(removed_at=None)
    return Campaign.objects.filter(
        Q(for_chosen=False) | Exists(chosen), ~Exists(removed), state=CampaignState.OPEN
    ).order_by()


def open_to(person: Person) -> QuerySet[Campaign]:
    """The open campaigns in which this person may get a tag: they work in it and have not reached its quota."""
    own = (
        Assignment.objects.filter(
            campaign=OuterRef("pk"),
            person=person,
            state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED),
        )
        .order_by()
        .values("campaign")
        .annotate(n=Count("pk"))
        .values("n")
    )
    has_room = Q(quota=None) | Q(quota__gt=Coalesce(Subquery(own), 0))
    return works_in(person).filter(has_room)


def had_by(person: Person) -> Exists:
    """Of an assignment: whether the person has, had or skipped one of the same tag in the round.

    Of a tag that they had in the pilot, those of the main round count too, unless the campaign lets them in.
    """
    own = Assignment.objects.filter(
        person=person, campaign=OuterRef("campaign"), tag=OuterRef("tag")
    )
    return Exists(own.filter(Q(round=OuterRef("round")) | Q(campaign__pilot_again=False)))


def given_up_by(person: Person) -> Q:
    """Of an assignment: whether the person gave up its tag to see others' work, and its campaign minds."""
    seen = Seen.objects.filter(person=person).order_by()
    return Q(campaign__gives_seen_tags=False, tag__in=seen.values("tag"))


def of_campaigns_open_to(person: Person) -> QuerySet[Assignment]:
    """The free assignments of the open rounds of these campaigns, but for tags that the person had, or gave up.

    The campaigns are read first: joined to the assignments, they would have all of these sorted for the first one.
    """
    campaigns = list(open_to(person))
    free = Assignment.objects.filter(
        ~had_by(person),
        state=AssignmentState.FREE,
        campaign__in=[each.pk for each in campaigns],
    )
    in_pilot = [each.pk for each in campaigns if each.open_round < each.main_round]
    strict = [each.pk for each in campaigns if not each.gives_seen_tags]
    seen = Seen.objects.filter(person=person).order_by()
    return free.exclude(campaign__in=in_pilot, round__gt=1).exclude(
        campaign__in=strict, tag__in=seen.values("tag")
    )
