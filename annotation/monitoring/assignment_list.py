"""The assignments of a campaign as an admin lists them, and the numbers of those that need a person."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Assignment, Campaign
from annotation.monitoring.attention import Concern, conditions
from annotation.states import AssignmentState, CampaignState

# Why an admin may have to look at an assignment; what waits for review has a page of its own.
OF_OPEN = (Concern.SKIPPED, Concern.GONE)
CONCERNS = (Concern.FLAGGED, Concern.STALE, Concern.SKIPPED, Concern.GONE)


def concerning(concern: Concern) -> QuerySet[Assignment]:
    """The assignments that need a person for this reason; in closed campaigns only those with a draft or annotation."""
    rows = Assignment.objects.filter(conditions()[concern])
    return rows.filter(campaign__state=CampaignState.OPEN) if concern in OF_OPEN else rows


def concerns_by_campaign(campaigns: Iterable[Campaign]) -> dict[int, list[tuple[Concern, int]]]:
    """Campaign's key -> the reasons with the number of its assignments, those with any."""
    keys = [campaign.pk for campaign in campaigns]
    found: dict[int, list[tuple[Concern, int]]] = {}
    for concern in CONCERNS:
        rows = concerning(concern).filter(campaign__in=keys).order_by().values_list("campaign")
        for key, count in rows.annotate(n=Count("pk")):
            found.setdefault(key, []).append((concern, count))
    return found


def begun_campaigns() -> QuerySet[Campaign]:
    """The campaigns of which somebody has a tag in hand or has submitted one."""
    begun = Assignment.objects.filter(
        campaign=OuterRef("pk"), state__in=(AssignmentState.HELD, AssignmentState.SUBMITTED)
    )
    return Campaign.objects.filter(Exists(begun))


@dataclass(frozen=True)
class WantedAssignments:
    """Which assignments to list; an empty value leaves none out. `person` is a key, `concern` a value of Concern."""

    state: str = ""
    person: str = ""
    kind: str = ""
    concern: str = ""
    words: str = ""


def listed_assignments(campaign: Campaign, wanted: WantedAssignments) -> QuerySet[Assignment]:
    """The campaign's assignments that fit all of it, in the order of the draw."""
    rows = campaign.assignments.order_by("round", "order", "slot")
    if wanted.state:
        rows = rows.filter(state=wanted.state)
    if wanted.person:
        rows = rows.filter(person=int(wanted.person))
    if wanted.kind:
        rows = rows.filter(sighting__kind=wanted.kind)
    if wanted.concern:
        fit = Assignment.objects.filter(conditions()[Concern(wanted.concern)])
        rows = rows.filter(pk__in=fit.order_by().values("pk"))
    for word in wanted.words.split()[:8]:
        fits = Q(tag__article__title__icontains=word) | Q(sighting__raw__icontains=word)
        rows = rows.filter(fits)
    return rows
