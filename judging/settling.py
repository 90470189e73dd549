"""Closing slots: their first verdicts are fixed, and responses get their final verdict.

A slot closes when its judge hands in or the admin closes the study. It never opens again.
"""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from accounts.roles import Role
from judging.models import Discussion, JudgingSlot, Judgment, Resolution, Study, StudyItem
from judging.rules.resolution import DISCUSSION, outcome
from judging.states import SLOT, DiscussionState, SlotState
from leases.claim import FREE

BATCH = 500
UNFINISHED = (SlotState.FREE, SlotState.WAITING, SlotState.JUDGED, SlotState.SKIPPED)
# The study was closed before the judge came to it: no verdict, and no reason for skipping.
NOT_JUDGED = Q(state=SlotState.WITHDRAWN, skip_reason="")
# A verdict or a reason for skipping that its judge can change no more.
HANDED_IN = Q(state=SlotState.LOCKED) | Q(state=SlotState.WITHDRAWN) & ~Q(skip_reason="")
IN_ITS_ROUND = JudgingSlot.objects.filter(item=OuterRef("pk"), round=OuterRef("round"))
# Those of its judges who can still sign: not removed, and with an account and the role.
THERE = IN_ITS_ROUND.filter(
    repeat=1,
    judge__removed_at=None,
    judge__person__is_active=True,
    judge__person__grants__role=Role.JUDGE,
)
LEFT = Discussion.objects.filter(
    item=OuterRef("pk"), round=OuterRef("round"), state=DiscussionState.LEFT
)
# Of finished responses: their two judges discuss them. Those of earlier rounds have other judges by now.
IS_DISCUSSED = Q(
    Exists(THERE.filter(seat=1)),
    Exists(THERE.filter(seat=2)),
    ~Exists(LEFT),
    study__resolved_by=DISCUSSION,
    round__is_latest=True,
    is_settled=False,
)
LACKS_VERDICTS = Q(Exists(IN_ITS_ROUND.filter(NOT_JUDGED, repeat=1)), is_settled=False)


@transaction.atomic
def close_slots(slots: QuerySet[JudgingSlot], study: Study) -> int:
    """Lock judged slots, withdraw the others, and settle their responses; returns how many were locked.

    `slots` are slots of that study, not selected by their state.
    """
    # One closing of a study at a time. Otherwise two judges who hand in at the same time would each see the other's
    # slots as open, and neither closing would settle the responses on which they agree.
    Study.objects.select_for_update().get(pk=study.pk)
    # Then the slots: a verdict that is just being stored is either included below or refused.
    list(slots.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    locked = SLOT.move(slots, "lock")
    SLOT.move(slots, "withdraw", **FREE)
    fix = Judgment.objects.filter(slot__in=slots, slot__state=SlotState.LOCKED, locked_at=None)
    fix.update(first_verdict=F("verdict"), locked_at=Now())
    settle(study.items.filter(pk__in=slots.order_by().values("item")), study)
    return locked


def settle(items: QuerySet[StudyItem], study: Study) -> None:
    """Resolve each response whose slots in its round are all closed, unless people have to resolve it."""
    resolutions = []
    for item in finished(items.filter(is_settled=False)).iterator(chunk_size=BATCH):
        result = outcome(first_verdicts(item), seats=len(seats_of(item)), way=study.resolved_by)
        if result:
            resolutions.append(resolution(item, verdict=result.verdict, how=result.how))
    store(resolutions)


def resolution(item: StudyItem, **columns: Any) -> Resolution:
    """A resolution of the item in its round, not stored yet. It is final unless an earlier round's is."""
    assert item.round_id is not None, "What is resolved has been judged in a round."
    final = None if hasattr(item, "resolution") else item
    return Resolution(item=item, round_id=item.round_id, final_for=final, **columns)


def store(resolutions: list[Resolution]) -> None:
    """Store the resolutions of responses whose round has none yet, and mark their responses."""
    Resolution.objects.bulk_create(resolutions, batch_size=BATCH, ignore_conflicts=True)
    for start in range(0, len(resolutions), BATCH):
        mark_settled(resolution.item_id for resolution in resolutions[start : start + BATCH])


def mark_settled(items: Iterable[int]) -> None:
    """Mark responses that have a resolution of their round, so that lists of what waits need not read them."""
    StudyItem.objects.filter(pk__in=list(items)).update(is_settled=True)


def finished(items: QuerySet[StudyItem]) -> QuerySet[StudyItem]:
    """Those of `items` that all judges of their round have judged or skipped, or that it has resolved.

    They come with everything that an outcome needs.
    """
    closed = items.filter(Exists(IN_ITS_ROUND), ~Exists(IN_ITS_ROUND.filter(state__in=UNFINISHED)))
    rows = closed.exclude(LACKS_VERDICTS)
    return rows.select_related("resolution").prefetch_related("slots__judgment")


def unresolved(study: Study) -> QuerySet[StudyItem]:
    """The responses that wait for a third person, by round, in the order in which its free slots are drawn.

    Not by their places in the study, which show what a later round added.
    """
    drawn = IN_ITS_ROUND.filter(repeat=1).order_by("seat").values("draw")[:1]
    waiting = finished(study.items.filter(is_settled=False)).exclude(IS_DISCUSSED)
    return waiting.order_by("round__n", Subquery(drawn), "position")


def discussed(study: Study) -> QuerySet[StudyItem]:
    """The responses on which their two judges have to agree first."""
    return finished(study.items.filter(IS_DISCUSSED))


def unresolved_in(studies: QuerySet[Study]) -> dict[int, int]:
    """How many such responses each of the studies has that has any."""
    waiting = finished(StudyItem.objects.filter(study__in=studies, is_settled=False))
    waiting = waiting.exclude(IS_DISCUSSED)
    return dict(waiting.order_by().values_list("study").annotate(n=Count("pk")))


def incomplete(study: Study) -> QuerySet[StudyItem]:
    """The responses without a final verdict that have fewer verdicts than their study asks: it was closed early."""
    return study.items.filter(LACKS_VERDICTS, resolution=None)


def seats_of(item: StudyItem) -> list[JudgingSlot]:
    """The slots by which its round resolves it: repeats for the same judge are left out."""
    slots = item.slots.all()
    return [slot for slot in slots if slot.repeat == 1 and slot.round_id == item.round_id]


def first_verdicts(item: StudyItem) -> list[str | None]:
    """The first verdict of each closed seat, None where it was skipped or never judged."""
    closed = [slot for slot in seats_of(item) if slot.state not in UNFINISHED]
    # In the order of their random ids: an order by judge would let a reader follow one judge over several responses.
    return [_first(slot) for slot in sorted(closed, key=lambda slot: str(slot.pk))]


def _first(slot: JudgingSlot) -> str | None:
    judgment = getattr(slot, "judgment", None)
    return judgment.first_verdict if judgment and slot.state == SlotState.LOCKED else None
