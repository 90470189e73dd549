"""A record of a protocol as its page shows it: each field with its title. Pure."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from datasets.declared.records import chosen_text, in_order, letters_of
from protocols.declaration import Declaration, DeclaredField, FieldType


class OptionShown(NamedTuple):
    """A text of a list: its letter where a field chooses one, and the titles of the fields that choose it."""

    letter: str
    text: str
    chosen_by: list[str]


class FieldShown(NamedTuple):
    """A field with its text, or with the texts of a list."""

    title: str
    text: str
    is_passage: bool
    options: list[OptionShown]


def shown_fields(declaration: Declaration, record: Mapping[str, Any]) -> list[FieldShown]:
    """The record's fields in their order. The title and the question, which the page has above, are among them."""
    fields = declaration.fields
    return [_shown(declaration, fields[name], record) for name in in_order(declaration, record)]


def _shown(declaration: Declaration, field: DeclaredField, record: Mapping[str, Any]) -> FieldShown:
    value = record[field.name]
    is_passage = field.type == FieldType.PASSAGE
    if field.type == FieldType.LIST:
        return FieldShown(field.title, "", is_passage, _options(declaration, field, record))
    text = f"{value}. {chosen_text(field, record)}" if field.type == FieldType.LETTER else value
    return FieldShown(field.title, text, is_passage, [])


def _options(
    declaration: Declaration, field: DeclaredField, record: Mapping[str, Any]
) -> list[OptionShown]:
    texts: list[str] = record[field.name]
    choosing = [letter for letter in declaration.fields.values() if letter.of == field.name]
    letters = letters_of(texts) if choosing else ""
    return [
        OptionShown(letter, text, [by.title for by in choosing if record[by.name] == letter])
        for letter, text in zip_longest(letters, texts, fillvalue="")
    ]
