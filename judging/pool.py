"""Free slots: judges draw them, hand them back, or lose them when they do not come back.

Slots are made when a study opens. Two things keep people from getting a response twice, and a response from getting
too many people: a unique key on response and judge, and a conditional update of the slot. In a pool all slots begin
free; in other studies a slot is free once its judge has handed it back or was removed.

Locks are taken in this order: the study, the judge, the slots. Of the slots, those that others hold are skipped.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from accounts.roles import Role
from datasets.models import Instance
from judging import blinding, warmup
from judging.models import Judge, JudgingSlot, JudgmentEvent, Reopening, Round, Study
from judging.rules.assignment import judge_seed
from judging.settling import HANDED_IN, close_slots
from judging.states import SLOT, SlotState, StudyState
from leases import claim as leases
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal
from leases.rows import first_of

# So many items a judge of a pool holds at a time: enough to read on while the server is slow.
IN_HAND = 10
LEASE_SECONDS = 24 * 3600
QUESTION = OuterRef("item__response__instance")  # of a slot
NO_JUDGE = "There is no such judge in this study."
# What the next judge must not see of the one before.
FREE_AGAIN = {
    **leases.FREE,
    "judge": None,
    "flagged": False,
    "flag_note": "",
    "shown_at": None,
    "version": 0,
}


def free_for(judge: Judge) -> QuerySet[JudgingSlot]:
    """The free slots that this judge may draw, in the order in which they are drawn.

    The rounds are read first: a join would sort all free slots to find the next one.
    """
    rounds = list(Round.objects.filter(study=judge.study_id).values_list("pk", flat=True))
    free = _free_beyond(judge=judge.pk).filter(round_id__in=rounds)
    if judge.study.without_own:
        free = free.exclude(on_own_question(judge.person_id))
    return free.order_by("round_id", "draw", "seat", "pk")


def _free_beyond(**judge: object) -> QuerySet[JudgingSlot]:
    """The free slots of responses that this judge has no slot of."""
    theirs = JudgingSlot.objects.filter(round=OuterRef("round"), item=OuterRef("item"), **judge)
    return JudgingSlot.objects.filter(state=SlotState.FREE).exclude(Exists(theirs))


def on_own_question(person: object, question: Any = QUESTION) -> Q:
    """Of slots: the person (a key, or an OuterRef) wrote their question, or annotated its contradiction."""
    written = Q(author=person) | Q(contradiction__author=person)
    # Also those whose annotations a review merged: the record's author is then the reviewer.
    annotated = Q(contradiction__annotations__author=person)
    asked = Instance.objects.filter(written | annotated, pk=question)
    return Q(Exists(asked))


def free_in(person: Person, study_ids: Iterable[int]) -> dict[int, int]:
    """By study: how many responses this judge could draw now. Only open studies in which they judge."""
    active = Judge.objects.filter(person=person, removed_at=None, study__state=StudyState.OPEN)
    judged = active.filter(study__in=study_ids).values("study")
    free = _free_beyond(judge__person=person).filter(round__study__in=judged)
    free = free.exclude(on_own_question(person.pk), round__study__without_own=True)
    counts = free.order_by().values_list("round__study").annotate(n=Count("item", distinct=True))
    return dict(counts)


@transaction.atomic
def draw(person: Person, study: Study) -> int:
    """Fill the judge's hand with the next free slots; returns how many were drawn."""
    # One draw of a judge at a time: a double click must not fill two hands.
    rows = Judge.objects.select_for_update(of=("self",)).select_related("study")
    judge = rows.filter(study=study, person=person).first()
    if judge is None or judge.removed_at or study.state != StudyState.OPEN:
        return 0
    mine = JudgingSlot.objects.filter(judge=judge, round__is_latest=True)
    wanted = IN_HAND - mine.filter(state=SlotState.WAITING).count()
    last = mine.aggregate(last=Max("order"))["last"]
    place = 0 if last is None else last + 1
    for drawn in range(max(wanted, 0)):
        if not _claim(judge, place + drawn):
            return drawn
    return max(wanted, 0)


def _claim(judge: Judge, order: int) -> bool:
    fields = {"judge": judge, "order": order}
    slot = leases.claim(
        free_for(judge), SLOT, "claim", seconds=LEASE_SECONDS, holder=_holder(judge.pk), **fields
    )
    return slot is not None


def _holder(judge_id: int | None) -> str:
    return f"judge:{judge_id}"


def lease_again(slot: JudgingSlot) -> dict[str, Any]:
    """The lease of a slot that waits for its judge once more: in a pool a new one, elsewhere none."""
    if slot.round.study.pairing != Study.Pairing.POOL:
        return leases.FREE
    return {"lease_holder": _holder(slot.judge_id), "lease_until": in_seconds(LEASE_SECONDS)}


@transaction.atomic
def hand_back(person: Person, study: Study) -> int:
    """Free what this judge has not judged; returns how many slots others can draw now. Verdicts stay."""
    return _hand_back(_judge_locked(study, person=person))


@transaction.atomic
def remove(study: Study, judge_id: int, *, by: Person | None = None) -> Judge:
    """Remove a judge from an open study: their verdicts are handed in as they are, others draw the rest."""
    judge = _judge_locked(study, pk=judge_id)
    said = f"removed from the study “{study}”; verdicts given stay, others judge the rest"
    record(AuditKind.WORK, by, said, person=judge.person)
    Judge.objects.filter(pk=judge.pk, removed_at=None).update(removed_at=Now())
    _hand_back(judge)
    close_slots(JudgingSlot.objects.filter(judge=judge), study)
    return judge


@transaction.atomic
def add(study: Study, person: Person) -> Judge:
    """Let a further judge, or one who was removed, draw the free slots of an open study."""
    _open_study_locked(study)
    if not person.has_role(Role.JUDGE):
        raise Refusal(f"{person} is not a judge. Give them the role, or choose another person.")
    if study.items.filter(resolutions__resolved_by=person).exists():
        raise Refusal(f"{person} has resolved responses of this study, and so read verdicts on it.")
    warmup.check_not_seen(study, [person])
    if _may_have_read_verdicts(study, person):
        raise Refusal(
            f"{person} may have read verdicts that were handed in, as an admin, a researcher or an adjudicator can. "
            "Choose another person."
        )
    if _has_judged_before(study, person):
        raise Refusal(
            f"{person} judged in an earlier round, whose judges could read its final verdicts. Choose another person, "
            "or name them as a judge of a further round: its report then says so."
        )
    seed = judge_seed(study.seed, person.pseudonym)
    judge, _ = Judge.objects.update_or_create(
        study=study,
        person=person,
        defaults={"removed_at": None},
        create_defaults={"pseudonym": person.pseudonym, "seed": seed},
    )
    return judge


def _may_have_read_verdicts(study: Study, person: Person) -> bool:
    """Whether the person could read final verdicts.

    A judge of the study, removed ones included, could only where it was closed before: then it has a further round, or
    was opened again.
    """
    if not person.has_role(*blinding.READERS):
        return False
    was_closed = study.rounds.filter(Q(n__gt=1) | Q(reopenings__isnull=False)).exists()
    if study.judges.filter(person=person).exists() and not was_closed:
        return False
    return JudgingSlot.objects.filter(round__study=study, state=SlotState.LOCKED).exists()


def _has_judged_before(study: Study, person: Person) -> bool:
    """Whether the person may have read final verdicts of an earlier round as its judge.

    Who already judges in this round was counted when it was opened.
    """
    mine = JudgingSlot.objects.filter(round__study=study, judge__person=person)
    earlier = mine.filter(HANDED_IN, round__is_latest=False)
    here = mine.filter(round__is_latest=True)
    return earlier.exists() and not here.exists()


def _open_study_locked(study: Study) -> None:
    if Study.objects.select_for_update().get(pk=study.pk).state != StudyState.OPEN:
        raise Conflict("This study is not open.")


def _judge_locked(study: Study, **which: object) -> Judge:
    _open_study_locked(study)
    judges = Judge.objects.select_for_update().filter(study=study, person__isnull=False, **which)
    return first_of(judges, NO_JUDGE)


def judge_at(study: Study, judge_id: int) -> Judge:
    """A person who judges in the study, or did."""
    judges = Judge.objects.select_related("person").filter(study=study, person__isnull=False)
    return first_of(judges.filter(pk=judge_id), NO_JUDGE)


def _hand_back(judge: Judge) -> int:
    waiting = JudgingSlot.objects.filter(judge=judge, state=SlotState.WAITING)
    # A second showing measures whether a judge agrees with themself: nobody else can take it.
    SLOT.move(waiting.exclude(repeat=1), "withdraw")
    return _free(waiting.filter(repeat=1), "hand_back")


def sweep_slots() -> int:
    """Free the drawn slots whose judges did not come back in time; returns how many."""
    return _free(JudgingSlot.objects.filter(lease_until__lt=Now()), "expire")


@transaction.atomic
def _free(slots: QuerySet[JudgingSlot], verb: str) -> int:
    rows = slots.filter(state=SlotState.WAITING).select_for_update(of=("self",)).order_by("pk")
    keys = list(rows.values_list("pk", flat=True))
    # The next judge's form must not show the comment that this one took back.
    JudgmentEvent.objects.bulk_create(
        [JudgmentEvent(slot_id=key, what="freed") for key in keys], batch_size=500
    )
    for start in range(0, len(keys), 500):
        SLOT.move(JudgingSlot.objects.filter(pk__in=keys[start : start + 500]), verb, **FREE_AGAIN)
    return len(keys)


def held_too_long(study: Study, days: int) -> QuerySet[JudgingSlot]:
    """The assigned slots that wait for a judge who has given no verdict in this study for so many days.

    Days count from when their round was opened, or opened again.
    What a judge has drawn is not among them: its lease ends sooner.
    """
    since = Now() - timedelta(days=days)
    active = JudgingSlot.objects.filter(judge=OuterRef("judge"), judgment__judged_at__gte=since)
    waiting = JudgingSlot.objects.filter(round__study=study, state=SlotState.WAITING)
    assigned = waiting.filter(lease_until=None, round__opened_at__lt=since)
    again = Reopening.objects.filter(round=OuterRef("round"), at__gte=since)
    return assigned.exclude(Exists(active)).exclude(Exists(again))
