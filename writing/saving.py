"""What an author does with an entry: save it, hand it in, reject the record, carry it to the record's new version.

A save names the version that it was made from and is one conditional UPDATE, so that no save overwrites another unseen.
A save that says exactly what is stored is taken as done, whatever version it names: that is a repeated request.
"""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from accounts.models import Person
from annotation.fields.form_input import plain
from annotation.fields.walker import Missing, blank, standings
from datasets.models import Contradiction
from leases.claim import FREE
from leases.clock import in_seconds
from leases.refusal import Conflict, Refusal, StaleVersion
from writing.making import check_makes
from writing.models import Entry
from writing.notes import noted
from writing.states import ENTRY, IN_HAND, EntryState
from writing.taking import LEASE_SECONDS, SENT_BACK_SECONDS
from writing.targets import is_superseded, key_of

SUPERSEDED = (
    "The record has a newer version since you took it. What you entered is saved: carry it to the new version, check "
    "that it still fits, and submit it then."
)
WITHOUT_REASON = "Say why nothing can be written for this record: the person who checks reads it."


def entries_of(entry: Entry) -> dict[str, Any]:
    """The entries of all fields of the form."""
    return {name: entry.values.get(name, blank(field)) for name, field in entry.form.fields.items()}


def save(entry: Entry, *, by: Person, version: int, changes: Mapping[str, Any]) -> None:
    """Store `changes` over this version of the entry.

    Raises Conflict if it cannot be changed any more, StaleVersion if it was saved elsewhere since.
    """
    before = entries_of(entry)
    if entry.state in IN_HAND and all(before[name] == value for name, value in changes.items()):
        return
    seconds = SENT_BACK_SECONDS if entry.state == EntryState.SENT_BACK else LEASE_SECONDS
    rows = Entry.objects.filter(pk=entry.pk, author=by, version=version, state__in=IN_HAND)
    saved = rows.update(
        values={**before, **changes},
        version=version + 1,
        saved_at=Now(),
        lease_until=in_seconds(seconds),
    )
    entry.refresh_from_db()
    if not saved:
        raise _why_not_saved(entry, dict(changes))


def _why_not_saved(now: Entry, mine: dict[str, Any]) -> Refusal:
    if now.state not in IN_HAND:
        state = now.get_state_display().lower()
        return Conflict(f"This entry is {state}; it can no longer be changed.")
    theirs = entries_of(now)
    return StaleVersion(
        "This entry was saved elsewhere since you opened it here. Nothing was overwritten: compare the two and keep "
        "what you want.",
        details={
            "version": now.version,
            "saved_at": now.saved_at.isoformat(),
            "mine": mine,
            "theirs": theirs,
            "filled": [],
            "fields": [name for name, value in mine.items() if theirs[name] != value],
        },
    )


def missing_in(entry: Entry) -> list[Missing]:
    """What is required and not entered."""
    return [gap for at in standings(entry.form.steps, entries_of(entry)) for gap in at.missing]


def submit(entry: Entry, *, by: Person, version: int, changes: Mapping[str, Any]) -> list[Missing]:
    """Save, and hand in to be checked unless something is missing, which is returned.

    Raises as save does, and Refusal where the record cannot be made or has a newer version; the save stays then.
    """
    if entry.state == EntryState.WRITTEN and changes == entries_of(entry):
        return []  # the second click
    save(entry, by=by, version=version, changes=changes)
    if missing := missing_in(entry):
        return missing
    if is_superseded(entry):
        raise Conflict(SUPERSEDED)
    check_makes(entry)
    _hand_in(entry, "submit")
    return []


def reject(
    entry: Entry, *, by: Person, version: int, changes: Mapping[str, Any], reason: str
) -> None:
    """Save, and hand in that nothing can be written, with the reason."""
    if entry.state == EntryState.REJECTED and entry.reason == plain(reason):
        return
    save(entry, by=by, version=version, changes=changes)
    reason = noted(reason, "reason", WITHOUT_REASON)
    if is_superseded(entry):
        raise Conflict(SUPERSEDED)
    _hand_in(entry, "reject", reason)


def _hand_in(entry: Entry, verb: str, reason: str = "") -> None:
    this = Entry.objects.filter(pk=entry.pk, version=entry.version)
    if not ENTRY.move(this, verb, reason=reason, **FREE):
        entry.refresh_from_db()
        raise _why_not_saved(entry, entries_of(entry))
    entry.refresh_from_db()


@transaction.atomic
def carry(entry: Entry, *, by: Person) -> None:
    """Let the entry be about the record's newest version. What was entered stays. Raises Conflict."""
    now = Entry.objects.select_for_update(of=("self",)).get(pk=entry.pk, author=by)
    if now.state not in IN_HAND:
        raise _why_not_saved(now, entries_of(now))
    of_place = Contradiction.objects.filter(
        collection=now.record.collection_id, position=now.record.position
    )
    now.record = of_place.latest("version")
    now.target = key_of(now.writing, now.record, now.combination)
    try:
        with transaction.atomic():
            now.save(update_fields=["record", "target"])
    except IntegrityError:
        raise Conflict(
            "The new version is of another base, and somebody else writes this for it. What you entered is kept."
        ) from None
    entry.refresh_from_db()
