"""Where a record of a protocol is not as its fields declare it, though it can be stored. Pure."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from datasets.declared.records import chosen_text, in_order
from datasets.deviations import Deviation, DeviationKind, folded
from protocols.declaration import Declaration, DeclaredField, FieldType


def declared_deviations(declaration: Declaration, record: Mapping[str, Any]) -> list[Deviation]:
    """All deviations of one record, in the order of its fields."""
    fields = declaration.fields
    return [
        *(
            found
            for name in in_order(declaration, record)
            for found in _of_field(fields[name], record)
        ),
        *_same_letters(declaration, record),
    ]


def _of_field(field: DeclaredField, record: Mapping[str, Any]) -> Iterator[Deviation]:
    value = record[field.name]
    if field.type == FieldType.PASSAGE and not value.strip():
        yield Deviation(DeviationKind.EMPTY_PASSAGE, field.name, field.title)
    if field.values and value not in field.values:
        yield Deviation(DeviationKind.UNKNOWN_VALUE, field.name, value or "empty")
    if field.type == FieldType.LIST:
        twice = {text for text in value if value.count(text) > 1}
        yield from (
            Deviation(DeviationKind.EQUAL_OPTIONS, field.name, text) for text in sorted(twice)
        )
        yield from (
            Deviation(DeviationKind.EMPTY_OPTION, field.name, f"number {place}")
            for place, text in enumerate(value, 1)
            if not text.strip()
        )
    if field.one_of in record and value not in record[field.one_of]:
        kind = DeviationKind.NOT_LISTED if record[field.one_of] else DeviationKind.EMPTY_LIST
        yield Deviation(kind, field.name if record[field.one_of] else field.one_of, value)
    if field.says and folded(chosen_text(field, record)) != folded(record[field.says]):
        detail = f"{value}, {chosen_text(field, record)}, and not {record[field.says]}"
        yield Deviation(DeviationKind.UNEQUAL_OPTION, field.name, detail)


def _same_letters(declaration: Declaration, record: Mapping[str, Any]) -> Iterator[Deviation]:
    letters = [field for field in declaration.fields.values() if field.type == FieldType.LETTER]
    for first, second in combinations(letters, 2):
        if first.of == second.of and record[first.name] == record[second.name]:
            detail = f"{first.title} and {second.title}: {record[first.name]}"
            yield Deviation(DeviationKind.EQUAL_LETTERS, first.name, detail)
