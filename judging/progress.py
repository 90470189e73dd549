"""How many slots are judged, skipped and not judged, and how many responses have a final verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Avg, Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Least

from accounts.models import Person
from accounts.roles import Role
from judging.models import Judge, JudgingSlot, Judgment, Round, Study, StudyItem
from judging.rules.resolution import outcome
from judging.settling import discussed, incomplete, unresolved
from judging.states import SlotState
from leases.clock import day_of

WITH_VERDICT = (SlotState.JUDGED, SlotState.LOCKED)
# A longer time on one item was a pause, not reading; pace leaves it out.
LONGEST_READING = 600.0


@dataclass(frozen=True)
class SlotCounts:
    """Counts of slots. `waiting` and `missed` have neither a verdict nor a reason for skipping: the study closed before
    their judge came to the missed ones. `open` can still be changed, `undoable` have a verdict that can be taken back.
    """

    judged: int
    skipped: int
    waiting: int
    missed: int
    open: int
    undoable: int
    total: int

    @property
    def handed_in(self) -> bool:
        return self.total > 0 and self.open == 0

    @property
    def done(self) -> int:
        return self.judged + self.skipped


def of_slots(slots: QuerySet[JudgingSlot]) -> SlotCounts:
    return _of_states({state: counts for state, *counts in _by_state(slots, "state")})


def tallied(slots: QuerySet[JudgingSlot], by: str, keys: Iterable[int]) -> dict[int, SlotCounts]:
    """The counts of each of the keys of `by`, a column of slots, by one statement."""
    states: dict[int, dict[str, list[int]]] = {key: {} for key in keys}
    for key, state, *counts in _by_state(slots.filter(**{f"{by}__in": states}), by, "state"):
        states[key][state] = counts
    return {key: _of_states(state_counts) for key, state_counts in states.items()}


def _by_state(slots: QuerySet[JudgingSlot], *by: str) -> QuerySet[JudgingSlot, Any]:
    """For each group its keys, how many slots there are, and how many of them were skipped with a reason."""
    skipped = Count("pk", filter=~Q(skip_reason=""))
    return slots.order_by().values_list(*by).annotate(n=Count("pk"), skipped=skipped)


def _of_states(counts: Mapping[str, Sequence[int]]) -> SlotCounts:
    """From the number of slots in each state, and of those skipped with a reason."""

    def in_any(*states: SlotState) -> int:
        return sum(counts[state][0] for state in states if state in counts)

    total = sum(n for n, _ in counts.values())
    withdrawn, withdrawn_skipped = counts.get(SlotState.WITHDRAWN, (0, 0))
    return SlotCounts(
        judged=in_any(*WITH_VERDICT),
        skipped=sum(skipped for _, skipped in counts.values()),
        waiting=in_any(SlotState.WAITING, SlotState.FREE),
        missed=withdrawn - withdrawn_skipped,
        open=total - in_any(SlotState.LOCKED, SlotState.WITHDRAWN),
        undoable=in_any(SlotState.JUDGED),
        total=total,
    )


def of_person(person: Person, study: Study) -> SlotCounts:
    """The person's counts in the study's latest round."""
    return of_slots(_latest().filter(judge__person=person, round__study=study))


def of_person_in(person: Person, studies: Iterable[Study]) -> dict[int, SlotCounts]:
    """The person's counts by study, of its latest round."""
    judges = Judge.objects.filter(person=person, study__in=list(studies))
    seats = dict(judges.values_list("study", "pk"))
    counts = tallied(_latest(), "judge", seats.values())
    return {study: counts[judge] for study, judge in seats.items()}


def of_study(study: Study) -> SlotCounts:
    """The counts of its latest round."""
    return of_slots(_latest().filter(round__study=study))


def of_studies(studies: Iterable[Study]) -> dict[int, SlotCounts]:
    """The same by study."""
    return tallied(_latest(), "round__study", [study.pk for study in studies])


def of_rounds(rounds: Iterable[Round]) -> dict[int, SlotCounts]:
    return tallied(JudgingSlot.objects.all(), "round", [round_.pk for round_ in rounds])


def _latest() -> QuerySet[JudgingSlot]:
    return JudgingSlot.objects.filter(round__is_latest=True)


def by_judge(study: Study) -> list[tuple[Judge, SlotCounts]]:
    """Each judge of the latest round, with their counts in it, by pseudonym; judge models have no slots.

    A judge has `seconds` (mean time for an item, pauses left out) and `last` (time of the latest verdict), or None.
    `timed` are the verdicts whose time on the screen is known; `fast` of them took less than the study's fast_seconds.
    `is_left`: they cannot judge any more. A pause counts as slow: a verdict with one is timed, and not fast.
    """
    here = Q(slots__round__is_latest=True)
    read = here & Q(slots__judgment__seconds__lte=LONGEST_READING)
    fast = here & Q(slots__judgment__seconds__lt=study.fast_seconds)
    mine = _latest().filter(judge=OuterRef("pk"))
    earlier = JudgingSlot.objects.filter(judge=OuterRef("pk"), round__is_latest=False)
    gone = Q(Exists(earlier), ~Exists(mine), removed_at__isnull=False)
    people = study.judges.filter(person__isnull=False).exclude(gone).select_related("person")
    judges = list(
        people.annotate(
            seconds=Avg("slots__judgment__seconds", filter=read),
            last=Max("slots__judgment__judged_at", filter=here),
            timed=Count("slots__judgment__seconds", filter=here),
            fast=Count("slots__judgment", filter=fast),
            is_left=~Exists(Person.objects.who_may(Role.JUDGE).filter(pk=OuterRef("person")))
            & ~Q(person__is_demonstration=True),
        )
    )
    counts = tallied(_latest(), "judge", [judge.pk for judge in judges])
    return [(judge, counts[judge.pk]) for judge in judges]


def coverage(study: Study) -> list[tuple[int, int, int]]:
    """(verdicts that responses ask, those they have, how many responses) in the latest round, the least covered first.

    Verdicts that a judge can still change are counted.
    """
    return _by_verdicts(study.items.filter(round__is_latest=True))


def _by_verdicts(items: QuerySet[StudyItem]) -> list[tuple[int, int, int]]:
    once = Q(slots__repeat=1, slots__round=F("round"))
    rows = items.order_by().annotate(
        asked=Count("slots", filter=once),
        got=Count("slots", filter=once & Q(slots__state__in=WITH_VERDICT)),
    )
    counts = Counter(rows.values_list("asked", "got"))
    return sorted(
        ((asked, got, n) for (asked, got), n in counts.items()),
        key=lambda row: (row[1] - row[0], row),
    )


def responses_settled(study: Study) -> dict[str, Any]:
    """How many responses are settled, wait for a third person or their judges, are discussed, or lack verdicts.

    `incomplete` counts those that lack verdicts as `coverage` does, by the verdicts they got before the study closed.
    """
    total = study.judged_items.count()
    settled = study.items.filter(resolution__isnull=False).count()
    waiting, talked_over = unresolved(study), discussed(study)
    without = sum(rows.filter(resolution=None).count() for rows in (waiting, talked_over))
    lacking = _by_verdicts(incomplete(study))
    return {
        "total": total,
        "settled": settled,
        "unresolved": waiting.count(),
        "discussed": talked_over.count(),
        "incomplete": lacking,
        "waiting": total - settled - without - sum(count for *_, count in lacking),
    }


@dataclass(frozen=True)
class LeftOpen:
    """Responses without a final verdict if the study closed now: with too few verdicts, or verdicts that differ."""

    lacking: int
    undecided: int


def left_by_closing(study: Study) -> LeftOpen:
    """Each response counts by the judges of its round, whether they can still change their verdicts or not."""
    once = Q(slots__repeat=1, slots__round=F("round"))
    given = once & Q(slots__state__in=WITH_VERDICT)
    scale = study.judged_by.scale.keys
    columns = {
        "seats": Count("slots", filter=once),
        "skipped": Count("slots", filter=once & ~Q(slots__skip_reason="")),
        **{
            f"verdict_{place}": Count("slots", filter=given & Q(slots__judgment__verdict=verdict))
            for place, verdict in enumerate(scale)
        },
    }
    rows = study.judged_items.filter(resolution=None).order_by().annotate(**columns)
    lacking = undecided = 0
    for (seats, skipped, *votes), n in Counter(rows.values_list(*columns)).items():
        entries: list[str | None] = [None] * skipped
        for verdict, count in zip(scale, votes, strict=True):
            entries += [verdict] * count
        if len(entries) < seats:
            lacking += n
        elif outcome(entries, seats=seats, way=study.resolved_by) is None:
            undecided += n
    return LeftOpen(lacking, undecided)


@dataclass(frozen=True)
class DayOfWork:
    """One day (UTC) of a judge: verdicts that are stored, and the hours that their items were on the screen."""

    day: date
    verdicts: int
    hours: float


def timesheet(person: Person, study: Study) -> list[DayOfWork]:
    """The days on which the person judged in the study, latest first; each item counts for LONGEST_READING at most."""
    given = Judgment.objects.filter(slot__judge__person=person, slot__round__study=study)
    read = Least(Coalesce("seconds", 0.0), LONGEST_READING)
    days = given.order_by().values_list(day_of("judged_at"))
    rows = sorted(days.annotate(n=Count("pk"), read=Sum(read)), reverse=True)
    return [
        DayOfWork(date.fromisoformat(day), n, (seconds or 0) / 3600) for day, n, seconds in rows
    ]


def pace(person: Person, study: Study) -> float | None:
    """The person's mean seconds an item in this study, pauses left out; None before five items."""
    read = Judgment.objects.filter(
        slot__judge__person=person, slot__round__study=study, seconds__lte=LONGEST_READING
    )
    found = read.aggregate(n=Count("pk"), mean=Avg("seconds"))
    return found["mean"] if found["n"] >= 5 else None
