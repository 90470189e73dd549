"""A judge's own items, in the order drawn for this judge."""

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import Exists, F, OuterRef, Q, QuerySet, prefetch_related_objects
from django.db.models.functions import Now

from accounts.models import Person
from judging import pool
from judging.blinding import require_records, require_results
from judging.models import Judge, JudgingSlot, Resolution, Study
from judging.settling import NOT_JUDGED
from judging.states import SlotState, StudyState
from judging.verdicts import slots_of
from leases.refusal import Conflict
from leases.rows import first_of

# How many of their latest verdicts a judge sees listed.
LATEST = 10
# How many of the next items are read in advance.
MOST_AHEAD = 20
WITH_TEXT = ("judgment", "item__response__instance__contradiction__collection")
# How a response is resolved on which its judges differ.
SETTLED_BY = (Resolution.How.DISCUSSED, Resolution.How.THIRD_PERSON, Resolution.How.MAJORITY)


def studies_of(person: Person) -> QuerySet[Study]:
    """The opened studies whose latest round the person judges, open ones first."""
    has_slots = Exists(slots_of(person).filter(judge=OuterRef("pk")))
    active = Judge.objects.filter(has_slots | Q(removed_at=None), person=person)
    mine = active.exclude(study__state=StudyState.DRAFT)
    return Study.objects.filter(pk__in=mine.values("study")).order_by("-state", "-opened_at", "-pk")


def study_of(person: Person, study_id: int) -> Study:
    """The study, if the person judges in it; NotFoundHere otherwise. Asks as require_records."""
    rows = studies_of(person).filter(pk=study_id).select_related("rubric")
    study = first_of(rows, "You have no items in this study.")
    require_records(person, study, "judging")
    return study


def in_order(person: Person, study: Study) -> QuerySet[JudgingSlot]:
    """The person's slots in their order."""
    return slots_of(person).filter(round__study=study).order_by("round", "order", "repeat")


def first_waiting(person: Person, study: Study) -> UUID | None:
    """The id of the first slot without a verdict; None when there is none, or the study is closed."""
    if study.state != StudyState.OPEN:
        return None
    waiting = in_order(person, study).filter(state=SlotState.WAITING)
    return waiting.values_list("pk", flat=True).first()


def drawn(person: Person, study: Study) -> UUID | None:
    """As first_waiting; in a pool the next free slots are drawn where none waits."""
    waiting = first_waiting(person, study)
    if waiting is None and study.pairing == Study.Pairing.POOL:
        pool.draw(person, study)
        waiting = first_waiting(person, study)
    return waiting


def slot_here(person: Person, study: Study, slot_id: str) -> UUID | None:
    """The id, if it is that of one of the person's slots in the study."""
    try:
        return in_order(person, study).values_list("pk", flat=True).filter(pk=slot_id).first()
    except ValidationError:
        return None


def ahead(person: Person, here: JudgingSlot) -> list[JudgingSlot]:
    """The next of the person's waiting slots after this one, at most MOST_AHEAD, in their order."""
    after = slots_of(person).filter(round=here.round_id, order__gt=here.order)
    waiting = after.filter(state=SlotState.WAITING).order_by("order", "repeat")
    rows = JudgingSlot.objects.filter(pk__in=waiting.values("pk")[:MOST_AHEAD])
    slots = list(rows.order_by("order", "repeat").select_related(*WITH_TEXT))
    prefetch_related_objects([slot for slot in slots if slot.version], "events")
    return slots


def entered(person: Person, study: Study) -> dict[str, list[JudgingSlot]]:
    """Slots that the judge may want to see again: skipped, flagged, and the latest verdicts."""
    mine = in_order(person, study)
    judged = mine.filter(judgment__isnull=False).order_by("-judgment__judged_at")
    return {
        "skipped": _with_text(mine.filter(state=SlotState.SKIPPED)),
        "flagged": _with_text(mine.filter(flagged=True)),
        "latest": _with_text(judged, LATEST),
    }


def resolved(person: Person, study: Study) -> QuerySet[JudgingSlot]:
    """The person's slots of a closed study on whose responses the judges differed, by round and in their order.

    Each has `final`, the verdict that its round ended with, `how`, `cause` and `note`. Raises NotAllowed while the
    study's results are hidden from the person, and Conflict while it is open.
    """
    require_results(person, study)
    if study.state != StudyState.CLOSED:
        raise Conflict("This study is open. How responses are resolved is shown once it is closed.")
    mine = JudgingSlot.objects.filter(
        judge__person=person,
        round__study=study,
        repeat=1,
        item__resolutions__round=F("round"),
        item__resolutions__how__in=SETTLED_BY,
    )
    # A reopened study may ask the person for it again, without what others decided.
    again = JudgingSlot.objects.filter(
        NOT_JUDGED, round=OuterRef("round"), judge=OuterRef("judge"), item=OuterRef("item")
    )
    mine = mine.exclude(Exists(again))
    columns = {"final": "verdict", "how": "how", "cause": "cause", "note": "note"}
    ended = {name: F(f"item__resolutions__{column}") for name, column in columns.items()}
    related = ("judgment", "round", "item__response__instance__contradiction")
    rows = mine.select_related(*related).defer(f"{related[-1]}__fields")
    return rows.annotate(**ended).order_by("round__n", "order")


def _with_text(slots: QuerySet[JudgingSlot], count: int | None = None) -> list[JudgingSlot]:
    """The first `count` of the slots with all that their pages show. Texts are read of these alone, after sorting."""
    keys = list(slots.values_list("pk", flat=True)[:count])
    rows = JudgingSlot.objects.select_related(*WITH_TEXT).prefetch_related("events").in_bulk(keys)
    return [rows[key] for key in keys]


def mark_shown(slot: JudgingSlot) -> None:
    """Store when the judge first saw the item."""
    if slot.shown_at is None:
        this = JudgingSlot.objects.filter(pk=slot.pk, judge=slot.judge_id, shown_at=None)
        this.update(shown_at=Now())
