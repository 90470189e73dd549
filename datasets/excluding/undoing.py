"""Undo an exclusion as it was made: one person proposes it with a reason, another agrees or declines.

Once undone, the question counts again in tables, new runs and new releases. Earlier releases and frozen reports stay as
they are. The exclusion, with both reasons, is kept as a past one.
"""

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.excluding.exclusions import check_not_hidden, checked_words, end_proposal, recorded
from datasets.excluding.exposure import known_to
from datasets.models import Exclusion, Instance, PastExclusion, Undoing
from datasets.states import UNDOING, UndoingState
from leases.refusal import Conflict, NotAllowed, Refusal

GONE = "This question is not excluded any more. Read what became of it below; nothing was changed."
ENDED = "This proposal is no longer there. Read what became of it below; nothing was changed."


def open_undoing(instance: Instance) -> Undoing | None:
    rows = Undoing.objects.filter(instance=instance, state=UndoingState.PROPOSED)
    return rows.select_related("proposed_by").first()


def ended_undoings(instance: Instance) -> QuerySet[Undoing]:
    """Those declined or withdrawn; what was agreed to is a past exclusion."""
    ended = (UndoingState.DECLINED, UndoingState.WITHDRAWN)
    rows = Undoing.objects.filter(instance=instance, state__in=ended)
    return rows.select_related("proposed_by", "ended_by")


@transaction.atomic
def propose(
    *, instance: Instance, proposal: int, reason: str, said: str = "", by: Person
) -> Undoing:
    """Propose to undo the exclusion with this id. A second click returns the proposal of the first."""
    check_not_hidden(by, instance)
    _excluded(instance, proposal)
    reason = checked_words(reason, "reason")
    said = checked_words(said, "note on what you had seen")
    if not reason:
        raise Refusal("Say why the question should count again.")
    seen = {"proposed": {"said": said, "known": known_to(by, instance)}}
    try:
        with transaction.atomic():
            made = Undoing.objects.create(
                instance=instance, exclusion=proposal, reason=reason, proposed_by=by, seen=seen
            )
    except IntegrityError:
        there = open_undoing(instance)
        if there and there.proposed_by_id == by.pk and there.reason == reason:
            return there
        raise Conflict(
            "Someone else has proposed to undo this exclusion in the meantime. Their proposal is shown below; what "
            "you wrote is kept under it, to copy."
        ) from None
    recorded("undoing proposed", instance, by)
    made.refresh_from_db()
    return made


@transaction.atomic
def agree(*, instance: Instance, undoing: int, said: str = "", by: Person) -> PastExclusion:
    """Agree: the question counts again. Raises NotAllowed for one's own, Conflict if it is gone."""
    row = _locked(instance, undoing, by)
    if row.state == UndoingState.AGREED and row.ended_by_id == by.pk:
        return PastExclusion.objects.get(proposal=row.exclusion, how=PastExclusion.How.UNDONE)
    _check_other(row, by)
    exclusion = _excluded(instance, row.exclusion)
    said = checked_words(said, "note on what you had seen")
    seen = {**row.seen, "agreed": {"said": said, "known": known_to(by, instance)}}
    _end(row, "agree", by, seen=seen)
    return end_proposal(
        exclusion,
        PastExclusion.How.UNDONE,
        by,
        row.reason,
        seconded_by_id=exclusion.seconded_by_id,
        seconded_at=exclusion.seconded_at,
        undoing_by_id=row.proposed_by_id,
    )


@transaction.atomic
def decline(*, instance: Instance, undoing: int, note: str, by: Person) -> Undoing:
    """Decline with a reason: the question stays excluded."""
    row = _locked(instance, undoing, by)
    if row.state == UndoingState.DECLINED and row.ended_by_id == by.pk:
        return row
    _check_other(row, by)
    note = checked_words(note, "reason")
    if not note:
        raise Refusal("Say why you decline: the person who proposed it will read it.")
    _end(row, "decline", by, note=note)
    recorded("undoing declined", instance, by)
    return row


@transaction.atomic
def withdraw(*, instance: Instance, undoing: int, by: Person) -> Undoing:
    """Withdraw one's own proposal, as long as nobody has agreed to it."""
    row = _locked(instance, undoing, by)
    if row.proposed_by_id != by.pk:
        raise NotAllowed("Another person proposed this: you can agree or decline.")
    if row.state != UndoingState.WITHDRAWN:
        _end(row, "withdraw", by)
        recorded("undoing withdrawn", instance, by)
    return row


def _excluded(instance: Instance, exclusion: int) -> Exclusion:
    """The exclusion with this id, locked; raises Conflict unless it is in force."""
    rows = Exclusion.objects.select_for_update().filter(pk=exclusion, instance=instance)
    row = rows.filter(seconded_by__isnull=False).first()
    if row is None:
        raise Conflict(GONE)
    return row


def _locked(instance: Instance, undoing: int, by: Person) -> Undoing:
    check_not_hidden(by, instance)
    row = Undoing.objects.select_for_update().filter(pk=undoing, instance=instance).first()
    if row is None:
        raise Conflict(ENDED)
    return row


def _check_other(row: Undoing, by: Person) -> None:
    if row.proposed_by_id == by.pk:
        raise NotAllowed("You proposed this yourself: another researcher or admin has to agree.")
    if row.state != UndoingState.PROPOSED:
        raise Conflict(ENDED)


def _end(row: Undoing, verb: str, by: Person, **fields: object) -> None:
    if not UNDOING.move(row, verb, ended_by=by, ended_at=Now(), **fields):
        raise Conflict(ENDED)
