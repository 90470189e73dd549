"""What can still be written by an open form: its records, or the combinations that a base lacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from django.db.models import Q, QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.identity import canonical
from datasets.models import Contradiction
from datasets.records import current
from writing.declared.language import RECORD
from writing.models import Entry, Writing
from writing.states import LIVE

Combination = tuple[str, ...]
# What is left for a person is counted up to this.
MOST_COUNTED = 200


@dataclass(frozen=True)
class Target:
    """What one entry is about: the record that is shown, and the combination of the one to be made."""

    key: str
    record: int
    combination: Combination = ()


@dataclass
class Base:
    """The records of one base: that which is shown, its title, and the combinations that there are."""

    name: str
    record: int
    title: str
    there: set[Combination] = field(default_factory=set)


def key_of(writing: Writing, record: Contradiction, combination: Sequence[str]) -> str:
    """What two entries have in common that must not both be written."""
    if not writing.form.complete:
        return _key_of_place(record.position)
    base = (record.fields or {})[writing.form.base]
    return _key_of_base(base, combination)


def _key_of_place(position: int) -> str:
    return f"record {position}"


def _key_of_base(base: str, combination: Sequence[str]) -> str:
    return sha256(canonical({"base": base, "combination": list(combination)})).hexdigest()


def records_of(writing: Writing) -> QuerySet[Contradiction]:
    """The newest records that the form is for, without those whose question is excluded."""
    rows = current(writing.collection).exclude(instances__exclusion__excluded_by__isnull=False)
    if writing.subset:
        drawn = writing.subset.instances.order_by().values("contradiction__position")
        rows = rows.filter(position__in=drawn)
    return rows


def open_targets(writing: Writing, person: Person) -> Iterator[Target]:
    """What this person may still take, in the order of the records.

    Left out is what somebody writes or has written, the records that the form has made, what the person gave up or
    checked, and what is hidden from them. At most one more than MOST_COUNTED: a page must not cost more for a larger
    collection.
    """
    mine = Q(author=person) | Q(checker=person)
    entries = writing.entries.filter(Q(state__in=LIVE) | mine).order_by()
    rows = shown_to(person, records_of(writing))
    if writing.form.complete:
        taken = set(entries.values_list("target", flat=True))
        lacking = (target for target in _lacking(writing, rows) if target.key not in taken)
        return islice(lacking, MOST_COUNTED + 1)
    free = rows.exclude(position__in=entries.values("record__position"))
    if writing.form.makes == RECORD:
        of_form = Entry.objects.filter(
            writing__collection=writing.collection_id, writing__form_name=writing.form_name
        )
        made = of_form.filter(made__isnull=False).order_by().values("made__position")
        free = free.exclude(position__in=made)
    keys = free.values_list("pk", "position")[: MOST_COUNTED + 1]
    return (Target(_key_of_place(position), pk) for pk, position in keys)


def _lacking(writing: Writing, rows: QuerySet[Contradiction]) -> Iterator[Target]:
    combinations = writing.form.combinations(writing.protocol.declaration)
    for base in bases_of(writing, rows):
        for combination in combinations:
            if combination not in base.there:
                yield Target(_key_of_base(base.name, combination), base.record, combination)


def bases_of(writing: Writing, rows: QuerySet[Contradiction]) -> list[Base]:
    """The bases of these records, each shown by its first one, with the combinations in the whole collection."""
    parts = _parts(writing)
    bases: dict[str, Base] = {}
    for pk, title, name, *_ in rows.annotate(**parts).values_list("pk", "title", *parts):
        bases.setdefault(name, Base(name, pk, title))
    there = current(writing.collection).annotate(**parts).values_list(*parts)
    for name, *combination in there:
        if name in bases:
            bases[name].there.add(tuple(combination))
    return list(bases.values())


def _parts(writing: Writing) -> dict[str, Cast]:
    """The base and the slices of `complete` of a record, as columns of their texts."""
    names = (writing.form.base, *writing.form.complete)
    # As a text: what is compared with a key of JSON would be read as JSON.
    return {
        f"part_{n}": Cast(KeyTextTransform(name, "fields"), TextField())
        for n, name in enumerate(names)
    }


def is_there(entry: Entry) -> bool:
    """Whether the base has a record of the combination that the entry is to make."""
    parts = _parts(entry.writing)
    values = ((entry.record.fields or {})[entry.form.base], *entry.combination)
    rows = current(entry.record.collection).annotate(**parts)
    return rows.filter(**dict(zip(parts, values, strict=True))).exists()


def is_superseded(entry: Entry) -> bool:
    """Whether the record has a newer version than the one that was shown, other than that which the entry made."""
    newer = Contradiction.objects.filter(supersedes=entry.record_id)
    return newer.exclude(pk=entry.made_id).exists() if entry.made_id else newer.exists()
