"""The lists of forms and entries: a person's own, and an admin's with counts and what each base lacks."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import Collection
from pages.counting import counted_to
from writing.models import Entry, Writing
from writing.states import IN_HAND, LIVE, TO_CHECK, EntryState, WritingState
from writing.targets import MOST_COUNTED, Combination, bases_of, open_targets, records_of

MOST_LISTED = 200
OF_WRITING = ("collection", "protocol", "subset")
# What of a writing an admin sees in numbers: the title, the states of the entries.
COUNTS = {
    "in_hand": Q(entries__state__in=IN_HAND),
    "waiting": Q(entries__state__in=TO_CHECK),
    "checked": Q(entries__state=EntryState.CHECKED, entries__reason=""),
    "rejected": Q(entries__state=EntryState.CHECKED) & ~Q(entries__reason=""),
}


@dataclass(frozen=True)
class FreeWriting:
    """An open form with the number of entries that the person may still take, or that there are more than counted."""

    writing: Writing
    left: int
    is_more: bool

    def __str__(self) -> str:
        return counted_to(self.left, self.is_more)


class BaseLine(NamedTuple):
    """A base in the table of combinations: whether each is there, and how many are, of how many."""

    title: str
    record: int
    there: list[bool]
    done: int
    total: int


def with_counts() -> QuerySet[Writing]:
    counts = {name: Count("entries", filter=condition) for name, condition in COUNTS.items()}
    rows = Writing.objects.select_related(*OF_WRITING, "opened_by").annotate(**counts)
    return rows.order_by("-pk")


def whole_entries() -> QuerySet[Entry]:
    """Entries with what their pages show of them."""
    related = ("record", "author", "checker", "writing__collection", "writing__subset")
    # Each protocol is read once, and not for each entry: its file is long.
    return Entry.objects.select_related(*related).prefetch_related("writing__protocol")


def desk_of(person: Person) -> dict[str, Any]:
    """What an annotator has to do: sent back, in progress, to check, free, given up; and how many are handed in."""
    listed = whole_entries().defer("record__fields")
    own = listed.filter(author=person)
    writings = Writing.objects.filter(state=WritingState.OPEN).select_related(*OF_WRITING)
    return {
        "sent_back": own.filter(state=EntryState.SENT_BACK),
        "drafts": own.filter(state=EntryState.DRAFT),
        "given_up": own.filter(state=EntryState.GIVEN_UP, version__gt=0)[:MOST_LISTED],
        "to_check": to_check(person, listed)[:MOST_LISTED],
        "free": [_free(row, person) for row in writings],
        "handed_in": own.filter(state__in=LIVE).exclude(state__in=IN_HAND).count(),
    }


def to_check(person: Person, entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """Those of the entries that the person may check, the longest waiting first."""
    waiting = entries.filter(state__in=TO_CHECK).exclude(author=person)
    return shown_to(person, waiting, "record__").order_by("saved_at", "pk")


def _free(writing: Writing, person: Person) -> FreeWriting:
    left = len(list(open_targets(writing, person)))
    return FreeWriting(writing, min(left, MOST_COUNTED), left > MOST_COUNTED)


def base_lines(writing: Writing) -> tuple[list[Combination], list[BaseLine]]:
    """The combinations of a form with `complete`, and for each base which of them there are."""
    combinations = writing.form.combinations(writing.protocol.declaration)
    lines = []
    for base in bases_of(writing, records_of(writing)):
        there = [combination in base.there for combination in combinations]
        lines.append(BaseLine(base.name, base.record, there, sum(there), len(there)))
    return combinations, lines


def openable(collection: Collection) -> dict[str, str]:
    """The forms that its protocol declares, by name."""
    forms = collection.declaration.entries("form") if collection.is_declared else ()
    return {entry.name: entry.values["title"] for entry in forms}
