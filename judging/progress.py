"""How many slots are judged, skipped and not judged, and how many responses have a final verdict."""

from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from judging.models import Judge, JudgingSlot, Judgment, Study
from judging.settling import NOT_JUDGED, incomplete, unresolved
from judging.states import SlotState

WITH_VERDICT = (SlotState.JUDGED, SlotState.LOCKED)
# A longer time on one item was a pause, not reading; pace leaves it out.
LONGEST_READING = 600.0


@dataclass(frozen=True)
class SlotCounts:
    """Counts of slots. `waiting` and `missed` have neither a verdict nor a reason for skipping: the study closed before
    their judge came to the missed ones. `open` can still be changed.
    """

    judged: int
    skipped: int
    waiting: int
    missed: int
    open: int
    flagged: int
    total: int

    @property
    def handed_in(self) -> bool:
        return self.total > 0 and self.open == 0

    @property
    def done(self) -> int:
        return self.judged + self.skipped


def of_slots(slots: QuerySet[JudgingSlot]) -> SlotCounts:
    return SlotCounts(
        **slots.aggregate(
            judged=Count("pk", filter=Q(state__in=WITH_VERDICT)),
            skipped=Count("pk", filter=~Q(skip_reason="")),
            waiting=Count("pk", filter=Q(state__in=(SlotState.WAITING, SlotState.FREE))),
            missed=Count("pk", filter=NOT_JUDGED),
            open=Count("pk", filter=~Q(state__in=(SlotState.LOCKED, SlotState.WITHDRAWN))),
            flagged=Count("pk", filter=Q(flagged=True)),
            total=Count("pk"),
        )
    )


def of_person(person: Person, study: Study) -> SlotCounts:
    return of_slots(JudgingSlot.objects.filter(judge__person=person, round__study=study))


def of_study(study: Study) -> SlotCounts:
    return of_slots(JudgingSlot.objects.filter(round__study=study))


def by_judge(study: Study) -> list[tuple[Judge, SlotCounts]]:
    """Each person who judges, with their counts, by pseudonym; judge models have no slots."""
    judges = study.judges.filter(person__isnull=False).select_related("person")
    return [(judge, of_slots(judge.slots.all())) for judge in judges]


def responses_settled(study: Study) -> dict[str, Any]:
    """How many responses have a final verdict, wait for a third person or for their judges, or lack verdicts.

    `incomplete` are pairs of the verdicts that responses got before their study closed and how many got so many.
    """
    total = study.items.count()
    settled = study.items.filter(resolution__isnull=False).count()
    waiting = unresolved(study).count()
    got = Count("slots", filter=Q(slots__repeat=1, slots__state=SlotState.LOCKED))
    lacking = incomplete(study).order_by().annotate(got=got).values_list("got", flat=True)
    by_verdicts = sorted(Counter(lacking).items())
    return {
        "total": total,
        "settled": settled,
        "unresolved": waiting,
        "incomplete": by_verdicts,
        "waiting": total - settled - waiting - sum(count for _, count in by_verdicts),
    }


def pace(person: Person, study: Study) -> float | None:
    """The person's median seconds an item in this study, pauses left out; None before five items."""
    judgments = Judgment.objects.filter(
        slot__judge__person=person, slot__round__study=study, seconds__lte=LONGEST_READING
    )
    times = [float(seconds or 0) for seconds in judgments.values_list("seconds", flat=True)]
    return median(times) if len(times) >= 5 else None
