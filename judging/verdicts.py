"""A judge's actions on their slots: give a verdict, take it back, skip, flag, hand in.

Each action may arrive twice, and is stored as an event. Another judge's slot is reported as missing (404). An action is
made from a version of the slot, by default that of the row passed in; one from an older version is refused (412).
"""

import uuid

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from judging import pool
from judging.blinding import require_records
from judging.models import JudgingSlot, Judgment, JudgmentEvent, Rubric, Study
from judging.rules import rubric
from judging.rules.rubric import PromptCriteria
from judging.settling import close_slots
from judging.states import SLOT, SlotState, StudyState
from leases import claim as leases
from leases.refusal import Conflict, NotFoundHere, Refusal, StaleVersion
from leases.rows import first_of

COMMENT_LIMIT = 10_000
MOST_SECONDS = 3_600.0
NOT_YOURS = "There is no such item among yours."
WHOLE = ("round__study__rubric", "judgment", "item__response__instance__contradiction")


def slots_of(person: Person) -> QuerySet[JudgingSlot]:
    """The slots of a person in the latest round of each study: earlier verdicts are shown to nobody who judges."""
    return JudgingSlot.objects.filter(judge__person=person, round__is_latest=True)


def slot_of(person: Person, slot_id: uuid.UUID | str) -> JudgingSlot:
    """The person's slot of that id; Conflict for one of an earlier round, NotFoundHere for any other.

    Asks as require_records.
    """
    try:
        mine = JudgingSlot.objects.filter(pk=slot_id, judge__person=person)
    except ValidationError as error:
        raise NotFoundHere(NOT_YOURS) from error
    slot = first_of(mine.select_related(*WHOLE), NOT_YOURS)
    if not slot.round.is_latest:
        raise Conflict("This item is closed. Your items are under Judge.")
    require_records(person, slot.round.study, "judging")
    return slot


def criteria_of(slot: JudgingSlot) -> PromptCriteria:
    return rubric.parse(slot.round.study.judged_by.body).prompts[slot.item.response.prompt]


@transaction.atomic
def give(
    slot: JudgingSlot,
    verdict: str,
    *,
    comment: str = "",
    seconds: float | None = None,
    version: int | None = None,
) -> Judgment:
    """Give or change the verdict. The same one again changes nothing; raises Conflict once closed, or StaleVersion."""
    if problem := criteria_of(slot).problem(verdict):
        raise Refusal(problem)
    comment = _bounded(comment)
    now = _locked(slot)
    stored = getattr(now, "judgment", None)
    if (
        stored
        and now.state in OPEN_FOR_JUDGE
        and (stored.verdict, stored.comment) == (verdict, comment)
    ):
        return stored
    _move(slot, "judge", now, version, entry(verdict, comment), skip_reason="", **leases.FREE)
    time = None if seconds is None else min(max(seconds, 0.0), MOST_SECONDS)
    judgment = stored or Judgment(slot=slot)
    judgment.verdict, judgment.comment, judgment.judged_at = verdict, comment, Now()
    if stored is None or time is not None:
        judgment.seconds = time
    judgment.save()
    _note(slot, "changed" if stored else "judged", verdict, comment)
    if slot.round.study.judged_by.locked_at is None:
        Rubric.objects.filter(pk=slot.round.rubric_id, locked_at=None).update(locked_at=Now())
    return judgment


@transaction.atomic
def undo(slot: JudgingSlot, *, version: int | None = None) -> None:
    """Take the verdict back; the item waits again. Its event keeps the comment, which the form shows."""
    now = _locked(slot)
    if now.state == SlotState.WAITING:
        return
    stored = getattr(now, "judgment", None)
    _move(slot, "undo", now, version, entry(), **pool.lease_again(slot))
    Judgment.objects.filter(slot=slot, locked_at=None).delete()
    _note(slot, "undone", stored.verdict if stored else "", stored.comment if stored else "")


def last_judged(person: Person, study: Study) -> JudgingSlot | None:
    """The slot whose verdict an undo takes back: the latest judged one that is still open."""
    judged = slots_of(person).filter(round__study=study, state=SlotState.JUDGED)
    return judged.order_by("-judgment__judged_at", "-order").first()


@transaction.atomic
def skip(slot: JudgingSlot, reason: str, *, version: int | None = None) -> None:
    """Leave the item without a verdict, with a reason; it can be judged later."""
    reason = _bounded(reason).strip()
    if not reason:
        raise Refusal("Write why you skip this item: what is missing or wrong.")
    now = _locked(slot)
    if now.state == SlotState.SKIPPED and now.skip_reason == reason:
        return
    if now.state == SlotState.JUDGED and _is_current(slot, now, version):
        raise Conflict("This item has a verdict. Take it back (u), then skip.")
    _move(slot, "skip", now, version, entry(reason=reason), skip_reason=reason, **leases.FREE)
    _note(slot, "skipped", "", reason)


@transaction.atomic
def flag(slot: JudgingSlot, flagged: bool, note: str = "") -> None:
    """Flag the item for the admin, or remove the flag. The verdict does not change."""
    note = _bounded(note).strip() if flagged else ""
    if _locked(slot).state not in OPEN_FOR_JUDGE:
        raise Conflict("This item is closed; it cannot be changed any more.")
    JudgingSlot.objects.filter(pk=slot.pk).update(flagged=flagged, flag_note=note)
    if (slot.flagged, slot.flag_note) != (flagged, note):
        _note(slot, "flagged" if flagged else "unflagged", "", note)
    slot.refresh_from_db(fields=["flagged", "flag_note"])


OPEN_FOR_JUDGE = (SlotState.WAITING, SlotState.JUDGED, SlotState.SKIPPED)


@transaction.atomic
def hand_in(person: Person, study: Study) -> int:
    """Close all of the person's slots; refused while some have neither verdict nor reason. Returns how many.

    In a pool those without go back; a judge who has given no verdict then hands in none.
    """
    if not study.judges.filter(person=person).exists():
        raise NotFoundHere("You have no items in this study.")
    if study.pairing == Study.Pairing.POOL:
        pool.hand_back(person, study)  # others draw what this judge holds
    # Locks in the order of close_slots: the study first, then its slots.
    Study.objects.select_for_update().get(pk=study.pk)
    mine = JudgingSlot.objects.filter(judge__person=person, round__study=study)
    slots = list(mine.select_for_update(of=("self",)).order_by("pk"))
    if waiting := sum(slot.state == SlotState.WAITING for slot in slots):
        raise Conflict(f"{waiting} of your items have no verdict yet. Judge or skip them first.")
    return close_slots(mine, study)


def entry(verdict: str = "", comment: str = "", reason: str = "") -> dict[str, str]:
    """What a judge enters for an item, or has entered: a verdict, a reason for skipping it, or neither."""
    return {"verdict": verdict, "comment": comment, "skip_reason": reason}


def _locked(slot: JudgingSlot) -> JudgingSlot:
    """The slot as it is stored now. A second click waits here until the first is stored.

    Its judgment is read after that, by a statement of its own: a join would show it as it was before the wait.
    Raises NotFoundHere where the slot was freed since it was read; it may be another judge's by now.
    """
    assert slot.judge_id is not None
    mine = JudgingSlot.objects.filter(pk=slot.pk, judge=slot.judge_id)
    return first_of(mine.select_for_update(of=("self",)), NOT_YOURS)


def _is_current(slot: JudgingSlot, now: JudgingSlot, version: int | None) -> bool:
    return now.version == (slot.version if version is None else version)


def _move(
    slot: JudgingSlot,
    verb: str,
    now: JudgingSlot,
    version: int | None,
    given: dict[str, str],
    **fields: object,
) -> None:
    """Move the slot from the version that the change was made from; raises Conflict once closed, or StaleVersion."""
    if slot.round.study.state != StudyState.OPEN or now.state not in OPEN_FOR_JUDGE:
        raise Conflict("This item is closed; its verdict cannot be changed any more.")
    if not _is_current(slot, now, version):
        raise _stale(now, given)
    slot.state = now.state
    SLOT.require(slot, verb, version=now.version + 1, **fields)


def _stale(now: JudgingSlot, given: dict[str, str]) -> StaleVersion:
    """The refusal of a change made from an older version: both are this judge's own entries."""
    judgment = getattr(now, "judgment", None)
    stored = entry(judgment.verdict, judgment.comment) if judgment else entry()
    return StaleVersion(
        "You entered something else for this item elsewhere since it was read here. Nothing was overwritten: keep "
        "what is stored, or store what you chose here.",
        details={
            "version": now.version,
            "stored": {**stored, "skip_reason": now.skip_reason},
            "given": given,
        },
    )


def _note(slot: JudgingSlot, what: str, verdict: str, comment: str) -> None:
    JudgmentEvent.objects.create(slot=slot, what=what, verdict=verdict, comment=comment)


def _bounded(text: str) -> str:
    if len(text) > COMMENT_LIMIT:
        raise Refusal(f"This is longer than {COMMENT_LIMIT} characters. Shorten it.")
    return text.replace("\x00", "").replace("\r\n", "\n")
