"""From whom it is hidden what others have written: from who may still write the same. Others see it by their role."""

from django.db.models import QuerySet

from accounts.models import Person
from accounts.roles import Role
from leases.refusal import NotAllowed
from leases.rows import first_of
from writing.models import Entry, Writing
from writing.overview import whole_entries
from writing.states import IN_HAND, TO_CHECK, EntryState, WritingState

# Of these another annotator may still write.
FREE_LATER = (*IN_HAND, EntryState.GIVEN_UP)
HIDDEN = (
    "You may still write for the same record. What another person entered for it is hidden from you until the form is "
    "closed."
)


def hidden_from(person: Person, entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Those of the entries that are for records for which the person may still write."""
    if not person.has_role(Role.ANNOTATOR):
        return entries.none()
    is_open = Writing.objects.filter(state=WritingState.OPEN).order_by().values("collection")
    rows = entries.filter(state__in=FREE_LATER, writing__collection__in=is_open)
    return rows.exclude(author=person).exclude(checker__isnull=False, checker=person)


def check_shown(person: Person, entries: QuerySet[Entry]) -> None:
    """Raise NotAllowed where any of these entries is hidden from the person."""
    if hidden_from(person, entries).exists():
        raise NotAllowed(HIDDEN)


def entry_to_read(key: int, person: Person) -> Entry:
    """An entry, to be read or checked. Raises NotFoundHere and NotAllowed."""
    row = first_of(whole_entries().filter(pk=key), "There is no such entry.")
    checks = row.state in TO_CHECK and person.has_role(Role.ANNOTATOR)
    is_of = person.pk in (row.author_id, row.checker_id)
    if not (checks or is_of or person.has_role(Role.ADMIN)):
        raise NotAllowed("An entry is read by its author, by admins, and by those who check it.")
    check_shown(person, Entry.objects.filter(pk=key))
    return row
