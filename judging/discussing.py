"""Discussions: the two judges of a response agree on one verdict, and both sign it.

A discussion opens once the round takes no more verdicts: a judge who has read the other's verdict must not give one.
Nobody discusses while they judge in another open study over one of its runs.

To propose a verdict is to sign it; it is final when the other judge signs the same text. Each change
names the version of the proposal that its author has read; one from an older version is refused (412).

Each act waits for the study's row, as removing a judge and a third person's decision do.
"""

import uuid
from typing import Any

from django.db import transaction
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerChoices,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)

from accounts.audit import AuditKind, record
from accounts.models import Person
from judging.adjudication import decision_problem
from judging.blinding import require_records, sharing_with_open
from judging.found_unfit import propose_exclusions
from judging.models import Discussion, Judge, JudgingSlot, Remark, Resolution, Study, StudyItem
from judging.rules.resolution import DISCUSSION
from judging.settling import (
    IS_DISCUSSED,
    UNFINISHED,
    discussed,
    finished,
    resolution,
    store,
)
from judging.states import DISCUSSION as MOVES
from judging.states import DiscussionState, StudyState
from leases.refusal import Conflict, Refusal, StaleVersion
from leases.rows import first_of

REMARK_LIMIT = 2_000
NOT_YOURS = "There is no such discussion among yours."
GONE_ON = (
    "A further round judges this response again, so this discussion is over and nothing of it is shown any more. "
    "Nothing was stored just now. Copy what you wrote if you still need it, and go on with what waits for you to judge."
)
OVER = "This discussion is over: it was signed by both, left to a third person, or one of its judges has left."


def _seats(person: Person) -> QuerySet[JudgingSlot]:
    """The person's slots in rounds in which no verdict can be given any more, where nothing is hidden from them."""
    ours = Study.objects.filter(judges__person=person, resolved_by=DISCUSSION)
    hidden = sharing_with_open(person, ours)
    mine = JudgingSlot.objects.filter(judge__person=person)
    return _in_ended(mine).exclude(round__study__in=hidden)


def _in_ended(slots: QuerySet[JudgingSlot]) -> QuerySet[JudgingSlot]:
    """Those of the slots in rounds in which no verdict can be given any more, and whose judges discuss."""
    still = JudgingSlot.objects.filter(round=OuterRef("round"), state__in=UNFINISHED)
    latest = slots.filter(repeat=1, round__is_latest=True, item__round=F("round"))
    return latest.filter(round__study__resolved_by=DISCUSSION).exclude(Exists(still))


def still_open(slots: QuerySet[JudgingSlot]) -> QuerySet[JudgingSlot]:
    """Those of the slots whose responses are discussed."""
    return _are_open(_in_ended(slots))


def _are_open(slots: QuerySet[JudgingSlot]) -> QuerySet[JudgingSlot]:
    item = finished(StudyItem.objects.filter(IS_DISCUSSED, pk=OuterRef("item")))
    return slots.filter(Exists(item))


def open_for(person: Person) -> QuerySet[JudgingSlot]:
    """The person's slots of responses that they discuss, in the order in which they judged them."""
    return _are_open(_seats(person)).order_by("round", "order")


def waiting_for(person: Person) -> QuerySet[JudgingSlot]:
    """Those that wait for this person: the other judge wrote or proposed last."""
    return open_for(person).exclude(Exists(_of_slots(last_by=OuterRef("judge"))))


def _of_slots(**which: object) -> QuerySet[Discussion]:
    """The discussions of the slots of an outer query."""
    return Discussion.objects.filter(item=OuterRef("item"), round=OuterRef("round"), **which)


def counts_in(person: Person, studies: QuerySet[Study] | list[Study]) -> dict[int, int]:
    """How many discussions wait for the person, by the studies that have any."""
    of_studies = waiting_for(person).filter(round__study__in=[study.pk for study in studies])
    return dict(of_studies.order_by().values_list("round__study").annotate(n=Count("pk")))


class Awaits(IntegerChoices):
    """What an open discussion waits for, as one of its two judges sees it: a signature, words, or the other one."""

    SIGN = 1, "To sign"
    WRITE = 2, "To write"
    OTHER = 3, "For the other judge"


def listed(person: Person, study: Study) -> QuerySet[JudgingSlot]:
    """The person's open discussions in the study, each with what it `awaits` (Awaits); the other judge's last."""
    rows = open_for(person).filter(round__study=study).select_related("item__response__instance")
    proposed = _of_slots(state=DiscussionState.PROPOSED)
    awaits = Case(
        When(Exists(_of_slots(last_by=OuterRef("judge"))), then=Value(Awaits.OTHER)),
        When(Exists(proposed.exclude(proposed_by=OuterRef("judge"))), then=Value(Awaits.SIGN)),
        default=Value(Awaits.WRITE),
    )
    return rows.annotate(awaits=awaits).order_by("awaits", "round", "order")


def slot_of(person: Person, slot_id: uuid.UUID) -> JudgingSlot:
    """The person's slot of that id, where its response is discussed, or was; NotFoundHere for any other."""
    seen = _seats(person).filter(Q(pk__in=open_for(person).values("pk")) | Exists(_of_slots()))
    related = ("judge", "round__study", "item__round__rubric")
    rows = seen.select_related(*related, "item__response__instance__contradiction__collection")
    slot = first_of(rows.filter(pk=slot_id), NOT_YOURS)
    require_records(person, slot.round.study, "judging")
    return slot


def went_on(person: Person, slot_id: uuid.UUID) -> bool:
    """Whether the person discussed the response of this slot of theirs, before a further round took it."""
    mine = JudgingSlot.objects.filter(pk=slot_id, judge__person=person)
    return mine.filter(Exists(_of_slots())).exclude(item__round=F("round")).exists()


@transaction.atomic
def discussion_of(slot: JudgingSlot) -> Discussion:
    """The discussion of the slot's response. It is stored when first read; its round cannot be reopened then."""
    rows = Discussion.objects.filter(item=slot.item, round=slot.round)
    if (stored := rows.first()) is not None:
        return stored
    now = _locked(slot)
    _check_open(slot)
    return now


def is_open(slot: JudgingSlot) -> bool:
    return open_for(_person_of(slot)).filter(pk=slot.pk).exists()


# ---------------------------------------------------------------- acts


@transaction.atomic
def propose(slot: JudgingSlot, *, version: int, verdict: str, cause: str, note: str = "") -> bool:
    """Propose a verdict, signed by its author alone; returns whether both have signed it now.

    The same one again changes nothing. To propose what the other has proposed is to sign it.
    """
    given = {"verdict": verdict, "cause": cause, "note": note.replace("\r\n", "\n").strip()}
    now = _locked(slot)
    is_same = all(getattr(now, name) == value for name, value in given.items())
    if is_same and slot.judge_id in (now.proposed_by_id, now.signed_by_id):
        return now.state == DiscussionState.SIGNED
    _check_version(now, version)
    _check_open(slot)
    if is_same:
        _sign(slot, now)
        return True
    if problem := decision_problem(slot.item, verdict, cause, note):
        raise Refusal(problem)
    by = {"proposed_by": slot.judge, "last_by": slot.judge}
    MOVES.require(now, "propose", **given, **by, version=now.version + 1)
    return False


@transaction.atomic
def sign(slot: JudgingSlot, *, version: int) -> None:
    """Sign what the other has proposed: it is the final verdict of the round. Again it changes nothing."""
    now = _locked(slot)
    if now.signed_by_id == slot.judge_id:
        return
    _check_version(now, version)
    _check_open(slot)
    if now.proposed_by_id is None:
        raise Conflict("Nobody has proposed a verdict yet. Propose one.")
    if now.proposed_by_id == slot.judge_id:
        raise Conflict(
            "You proposed this verdict, and have signed it. The other judge has to sign it."
        )
    _sign(slot, now)


def _sign(slot: JudgingSlot, now: Discussion) -> None:
    MOVES.require(now, "sign", signed_by=slot.judge, last_by=slot.judge)
    agreed: dict[str, Any] = {name: getattr(now, name) for name in ("verdict", "cause", "note")}
    store([resolution(slot.item, how=Resolution.How.DISCUSSED, discussion=now, **agreed)])
    propose_exclusions(slot.item.study, slot.item.rubric)


@transaction.atomic
def remark(slot: JudgingSlot, text: str) -> None:
    """Write to the other judge. The same words twice in a row are one remark."""
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text:
        raise Refusal("Write what you want to say to the other judge.")
    if len(text) > REMARK_LIMIT:
        raise Refusal(f"This is longer than {REMARK_LIMIT} characters. Shorten it.")
    now = _locked(slot)
    _check_open(slot)
    last = now.remarks.last()
    if last is None or (last.judge_id, last.text) != (slot.judge_id, text):
        Remark.objects.create(discussion=now, judge=_judge_of(slot), text=text)
        Discussion.objects.filter(pk=now.pk).update(last_by=slot.judge)


@transaction.atomic
def leave(slot: JudgingSlot) -> None:
    """Leave the response to a third person. Again it changes nothing."""
    now = _locked(slot)
    if now.state == DiscussionState.LEFT:
        return
    _check_open(slot)
    MOVES.require(now, "leave")


@transaction.atomic
def leave_all(study: Study, *, by: Person) -> int:
    """Leave what the judges of a closed study still discuss to a third person; returns how many responses."""
    if Study.objects.select_for_update().get(pk=study.pk).state != StudyState.CLOSED:
        raise Conflict("This study is not closed: its judges can still discuss. Close it first.")
    study.require_judged()
    items, latest = discussed(study), study.rounds.get(is_latest=True)
    rows = [Discussion(item=item, round=latest) for item in items]
    Discussion.objects.bulk_create(rows, batch_size=500, ignore_conflicts=True)
    begun = Discussion.objects.filter(item__in=items.values("pk"), round=latest)
    left = MOVES.move(begun, "leave")
    if left:
        record(
            AuditKind.STUDY, by, f"study {study.slug}: {left} discussions left to a third person"
        )
    return left


def _judge_of(slot: JudgingSlot) -> Judge:
    assert slot.judge is not None, "A slot that somebody judged has a judge."
    return slot.judge


def _locked(slot: JudgingSlot) -> Discussion:
    """The discussion as it is stored now; nothing can end it before this transaction does."""
    Study.objects.select_for_update().get(pk=slot.round.study_id)
    return Discussion.objects.get_or_create(item=slot.item, round=slot.round)[0]


def _check_open(slot: JudgingSlot) -> None:
    """Raise Conflict where the discussion has ended since the slot was read."""
    if not is_open(slot):
        raise Conflict(OVER)


def _person_of(slot: JudgingSlot) -> Person:
    person = _judge_of(slot).person
    assert person is not None, "Judge models have no slots."
    return person


def _check_version(now: Discussion, version: int) -> None:
    if now.version != version:
        raise StaleVersion(
            "The proposal was changed since you opened this page. Read what it says now; what you wrote is still in "
            "the form.",
            details={"version": now.version},
        )
