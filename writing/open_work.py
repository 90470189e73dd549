"""The entries that people write, and those that nobody is left to check."""

from collections.abc import Iterable, Iterator
from functools import partial

from django.db import transaction
from django.db.models import Count, Max, Q
from django.urls import reverse

from accounts.audit import AuditKind, record
from accounts.leaving.open_work import OpenWork, People, only_own
from accounts.models import Person
from accounts.roles import Role
from leases import claim
from pages.counting import how_many
from writing.models import Entry, Writing
from writing.overview import OF_WRITING
from writing.states import ENTRY, IN_HAND, TO_CHECK, EntryState

ENTRIES = ("entry", "entries")
WRITES = (Role.ANNOTATOR,)


def entries_held(people: People, by: Person | None) -> Iterator[OpenWork]:
    held = Entry.objects.filter(state__in=IN_HAND, author__in=people(Role.ANNOTATOR)).order_by()
    counts = {
        "n": Count("pk"),
        "back": Count("pk", filter=Q(state=EntryState.SENT_BACK)),
        "until": Max("lease_until"),
    }
    rows = list(held.values_list("writing", "author").annotate(**counts))
    writings = _writings(key for key, *_ in rows)
    for key, author, n, sent_back, leased_until in rows:
        writing = writings[key]
        back = f", {sent_back} of them sent back to be changed" if sent_back else ""
        until = f" until {leased_until:%-d %B %Y}, then others can write it" if leased_until else ""
        yield OpenWork(
            key=f"entries-{writing.pk}-{author}",
            roles=WRITES,
            what=f"{how_many(n, *ENTRIES)} in progress{back}",
            where=str(writing),
            url=reverse("writing:writing", args=[writing.pk]),
            becomes=f"it stays with them{until}",
            holder=author,
            returns="what was written stays with its author",
            settle=partial(give_up_all, writing, author),
        )


@transaction.atomic
def give_up_all(writing: Writing, author: int, to: Person | None, by: Person | None) -> str:
    """Let others write what this person, a key, has in progress; it cannot be given to one of them."""
    n = ENTRY.move(writing.entries.filter(author=author), "give_up", **claim.FREE)
    said = f"{writing}: {how_many(n, *ENTRIES)} free for others"
    if n:
        record(AuditKind.WORK, by, said, person=Person.objects.get(pk=author))
    return f"{said}."


def checks_for_nobody(by: Person | None, without: int) -> Iterator[OpenWork]:
    """Entries that wait for a check, where no annotator but their author is left."""
    waiting = Entry.objects.filter(only_own("author", without, *WRITES), state__in=TO_CHECK)
    counts = dict(waiting.order_by().values_list("writing").annotate(n=Count("pk")))
    for key, writing in _writings(counts).items():
        yield OpenWork(
            key=f"checks-{key}",
            roles=WRITES,
            what=f"{how_many(counts[key], *ENTRIES)} that no other annotator is left to check",
            where=str(writing),
            url=reverse("writing:writing", args=[key]),
            becomes="it waits until there is another annotator",
        )


def _writings(keys: Iterable[int]) -> dict[int, Writing]:
    return Writing.objects.select_related(*OF_WRITING).in_bulk(set(keys))
