"""The tags that people hold, those that no annotator is left for, and those that no admin is left to review."""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from django.db.models import Count, Exists, Max, OuterRef, Q
from django.urls import reverse

from accounts.leaving.open_work import OpenWork, People
from accounts.models import Person
from accounts.roles import Role
from annotation.campaigns.campaign_people import annotators_of
from annotation.campaigns.reserve import out_of_reach
from annotation.models import Assignment, Campaign
from annotation.reviewing.tags_in_round import annotated_by, to_review
from annotation.states import AnnotationState, AssignmentState, CampaignState
from annotation.workflow import assigning
from pages.counting import how_many

FREE, HELD = AssignmentState.FREE, AssignmentState.HELD
ANNOTATES = (Role.ANNOTATOR,)


def tags_held(people: People, by: Person | None) -> Iterator[OpenWork]:
    """By campaign and person: the tags in progress, those that were sent back among them."""
    held = Assignment.objects.filter(state=HELD, person__in=people(Role.ANNOTATOR)).order_by()
    counts = {
        "n": Count("pk"),
        "back": Count("pk", filter=Q(annotation__state=AnnotationState.SENT_BACK)),
        "until": Max("lease_until"),
    }
    rows = list(held.values_list("campaign", "person").annotate(**counts))
    campaigns = Campaign.objects.in_bulk({key for key, *_ in rows})
    for key, person, n, sent_back, leased_until in rows:
        campaign = campaigns[key]
        back = f", {sent_back} of them sent back to be changed" if sent_back else ""
        until = f" until {leased_until:%-d %B %Y}, then others can take it" if leased_until else ""
        address = reverse("annotation:assignments", args=[campaign.pk])
        yield OpenWork(
            key=key_of(campaign.pk, person),
            roles=ANNOTATES,
            what=f"{how_many(n, 'tag')} in progress{back}",
            where=campaign.name,
            url=f"{address}?person={person}&state={HELD}",
            becomes=f"it stays with them{until}",
            holder=person,
            returns="drafts stay with their author",
            takers=partial(annotators_of, campaign),
            settle=partial(_hand_on, campaign, person),
        )


def key_of(campaign: int, person: int) -> str:
    return f"tags-{campaign}-{person}"


def _hand_on(campaign: Campaign, holder: int, to: Person | None, by: Person | None) -> str:
    return assigning.hand_on(campaign, Person.objects.get(pk=holder), to, by)


def tags_for_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    free = Assignment.objects.filter(campaign=OuterRef("pk"), state=FREE)
    for campaign in Campaign.objects.filter(Exists(free), state=CampaignState.OPEN):
        if tags := _out_of_reach(campaign, without):
            yield OpenWork(
                key=f"free-{campaign.pk}",
                roles=ANNOTATES,
                what=f"{how_many(tags, 'tag')} without an annotator who could take {'it' if tags == 1 else 'them'}",
                where=campaign.name,
                url=reverse("annotation:campaign", args=[campaign.pk]),
                becomes="it waits until the campaign has a further annotator, or the tags are withdrawn",
            )
    yield from _reviews_for_nobody(without)


def _out_of_reach(campaign: Campaign, without: int) -> int:
    """How many free tags of the open rounds nobody can take."""
    people = {*annotators_of(campaign).exclude(pk=without).values_list("pk", flat=True)}
    free = campaign.assignments.filter(state=FREE, round__lte=campaign.open_round).order_by()
    tags = free.values("tag")
    if not people:
        return tags.distinct().count()
    return len(out_of_reach(campaign, tags, people))


def _reviews_for_nobody(without: int) -> Iterator[OpenWork]:
    """Tags that are ready to be reviewed, and that each admin has annotated."""
    ready = to_review().filter(is_ready=True)
    for admin in Person.objects.who_may(Role.ADMIN).exclude(pk=without):
        ready = ready.filter(Exists(annotated_by(admin).filter(sighting__tag=OuterRef("tag"))))
    counts = Counter(row["campaign"] for row in ready)
    names = Campaign.objects.in_bulk(counts)
    for key, tags in counts.items():
        yield OpenWork(
            key=f"reviews-{key}",
            roles=(Role.ADMIN,),
            what=f"{how_many(tags, 'tag')} to review that each admin has annotated",
            where=names[key].name,
            url=f"{reverse('annotation:reviews')}?campaign={key}",
            becomes="it waits until there is another admin",
        )
