"""A judge's actions on their slots: give a verdict, take it back, skip, flag, hand in.

Each action may arrive twice, and is stored as an event. Another judge's slot is reported as missing (404).
"""

import uuid

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from judging.blinding import require_records
from judging.models import JudgingSlot, Judgment, JudgmentEvent, Rubric, Study
from judging.rules import rubric
from judging.rules.rubric import PromptCriteria
from judging.settling import close_slots
from judging.states import SLOT, SlotState, StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal

COMMENT_LIMIT = 10_000
MOST_SECONDS = 3_600.0


def slots_of(person: Person) -> QuerySet[JudgingSlot]:
    """The slots of a person in studies that have been opened."""
    return JudgingSlot.objects.filter(judge__person=person).exclude(
        round__study__state=StudyState.DRAFT
    )


def slot_of(person: Person, slot_id: uuid.UUID | str) -> JudgingSlot:
    """The person's slot of that id; NotFoundHere for any other. Asks as require_records."""
    related = ("round__study__rubric", "judgment", "item__response__instance__contradiction")
    try:
        slot = slots_of(person).select_related(*related).get(pk=slot_id)
    except (JudgingSlot.DoesNotExist, ValidationError) as error:
        raise NotFoundHere("There is no such item among yours.") from error
    require_records(person, slot.round.study)
    return slot


def criteria_of(slot: JudgingSlot) -> PromptCriteria:
    return rubric.parse(slot.round.study.rubric.body).prompts[slot.item.response.prompt]


@transaction.atomic
def give(
    slot: JudgingSlot, verdict: str, *, comment: str = "", seconds: float | None = None
) -> Judgment:
    """Give or change the verdict. The same one again changes nothing; raises Conflict once closed."""
    allowed = criteria_of(slot).allowed
    if verdict not in allowed:
        raise Refusal(
            f"{verdict!r} is not a verdict here. Choose one of: {', '.join(sorted(allowed))}."
        )
    comment = _bounded(comment)
    # The move comes first: it locks the row, so that a second click waits and then reads what the first stored.
    _move(slot, "judge", skip_reason="")
    stored = Judgment.objects.filter(slot=slot).first()
    if stored and (stored.verdict, stored.comment) == (verdict, comment):
        return stored
    time = None if seconds is None else min(max(seconds, 0.0), MOST_SECONDS)
    judgment = stored or Judgment(slot=slot)
    judgment.verdict, judgment.comment, judgment.judged_at = verdict, comment, Now()
    if stored is None or time is not None:
        judgment.seconds = time
    judgment.save()
    _note(slot, "changed" if stored else "judged", verdict, comment)
    if slot.round.study.rubric.locked_at is None:
        Rubric.objects.filter(studies=slot.round.study_id, locked_at=None).update(locked_at=Now())
    return judgment


@transaction.atomic
def undo(slot: JudgingSlot) -> None:
    """Take the verdict back; the item waits again. Its event keeps the comment, which the form shows."""
    stored = Judgment.objects.filter(slot=slot).first()
    if slot.state == SlotState.WAITING and stored is None:
        return
    _move(slot, "undo")
    Judgment.objects.filter(slot=slot, locked_at=None).delete()
    _note(slot, "undone", stored.verdict if stored else "", stored.comment if stored else "")


def last_judged(person: Person, study: Study) -> JudgingSlot | None:
    """The slot whose verdict an undo takes back: the latest judged one that is still open."""
    mine = slots_of(person).filter(round__study=study, state=SlotState.JUDGED)
    return mine.order_by("-judgment__judged_at", "-order").first()


@transaction.atomic
def skip(slot: JudgingSlot, reason: str) -> None:
    """Leave the item without a verdict, with a reason; it can be judged later."""
    reason = _bounded(reason).strip()
    if not reason:
        raise Refusal("Write why you skip this item: what is missing or wrong.")
    if slot.state == SlotState.SKIPPED and slot.skip_reason == reason:
        return
    if slot.state == SlotState.JUDGED:
        raise Conflict("This item has a verdict. Take it back (u), then skip.")
    _move(slot, "skip", skip_reason=reason)
    _note(slot, "skipped", "", reason)


@transaction.atomic
def flag(slot: JudgingSlot, flagged: bool, note: str = "") -> None:
    """Flag the item for the admin, or remove the flag. The verdict does not change."""
    note = _bounded(note).strip() if flagged else ""
    mine = JudgingSlot.objects.filter(pk=slot.pk, state__in=OPEN_FOR_JUDGE)
    if not mine.update(flagged=flagged, flag_note=note):
        raise Conflict("This item is closed; it cannot be changed any more.")
    if (slot.flagged, slot.flag_note) != (flagged, note):
        _note(slot, "flagged" if flagged else "unflagged", "", note)
    slot.refresh_from_db(fields=["flagged", "flag_note"])


OPEN_FOR_JUDGE = (SlotState.WAITING, SlotState.JUDGED, SlotState.SKIPPED)


@transaction.atomic
def hand_in(person: Person, study: Study) -> int:
    """Close all of the person's slots; refused while some have neither verdict nor reason. Returns how many."""
    # Locks in the order of close_slots: the study first, then its slots.
    Study.objects.select_for_update().get(pk=study.pk)
    mine = JudgingSlot.objects.filter(judge__person=person, round__study=study)
    slots = list(mine.select_for_update(of=("self",)).order_by("pk"))
    if not slots:
        raise NotFoundHere("You have no items in this study.")
    if waiting := sum(slot.state == SlotState.WAITING for slot in slots):
        raise Conflict(f"{waiting} of your items have no verdict yet. Judge or skip them first.")
    return close_slots(mine, study)


def _move(slot: JudgingSlot, verb: str, **fields: object) -> None:
    if slot.round.study.state != StudyState.OPEN or not SLOT.move(slot, verb, **fields):
        raise Conflict("This item is closed; its verdict cannot be changed any more.")


def _note(slot: JudgingSlot, what: str, verdict: str, comment: str) -> None:
    JudgmentEvent.objects.create(slot=slot, what=what, verdict=verdict, comment=comment)


def _bounded(text: str) -> str:
    if len(text) > COMMENT_LIMIT:
        raise Refusal(f"This is longer than {COMMENT_LIMIT} characters. Shorten it.")
    return text.replace("\x00", "").replace("\r\n", "\n")
