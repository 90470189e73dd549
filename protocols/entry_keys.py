"""Which keys a table of a protocol may have, and what is wrong with one that was read. Pure."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
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
_KINDS: Mapping[object, str] = {
    str: "a text",
    int: "a whole number",
    bool: "true or false",
    list: "a list of texts",
    dict: "a table",
}


def entry_problems(entry: Entry, keys: Mapping[str, Key]) -> list[DeclarationProblem]:
    """Unknown and missing keys, and values of the wrong kind. Further rules can rely on the rest."""
    problems = [
        entry.problem(
            f"this is no key of [{entry.part}]. There are {', '.join(keys)}.{did_you_mean(name, keys)}",
            name,
        )
        for name in entry.values
        if name not in keys
    ]
    for name, key in keys.items():
        if name not in entry.values:
            problem = f"{name} is missing." if key.is_required else ""
        else:
            problem = value_problem(entry.values[name], key)
        if problem:
            found = entry.problem(problem, name if name in entry.values else "")
            problems.append(replace(found, hint=f"{name} is {allowed(key)}. {key.about}".strip()))
    return problems


def right_values(entry: Entry, keys: Mapping[str, Key]) -> dict[str, Any]:
    """Those in which nothing is wrong by themselves."""
    return {
        name: value
        for name, value in entry.values.items()
        if name in keys and not value_problem(value, keys[name])
    }


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that names the known word that is most like another one; "" where none is."""
    alike = difflib.get_close_matches(word, known, n=1)
    return f" Did you mean {alike[0]}?" if alike else ""


def allowed(key: Key) -> str:
    """What its value may be, as in "a text of at most 300 characters"."""
    kind = key.of if key.kind is list else key.kind
    if key.is_name:
        one = f"a name of at most {key.longest} characters"
    elif key.values:
        one = f"one of {', '.join(key.values)}"
    else:
        one = f"a text of at most {key.longest:,} characters" if kind is str else _KINDS[kind]
    if key.kind is not list:
        return one
    return "a list of tables" if kind is dict else f"a list, each {one}"


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
