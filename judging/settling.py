"""What happens when slots close: first verdicts are fixed, and responses get their final verdict.

A slot closes when its judge hands in or the admin closes the study. Nothing here is undone later.
"""

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from judging.models import JudgingSlot, Judgment, Resolution, Study, StudyItem
from judging.resolution import Outcome, outcome
from judging.states import SLOT, SlotState

BATCH = 500
UNFINISHED = (SlotState.FREE, SlotState.WAITING, SlotState.JUDGED, SlotState.SKIPPED)


@transaction.atomic
def close_slots(slots: QuerySet[JudgingSlot], study: Study) -> int:
    """Lock what is judged, withdraw the rest, and settle the responses concerned; returns how many locked.

    `slots` are of that study, and not chosen by their state.
    """
    # One closing of a study at a time: of two judges who hand in at once, each would find the other's slots
    # still open, and neither would settle what they agree on.
    Study.objects.select_for_update().get(pk=study.pk)
    # Then the slots: a verdict under way is either seen below or refused, never left between.
    list(slots.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    locked = SLOT.move(slots, "lock")
    SLOT.move(slots, "withdraw")
    fix = Judgment.objects.filter(slot__in=slots, slot__state=SlotState.LOCKED, locked_at=None)
    fix.update(first_verdict=F("verdict"), locked_at=Now())
    settle(study.items.filter(slots__in=slots), study)
    return locked


def settle(items: QuerySet[StudyItem], study: Study) -> None:
    """Store the final verdict of each response whose slots are all closed and that needs no third person."""
    found = []
    for item in finished(items).iterator(chunk_size=BATCH):
        result = outcome_of(item, study)
        if result.verdict is not None and not hasattr(item, "resolution"):
            found.append(Resolution(item=item, verdict=result.verdict, how=result.how))
    Resolution.objects.bulk_create(found, batch_size=BATCH, ignore_conflicts=True)


def finished(items: QuerySet[StudyItem]) -> QuerySet[StudyItem]:
    """Those of `items` that have slots, none of them still open; with all that an outcome needs."""
    having = items.filter(slots__isnull=False).exclude(slots__state__in=UNFINISHED).distinct()
    return having.select_related("resolution").prefetch_related("slots__judgment")


def unresolved(study: Study) -> QuerySet[StudyItem]:
    """The responses that wait for a third person, in the study's (shuffled) order."""
    return finished(study.items.all()).filter(resolution=None).order_by("position")


def seats_of(item: StudyItem) -> list[JudgingSlot]:
    """The slots that make the item's final verdict: not those that measure a judge against themself."""
    return [slot for slot in item.slots.all() if slot.repeat == 1]


def first_verdicts(item: StudyItem) -> list[str | None]:
    """One entry a closed seat: its first verdict, None where it was skipped or never judged."""
    closed = [slot for slot in seats_of(item) if slot.state not in UNFINISHED]
    # By their random ids: an order of judges would let two lists be laid side by side.
    return [_first(slot) for slot in sorted(closed, key=lambda slot: str(slot.pk))]


def outcome_of(item: StudyItem, study: Study) -> Outcome:
    """How a response stands now (resolution.py decides)."""
    return outcome(first_verdicts(item), seats=len(seats_of(item)), way=study.resolved_by)


def _first(slot: JudgingSlot) -> str | None:
    judgment = getattr(slot, "judgment", None)
    return judgment.first_verdict if judgment and slot.state == SlotState.LOCKED else None
