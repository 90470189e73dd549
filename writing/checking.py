"""One person checks what another has written: it takes effect, or goes back with a note."""

from django.db import transaction
from django.db.models.functions import Now

from accounts.models import Person
from leases.clock import in_seconds
from leases.refusal import Conflict, NotAllowed
from writing.making import make
from writing.models import Entry
from writing.notes import noted
from writing.states import ENTRY, TO_CHECK, EntryState
from writing.taking import SENT_BACK_SECONDS, holder_of
from writing.targets import is_superseded

OWN = "You wrote this yourself: another annotator has to check it."
WITHOUT_NOTE = "Say what is to be changed, so that the author can do it."
CHANGED = "This entry has changed since you opened it. Read it again below, then decide."
SUPERSEDED = (
    "The record has a newer version since this was written. Send the entry back, so that its author can carry it to "
    "the new version."
)


@transaction.atomic
def check(entry: Entry, *, by: Person, version: int) -> Entry:
    """Let the entry take effect: it makes its record. A rejection makes none.

    Raises Conflict if the entry or the record has changed since, Refusal if the record cannot be stored.
    """
    now = _locked(entry, by)
    if now.state == EntryState.CHECKED and now.checker_id == by.pk:
        return now  # the second click
    _check_unchanged(now, version)
    if is_superseded(now):
        raise Conflict(SUPERSEDED)
    ENTRY.require(now, "check", checker=by, decided_at=Now())
    now.made = make(now)
    now.save(update_fields=["made"])
    return now


@transaction.atomic
def send_back(entry: Entry, *, by: Person, version: int, note: str) -> Entry:
    """Give the entry back to its author, with a note that says what to change."""
    note = noted(note, "note", WITHOUT_NOTE)
    now = _locked(entry, by)
    if now.state == EntryState.SENT_BACK and now.checker_id == by.pk and now.note == note:
        return now
    _check_unchanged(now, version)
    ENTRY.require(
        now,
        "send_back",
        checker=by,
        decided_at=Now(),
        note=note,
        lease_holder=holder_of(now.author),
        lease_until=in_seconds(SENT_BACK_SECONDS),
    )
    return now


def _locked(entry: Entry, by: Person) -> Entry:
    if entry.author_id == by.pk:
        raise NotAllowed(OWN)
    return Entry.objects.select_for_update(of=("self",)).get(pk=entry.pk)


def _check_unchanged(now: Entry, version: int) -> None:
    if now.version != version and now.state in TO_CHECK:
        raise Conflict(CHANGED)
