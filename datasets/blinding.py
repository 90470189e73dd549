"""Which records are hidden from a person, because they may still annotate the same tags themselves, or judge texts of
them blind.

Lists leave the hidden records out, and say how many. What shows one record, or all, asks first or is refused: an export
or a release is never filtered. Rooms above know who annotates and judges what, and answer (annotation/blinding/,
judging/blinding.py).
"""

from collections.abc import Iterable
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

from accounts.models import Person
from datasets.models import Collection, Contradiction
from datasets.records import current
from leases.extension import ExtensionPoint
from leases.refusal import Refusal

Row = TypeVar("Row", bound=Model)

# The condition on rows that they show a hidden record; the text is the path from the row to its contradiction, ending
# in "__", and empty for contradictions. None: nothing is hidden from the person.
hides_records: ExtensionPoint[[Person, str], Q | None] = ExtensionPoint(
    "datasets.blinding.hides_records"
)
# Why these records are not shown to the person before they agree, or not at all; None if they are shown.
records_problem: ExtensionPoint[[Person, QuerySet[Contradiction]], Refusal | None] = ExtensionPoint(
    "datasets.blinding.records_problem"
)
# Notes that the person was shown these records at an address: they may be given tags of them later.
records_shown: ExtensionPoint[[Person, QuerySet[Contradiction], str], None] = ExtensionPoint(
    "datasets.blinding.records_shown"
)
# The same for a few records by their keys, such as those of one page.
listed_records_shown: ExtensionPoint[[Person, set[int], str], None] = ExtensionPoint(
    "datasets.blinding.listed_records_shown"
)


def shown_to(person: Person | None, rows: QuerySet[Row], path: str = "") -> QuerySet[Row]:
    """The rows without those that show a hidden record; all of them for None, as in a command."""
    for condition in hides_records(person, path) if person else []:
        if condition is not None:
            rows = rows.exclude(condition)
    return rows


def hidden_in(person: Person, collection: Collection) -> int:
    """How many of the newest records are hidden, whatever a list is filtered by: a search must find none of them."""
    conditions = [condition for condition in hides_records(person, "") if condition is not None]
    if not conditions:
        return 0
    either = Q()
    for condition in conditions:
        either |= condition
    return current(collection).filter(either).count()


def check_shown(person: Person, rows: QuerySet[Contradiction], own: str = "") -> None:
    """Raise what hides any of these records from the person: mostly a question (AsksFirst).

    `own` is the room on whose own pages they are, which decides itself what of them it shows.
    """
    for room, problem_of in records_problem.providers.items():
        if room != own and (problem := problem_of(person, rows)) is not None:
            raise problem


def keep_shown(person: Person, rows: QuerySet[Contradiction], opened: str) -> None:
    """Record that the person is shown what was entered for these records, at the address `opened`."""
    records_shown(person, rows, opened)


def keep_listed(person: Person, keys: Iterable[int], opened: str) -> None:
    """The same for records by their keys, such as those of one page."""
    if shown := {*keys}:
        listed_records_shown(person, shown, opened)


def show(person: Person, rows: QuerySet[Contradiction], opened: str, own: str = "") -> None:
    """check_shown, then keep_shown: for pages and files with what was entered for all of them."""
    check_shown(person, rows, own)
    keep_shown(person, rows, opened)


def check_collection(person: Person, collection: Collection) -> None:
    """As check_shown, for what counts or holds all newest records."""
    check_shown(person, current(collection))
