"""A campaign in numbers for its admins, counted from the rows."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from django.db.models import Count, Max, Min, QuerySet, Sum

from accounts.models import Person
from annotation.models import Annotation, Campaign, WorkTime
from annotation.monitoring.pace import CampaignPace, minutes_a_tag, pace, window
from annotation.states import EDITABLE, IN_WORK, AssignmentState
from datasets.models import Validity
from leases.clock import now
from leases.extension import ExtensionPoint

# What is to be submitted or was.
WANTED = (*IN_WORK, AssignmentState.SUBMITTED)

# The agreement of a campaign's annotators so far, a sentence for each round.
agreement_so_far: ExtensionPoint[[Campaign], list[str]] = ExtensionPoint(
    "annotation.monitoring.campaign_figures.agreement_so_far"
)


@dataclass(frozen=True)
class CampaignFigures:
    """`done` of `tags` have all their annotations submitted; `submitted` of `wanted` assignments are.

    `invalid` of `submitted` annotations call their tag invalid; `minutes` is the median of the `timed` ones.
    """

    tags: int
    done: int
    wanted: int
    submitted: int
    invalid: int
    flagged: int
    minutes: float | None
    timed: int
    hours: float
    pace: CampaignPace

    @property
    def invalid_share(self) -> float | None:
        return self.invalid / self.submitted if self.submitted else None


@dataclass(frozen=True)
class PersonFigures:
    """One person's part in a campaign; `hours` are all their active hours, `minutes` the median of a submitted tag."""

    person: Person
    held: int
    submitted: int
    skipped: int
    invalid: int
    flagged: int
    minutes: float | None
    hours: float
    last_day: date | None


def campaign_progress(campaign: Campaign) -> tuple[CampaignFigures, list[PersonFigures]]:
    """The whole campaign, all rounds together; and each person who has, had or skipped an assignment, by name."""
    places, entered = _places(campaign), _entered(campaign)
    worked = _worked(campaign)
    keys = {key for key in (*places, *worked) if key is not None}
    people = [
        _person(
            person,
            places.get(person.pk, Counter()),
            entered.get(person.pk, _Entered()),
            worked.get(person.pk, (0.0, None)),
        )
        for person in Person.objects.filter(pk__in=keys).order_by("name", "pk")
    ]
    hours = sum(seconds for seconds, _ in worked.values()) / 3600
    return _figures(campaign, sum(places.values(), Counter[str]()), entered, hours), people


@dataclass
class _Entered:
    """What one author submitted: the seconds of each timed annotation, how many are invalid, and how many flagged."""

    seconds: list[float] = field(default_factory=list)
    invalid: int = 0
    flagged: int = 0


def _places(campaign: Campaign) -> dict[int | None, Counter[str]]:
    """How many assignments each person has in each state; None has those of nobody."""
    rows = campaign.assignments.order_by().values_list("person", "state").annotate(n=Count("pk"))
    places: dict[int | None, Counter[str]] = {}
    for person, state, n in rows:
        places.setdefault(person, Counter())[state] = n
    return places


def _submitted(campaign: Campaign) -> QuerySet[Annotation]:
    """The annotations that were submitted in the campaign and are not back with their authors."""
    rows = Annotation.objects.filter(assignment__campaign=campaign)
    return rows.exclude(state__in=EDITABLE).order_by()


def _entered(campaign: Campaign) -> dict[int, _Entered]:
    """By author, from narrow columns: an annotation has long texts, and there may be 100,000."""
    rows = _submitted(campaign)
    entered: defaultdict[int, _Entered] = defaultdict(_Entered)
    narrow = rows.values_list("author", "seconds_active", "validity")
    for author, seconds, validity in narrow.iterator(chunk_size=5_000):
        author_entered = entered[author]
        if seconds:
            author_entered.seconds.append(seconds)
        author_entered.invalid += validity == Validity.INVALID
    flagged = rows.filter(flagged=True).values_list("author")
    for author, n in flagged.annotate(n=Count("pk")):
        entered[author].flagged = n
    return entered


def _worked(campaign: Campaign) -> dict[int, tuple[float, date]]:
    """Author -> the active seconds, and the last day of work."""
    times = WorkTime.objects.filter(campaign=campaign).order_by()
    summed = times.values_list("annotation__author").annotate(Sum("seconds"), Max("day"))
    return {author: (seconds, day) for author, seconds, day in summed}


def _figures(
    campaign: Campaign, states: Counter[str], entered: Mapping[int, _Entered], hours: float
) -> CampaignFigures:
    wanted, n = sum(states[state] for state in WANTED), states[AssignmentState.SUBMITTED]
    tags, unfinished = _tags(campaign, WANTED), _tags(campaign, IN_WORK)
    timed = [seconds for author in entered.values() for seconds in author.seconds]
    return CampaignFigures(
        tags=tags,
        done=tags - unfinished,
        wanted=wanted,
        submitted=n,
        invalid=sum(author.invalid for author in entered.values()),
        flagged=sum(author.flagged for author in entered.values()),
        minutes=minutes_a_tag(timed),
        timed=len(timed),
        hours=hours,
        pace=_pace(campaign, wanted - n),
    )


def _tags(campaign: Campaign, states: Collection[str]) -> int:
    """How many tags have an assignment in one of these states, those of each round counted."""
    rows = campaign.assignments.filter(state__in=states).order_by()
    return rows.values("round", "tag").distinct().count()


def _pace(campaign: Campaign, left: int) -> CampaignPace:
    today, rows = now().date(), _submitted(campaign)
    since = datetime.combine(window(today), time.min, UTC)
    recent = rows.filter(first_submitted_at__gte=since)
    # Of a campaign that is older than the window, the exact first day does not matter.
    is_older = rows.filter(first_submitted_at__lt=since).exists()
    first = None if is_older else recent.aggregate(first=Min("first_submitted_at"))["first"]
    return pace(recent.count(), first and first.astimezone(UTC).date(), left, today)


def _person(
    person: Person, states: Counter[str], entered: _Entered, worked: tuple[float, date | None]
) -> PersonFigures:
    return PersonFigures(
        person,
        states[AssignmentState.HELD],
        states[AssignmentState.SUBMITTED],
        states[AssignmentState.SKIPPED],
        entered.invalid,
        entered.flagged,
        minutes_a_tag(entered.seconds),
        worked[0] / 3600,
        worked[1],
    )
