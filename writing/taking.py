"""Who writes what: take a record, give it up, take it up again.

What is taken is held by a lease, which each save renews.
"""

from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Person
from datasets.records import hold
from leases import claim
from leases.clock import in_seconds
from leases.refusal import Conflict, NotAllowed, NotFoundHere
from leases.rows import first_of
from writing.models import Entry, Writing
from writing.states import ENTRY, IN_HAND, EntryState, WritingState
from writing.targets import Target, open_targets

# Longer than a weekend; what was sent back is held longer.
LEASE_SECONDS = 4 * 24 * 3600
SENT_BACK_SECONDS = 14 * 24 * 3600
MOST_IN_HAND = 10
CLOSED = "This form is closed: nobody takes a further record."


def holder_of(person: Person) -> str:
    return f"person:{person.pk}"


def take_next(writing: Writing, by: Person) -> Entry | None:
    """Begin the next entry, or open one that is not begun; None when nothing is left. Raises Conflict."""
    if writing.state != WritingState.OPEN:
        raise Conflict(CLOSED)
    held = writing.entries.filter(author=by, state=EntryState.DRAFT)
    if blank := held.filter(version=0).first():
        return blank
    if held.count() >= MOST_IN_HAND:
        raise Conflict(
            f"You have {MOST_IN_HAND} entries in progress, and nobody may have more at a time. Submit one or give one "
            "up first."
        )
    begun = (_begin(writing, target, by) for target in open_targets(writing, by))
    return next(filter(None, begun), None)


def _begin(writing: Writing, target: Target, by: Person) -> Entry | None:
    """The new entry; None where another person was faster."""
    row = Entry(
        writing=writing,
        record_id=target.record,
        target=target.key,
        combination=list(target.combination),
        author=by,
        lease_holder=holder_of(by),
        lease_until=in_seconds(LEASE_SECONDS),
    )
    row.values = writing.form.at_start(row.record.fields or {}, target.combination)
    try:
        with transaction.atomic():
            hold(target.record)
            row.save()
    except (IntegrityError, NotFoundHere):
        return None
    return row


def own_entry(key: int, by: Person) -> Entry:
    """The person's own entry. Raises NotFoundHere, also for another person's."""
    rows = Entry.objects.select_related("writing__collection", "writing__protocol", "record")
    own = rows.filter(pk=key, author=by)
    return first_of(own, "You have no such entry. The list of forms shows yours.")


def give_up(entry: Entry) -> None:
    """Let another person write it; what was entered is kept, and its author can take it up again."""
    ENTRY.require(entry, "give_up", **claim.FREE)


def take_up(entry: Entry, by: Person) -> None:
    """Go on with an entry that was given up, unless somebody else writes it now. Raises Conflict."""
    if entry.author_id != by.pk:
        raise NotAllowed("Another person wrote this.")
    if entry.writing.state != WritingState.OPEN:
        raise Conflict(CLOSED)
    lease: dict[str, Any] = {
        "lease_holder": holder_of(by),
        "lease_until": in_seconds(LEASE_SECONDS),
    }
    try:
        with transaction.atomic():
            ENTRY.require(entry, "take_up", **lease)
    except IntegrityError:
        raise Conflict("Another person writes this now. What you entered is kept.") from None


def sweep_entries() -> int:
    """Give up the entries whose lease has expired; returns how many."""
    return claim.sweep(Entry.objects.filter(state__in=IN_HAND), ENTRY, "expire")
