"""Which keys a table of a protocol may have, and what is wrong with one that was read. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from protocols.declaration import DeclarationProblem, Entry

NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
LONGEST_NAME = 60


@dataclass(frozen=True)
class Key:
    """A key of a table: the `kind` of its value, and whether it has to be there.

    A text has 1 to `longest` characters, is one of `values`, or fits NAME; in a list of texts, each does. A list
    is not empty, and holds texts or tables (`of`). `about` is what the reference says of it.
    """

    kind: type[str] | type[int] | type[bool] | type[list[Any]] | type[dict[str, Any]]
    is_required: bool = False
    values: Sequence[str] = ()
    longest: int = 300
    of: type[str] | type[dict[str, Any]] = str
    is_name: bool = False
    about: str = ""


TEXT, TEXTS, TABLE = Key(str), Key(list), Key(dict)
NAMED = {
    "name": Key(
        str,
        is_required=True,
        longest=LONGEST_NAME,
        is_name=True,
        about="The name by which other tables of the file name it.",
    )
}
_KINDS = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table",
}


def entry_problems(entry: Entry, keys: Mapping[str, Key]) -> list[DeclarationProblem]:
    """Unknown and missing keys, and values of the wrong kind. Further rules can rely on the rest."""
    problems = [
        entry.problem(f"this is no key of [{entry.part}]. There are {', '.join(keys)}.", name)
        for name in entry.values
        if name not in keys
    ]
    for name, key in keys.items():
        if name not in entry.values:
            if key.is_required:
                problems.append(entry.problem(f"{name} is missing."))
        elif problem := value_problem(entry.values[name], key):
            problems.append(entry.problem(problem, name))
    return problems


def broken(entry: Entry, *rules: tuple[object, str, str]) -> list[DeclarationProblem]:
    """Further rules: (whether it is broken, the message, the key)."""
    return [entry.problem(message, key) for is_broken, message, key in rules if is_broken]


def value_problem(value: object, key: Key) -> str:
    """Why this is no value of the key; "" where it is one."""
    if not isinstance(value, key.kind) or (key.kind is int and isinstance(value, bool)):
        return f"this is not {'a list of tables' if key.of is dict else _KINDS[key.kind]}."
    if isinstance(value, str):
        return _text_problem(value, key)
    if isinstance(value, list) and not value:
        return "the list is empty. Leave the key out, or name something."
    if isinstance(value, list):
        of_element = replace(key, kind=key.of)
        problem = next(filter(None, (value_problem(text, of_element) for text in value)), "")
        is_twice = not problem and key.of is str and len(set(value)) < len(value)
        return "one text is there twice." if is_twice else problem
    return ""


def _text_problem(text: str, key: Key) -> str:
    if key.values and text not in key.values:
        return f"{text[:80]!r} is none of {', '.join(key.values)}."
    if key.is_name and not (NAME.fullmatch(text) and len(text) <= key.longest):
        return (
            f"{text[:80]!r} cannot be a name. Use at most {key.longest} small letters, digits, hyphens and "
            "underscores, beginning with a letter."
        )
    if not text.strip():
        return "the text is empty."
    if "\0" in text:
        return "the text has a NUL character. Remove it."
    if len(text) > key.longest:
        return f"the text has {len(text)} characters; at most {key.longest} are allowed."
    return ""


def texts_problem(value: Mapping[str, Any], longest: int = 60) -> str:
    """Why this is no table of texts; "" where it is one."""
    problems = (value_problem(text, Key(str, longest=longest)) for text in value.values())
    return next(filter(None, problems), "")


def repeated_names(entries: Sequence[Entry]) -> list[DeclarationProblem]:
    """A problem for each entry whose name an earlier one has."""
    first: dict[str, int] = {}
    problems = []
    for entry in entries:
        number = first.setdefault(entry.name, entry.number)
        if entry.name and number != entry.number:
            problems.append(
                entry.problem(f"number {number} has this name already. Choose another.", "name")
            )
    return problems
