"""A record of a protocol, as its fields declare it. Pure."""

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any

from datasets.schema import (
    MOST_KEYS,
    VALID,
    Parsed,
    Problem,
    RecordRefused,
    Slot,
    kind_of,
    text_problems,
    too_many,
)
from protocols.declaration import Declaration, DeclaredField, FieldType

LONGEST_TITLE = 300  # characters of the title that lists show; the record keeps all of it


def parse_declared(declaration: Declaration, record: object) -> Parsed:
    """A decoded JSON record with what lists show of it. Raises RecordRefused with all problems."""
    if not isinstance(record, dict):
        raise RecordRefused([Problem("", f"is {kind_of(record)}, not an object with keys")])
    if problems := _problems(declaration, record):
        raise RecordRefused(problems)
    item = declaration.item
    columns = {"title": record[item.title][:LONGEST_TITLE], "validity": VALID}
    question = Slot(1, record[item.question], None, None)
    return Parsed(record, columns, (question,), (), fields=record)


def in_order(declaration: Declaration, record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with its keys in the declared order, which no database keeps."""
    return {name: record[name] for name in declaration.fields if name in record}


def letters_of(texts: list[str]) -> str:
    """The letters of a list's texts: A for the first. Texts after Z have none."""
    return ascii_uppercase[: len(texts)]


def chosen_text(field: DeclaredField, record: Mapping[str, Any]) -> str:
    """The text of the list to which a letter of the record points."""
    texts: list[str] = record[field.of]
    return texts[letters_of(texts).index(record[field.name])]


def _problems(declaration: Declaration, record: Mapping[str, Any]) -> list[Problem]:
    if len(record) > MOST_KEYS:
        return [too_many("", record)]
    fields = declaration.fields
    problems = [
        Problem(name, "is missing")
        for name, field in fields.items()
        if name not in record and not field.optional
    ]
    for name, value in record.items():
        if name in fields:
            problems += _value_problems(fields[name], value, record)
        else:
            problems.append(Problem(name, f"is not a key of {declaration.name}"))
    question = declaration.item.question
    if isinstance(record.get(question), str) and not record[question].strip():
        problems.append(Problem(question, "is empty, and is what lists show as the question"))
    return problems


def _value_problems(
    field: DeclaredField, value: object, record: Mapping[str, Any]
) -> list[Problem]:
    if field.type == FieldType.LIST:
        return _list_problems(field.name, value)
    if problems := text_problems(field.name, value):
        return problems
    texts = record.get(field.of)
    if field.type == FieldType.LETTER and isinstance(texts, list):
        letters = letters_of(texts)
        if not (value and value in tuple(letters)):
            among = f"from A to {letters[-1]}" if letters else "and it has no text"
            return [Problem(field.name, f'is "{str(value)[:40]}", no letter of {field.of} {among}')]
    return []


def _list_problems(name: str, value: object) -> list[Problem]:
    if not isinstance(value, list):
        return [Problem(name, f"is {kind_of(value)}, not a list")]
    if len(value) > MOST_KEYS:
        return [too_many(name, value)]
    return [
        problem
        for place, text in enumerate(value, 1)
        for problem in text_problems(f"{name}.{place}", text)
    ]
