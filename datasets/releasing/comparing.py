"""What changed between two releases of a collection, record by record."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import Contradiction, Release
from datasets.records import record_of
from datasets.schema import ANNOTATION
from pages.worddiff import Piece, word_diff

ADDED, GONE, CHANGED = "added", "gone", "changed"


@dataclass(frozen=True)
class Change:
    """A record that two releases have otherwise; `before` is None where it is added, `after` where it is gone."""

    kind: str
    position: int
    before: int | None
    after: int | None


@dataclass(frozen=True)
class FieldChange:
    field: str
    pieces: list[Piece]


def changes(old: Release, new: Release) -> list[Change]:
    """In the order of the records; a new version keeps its position."""
    before, after = _by_position(old), _by_position(new)
    return [
        Change(_kind(before.get(n), after.get(n)), n, before.get(n), after.get(n))
        for n in sorted(before.keys() | after.keys())
        if before.get(n) != after.get(n)
    ]


def _by_position(release: Release) -> dict[int, int]:
    rows = release.rows.order_by().values_list("contradiction__position", "contradiction_id")
    return dict(rows)


def _kind(before: int | None, after: int | None) -> str:
    if before is None:
        return ADDED
    return GONE if after is None else CHANGED


def shown_changes(found: list[Change], person: Person) -> list[Change]:
    """Those whose records are not hidden from the person."""
    keys = {key for change in found for key in (change.before, change.after) if key}
    rows = shown_to(person, Contradiction.objects.filter(pk__in=keys))
    shown = set(rows.order_by().values_list("pk", flat=True))
    return [change for change in found if {change.before, change.after} - {None} <= shown]


def left_out_since(old: Release, new: Release) -> tuple[set[int], set[int]]:
    """(questions that only the new release leaves out, questions that only the old one does), by their keys."""
    before, after = (
        set(release.left_out.values_list("instance_id", flat=True)) for release in (old, new)
    )
    return after - before, before - after


def field_changes(before: Contradiction, after: Contradiction) -> list[FieldChange]:
    """The fields that differ, with their words compared, in the order of the record."""
    old, new = dict(_flat(record_of(before))), dict(_flat(record_of(after)))
    return [
        FieldChange(name, word_diff(old.get(name, ""), new.get(name, "")))
        for name in {**old, **new}
        if old.get(name, "") != new.get(name, "")
    ]


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in record.items():
        if name == ANNOTATION and isinstance(value, Mapping):
            yield from _flat(value)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield name, "" if value is None else text
