"""An example record of a protocol, and what the rooms above show of its parts on it. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from leases.extension import ExtensionPoint
from protocols.declaration import Declaration, DeclaredField, FieldType

Record = Mapping[str, Any]
# As many texts as a list has where no place, as "{options.4}", and no letter needs more.
FEWEST_TEXTS = 2
_ELEMENT = r"\{%s\.([1-9][0-9]?)\}"


@dataclass(frozen=True)
class ShownBlock:
    """Something of a part of a protocol on a record: a text, facts as (name, words), or an empty table.

    `head` has the rows of the table's head, each cell with the columns that it is over; `rows` those below.
    """

    heading: str
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    head: Sequence[Sequence[tuple[str, int]]] = ()
    rows: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class ExampleRecord:
    """A record of a protocol, and in words where it is from."""

    record: Record
    source: str


# By (part, name) what a room shows of an entry on a record.
part_blocks: ExtensionPoint[[Declaration, Record], Mapping[tuple[str, str], list[ShownBlock]]] = (
    ExtensionPoint("protocols.example_record.part_blocks")
)


def blocks_on(declaration: Declaration, record: Record) -> dict[tuple[str, str], list[ShownBlock]]:
    """What all rooms show of the parts on this record."""
    found: dict[tuple[str, str], list[ShownBlock]] = {}
    for of_room in part_blocks(declaration, record):
        for key, blocks in of_room.items():
            found.setdefault(key, []).extend(blocks)
    return found


def invented(declaration: Declaration) -> ExampleRecord:
    """A record made from the declared fields."""
    record: dict[str, Any] = {}
    # Letters and texts that repeat a text of a list come after it.
    by_need = sorted(declaration.fields.values(), key=lambda of: (of.type != FieldType.LIST, of.of))
    for field in by_need:
        record[field.name] = _value(declaration, field, record)
    for field in declaration.fields.values():
        if field.says:
            record[field.says] = record[field.of][ascii_uppercase.index(record[field.name])]
    return ExampleRecord({name: record[name] for name in declaration.fields}, "an invented record")


def _value(declaration: Declaration, field: DeclaredField, record: Record) -> str | list[str]:
    if field.type == FieldType.LIST:
        return [f"{field.title} {n}" for n in range(1, _length(declaration, field) + 1)]
    if field.type == FieldType.LETTER:
        texts = record[field.of]
        letters = [of.name for of in declaration.fields.values() if of.of == field.of]
        return ascii_uppercase[letters.index(field.name) % len(texts)]
    if field.values:
        return field.values[0]
    if field.one_of:
        return str(record[field.one_of][0])
    return f"Text of {field.title.lower()}." if field.is_text else ""


def _length(declaration: Declaration, field: DeclaredField) -> int:
    """As many texts as the list reads with, and as the places of the file and its letters need."""
    element = re.compile(_ELEMENT % re.escape(field.name))
    needed = [int(n) for text in _texts(declaration) for n in element.findall(text)]
    letters = [of for of in declaration.fields.values() if of.of == field.name]
    wanted = max([FEWEST_TEXTS, len(letters), *needed])
    lengths = sorted(field.reads or ())
    return next((n for n in lengths if n >= wanted), lengths[-1] if lengths else wanted)


def _texts(declaration: Declaration) -> Iterator[str]:
    for entries in declaration.parts.values():
        for entry in entries:
            yield from (value for value in entry.values.values() if isinstance(value, str))
