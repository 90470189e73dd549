"""A judge's own moves on a slot: give a verdict, take it back, skip, flag, hand in.

Every move belongs to one judge and one slot, may arrive twice, and is kept as an event until the slot
closes. Somebody else's slot does not exist here (404).
"""

import uuid

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from judging import rubric
from judging.models import JudgingSlot, Judgment, JudgmentEvent, Study
from judging.rubric import PromptCriteria
from judging.settling import close_slots
from judging.states import SLOT, SlotState, StudyState
from leases.refusal import Conflict, NotFoundHere, Refusal

COMMENT_LIMIT = 10_000
LONGEST_STAY = 3_600.0


def slots_of(person: Person) -> QuerySet[JudgingSlot]:
    """The slots of a person in studies that have been opened."""
    return JudgingSlot.objects.filter(judge__person=person).exclude(
        round__study__state=StudyState.DRAFT
    )


def slot_of(person: Person, slot_id: uuid.UUID | str) -> JudgingSlot:
    """The person's slot of that id; NotFoundHere for any other."""
    related = ("judge", "round__study__rubric", "item__response__instance__contradiction")
    try:
        return slots_of(person).select_related(*related).get(pk=slot_id)
    except (JudgingSlot.DoesNotExist, ValidationError) as error:
        raise NotFoundHere("There is no such item among yours.") from error


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
            f"{verdict!r} is no verdict here. Choose one of: {', '.join(sorted(allowed))}."
        )
    comment = _bounded(comment)
    # The move comes first: it holds the row, so that a second click waits and then finds the first.
    _move(slot, "judge", skip_reason="")
    kept = Judgment.objects.filter(slot=slot).first()
    if kept and (kept.verdict, kept.comment) == (verdict, comment):
        return kept
    stay = None if seconds is None else min(max(seconds, 0.0), LONGEST_STAY)
    values = {"verdict": verdict, "comment": comment, "judged_at": Now()}
    if kept is None or stay is not None:
        values["seconds"] = stay
    judgment, made = Judgment.objects.update_or_create(slot=slot, defaults=values)
    _note(slot, "judged" if made else "changed", verdict, comment)
    _lock_rubric(slot.round.study)
    return judgment


@transaction.atomic
def undo(slot: JudgingSlot) -> None:
    """Take the verdict back; the item waits again. Its event keeps the comment, which the form shows."""
    kept = Judgment.objects.filter(slot=slot).first()
    if slot.state == SlotState.WAITING and kept is None:
        return
    _move(slot, "undo")
    Judgment.objects.filter(slot=slot, locked_at=None).delete()
    _note(slot, "undone", kept.verdict if kept else "", kept.comment if kept else "")


def last_judged(person: Person, study: Study) -> JudgingSlot | None:
    """The slot whose verdict an undo takes back: the one judged last of those still open."""
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
    """Mark the item for the admin, or take the mark away. The verdict is not touched."""
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
    # As close_slots does, and in its order: the study first, then its slots.
    Study.objects.select_for_update().get(pk=study.pk)
    mine = JudgingSlot.objects.filter(judge__person=person, round__study=study)
    held = list(mine.select_for_update(of=("self",)).order_by("pk"))
    if not held:
        raise NotFoundHere("You have no items in this study.")
    if waiting := sum(slot.state == SlotState.WAITING for slot in held):
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


def _lock_rubric(study: Study) -> None:
    type(study.rubric)._default_manager.filter(pk=study.rubric_id, locked_at=None).update(
        locked_at=Now()
    )
