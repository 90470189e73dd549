"""A campaign in numbers for its admins, counted from the rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date
from statistics import median

from django.db.models import Count, Exists, Max, OuterRef, Q, Sum
from django.db.models.functions import TruncDate

from accounts.models import Person
from annotation.models import Annotation, Assignment, Campaign, WorkTime
from annotation.monitoring.pace import Pace, pace
from annotation.states import EDITABLE, AssignmentState
from datasets.models import Validity
from leases.clock import now
from leases.extension import ExtensionPoint

# What is to be submitted or was.
WANTED = (AssignmentState.FREE, AssignmentState.HELD, AssignmentState.SUBMITTED)

# The agreement of a campaign's annotators so far, a sentence for each round.
agreement_so_far: ExtensionPoint[[Campaign], list[str]] = ExtensionPoint(
    "annotation.monitoring.figures.agreement_so_far"
)


@dataclass(frozen=True)
class Figures:
    """`done` of `tags` have all annotations submitted that they are to have; `submitted` of `wanted` assignments are.

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
    pace: Pace

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


def submitted_in(campaign: Campaign) -> Q:
    """The condition on annotations that they were submitted in the campaign and are not back with their authors."""
    return Q(assignment__campaign=campaign) & ~Q(state__in=EDITABLE)


def campaign_figures(campaign: Campaign) -> Figures:
    """The whole campaign, all rounds together."""
    assignments = campaign.assignments.order_by()
    unfinished = Assignment.objects.filter(
        campaign=campaign,
        round=OuterRef("round"),
        tag=OuterRef("tag"),
        state__in=[AssignmentState.FREE, AssignmentState.HELD],
    )
    tags = assignments.filter(state__in=WANTED).values("round", "tag").distinct()
    wanted = assignments.filter(state__in=WANTED).count()
    submitted = assignments.filter(state=AssignmentState.SUBMITTED)
    done = submitted.filter(~Exists(unfinished)).values("round", "tag").distinct()
    rows = Annotation.objects.filter(submitted_in(campaign))
    counted = rows.aggregate(
        invalid=Count("pk", filter=Q(validity=Validity.INVALID)),
        flagged=Count("pk", filter=Q(flagged=True)),
    )
    seconds = rows.filter(seconds_active__gt=0).values_list("seconds_active", flat=True)
    timed = list(seconds)
    n = submitted.count()
    return Figures(
        tags=tags.count(),
        done=done.count(),
        wanted=wanted,
        submitted=n,
        minutes=median(timed) / 60 if timed else None,
        timed=len(timed),
        hours=(campaign.work_times.aggregate(all=Sum("seconds"))["all"] or 0) / 3600,
        pace=pace(_by_day(campaign), wanted - n, now().date()),
        **counted,
    )


def _by_day(campaign: Campaign) -> dict[date, int]:
    """How many assignments were first submitted on each day, in UTC."""
    days = Annotation.objects.filter(submitted_in(campaign)).order_by()
    counts = days.values_list(TruncDate("first_submitted_at", tzinfo=UTC)).annotate(n=Count("pk"))
    return {day: n for day, n in counts if day}


def people_figures(campaign: Campaign) -> Iterator[PersonFigures]:
    """Each person who has, had or skipped an assignment, by name."""
    states = _assignments_by_person(campaign)
    annotated = _annotations_by_person(campaign)
    times = WorkTime.objects.filter(campaign=campaign).order_by()
    summed = times.values_list("annotation__author").annotate(Sum("seconds"), Max("day"))
    worked: dict[int, tuple[float, date]] = {key: (seconds, day) for key, seconds, day in summed}
    for person in Person.objects.filter(pk__in={*states, *worked}).order_by("name", "pk"):
        counts = states.get(person.pk, {})
        seconds, invalid, flagged = annotated.get(person.pk, ([], 0, 0))
        worked_seconds, last_day = worked.get(person.pk, (0.0, None))
        yield PersonFigures(
            person,
            counts.get(AssignmentState.HELD, 0),
            counts.get(AssignmentState.SUBMITTED, 0),
            counts.get(AssignmentState.SKIPPED, 0),
            invalid,
            flagged,
            median(seconds) / 60 if seconds else None,
            worked_seconds / 3600,
            last_day,
        )


def _assignments_by_person(campaign: Campaign) -> dict[int, dict[str, int]]:
    rows = campaign.assignments.filter(person__isnull=False).order_by()
    counts: dict[int, dict[str, int]] = {}
    for person, state, n in rows.values_list("person", "state").annotate(n=Count("pk")):
        counts.setdefault(person, {})[state] = n
    return counts


def _annotations_by_person(campaign: Campaign) -> Mapping[int, tuple[list[float], int, int]]:
    """(seconds of each timed annotation, how many say invalid, how many are flagged) by author."""
    found: dict[int, tuple[list[float], int, int]] = {}
    rows = Annotation.objects.filter(submitted_in(campaign)).values_list(
        "author", "seconds_active", "validity", "flagged"
    )
    for author, seconds, validity, flag in rows:
        times, invalid, flagged = found.get(author, ([], 0, 0))
        times += [seconds] if seconds else []
        found[author] = (times, invalid + (validity == Validity.INVALID), flagged + flag)
    return found
