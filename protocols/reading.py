"""Read a protocol's TOML file, with a sentence for everything that is wrong with it. Pure."""

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from protocols.declaration import (
    AXES,
    PARTS,
    Declaration,
    DeclarationProblem,
    DeclaredField,
    Entry,
    FieldType,
    FileShape,
    ItemFields,
    ProtocolError,
    Shape,
)
from protocols.entry_keys import (
    FLAG,
    NAMED,
    NUMBER,
    REQUIRED_TEXT,
    TABLE,
    TEXT,
    TEXTS,
    Key,
    entry_problems,
    repeated_names,
)
from protocols.toml_lines import TableLines, lines_of

# More than a study with a hundred prompts, each as long as a page.
LARGEST = 1_000_000  # bytes
LARGEST_VERSION = 10_000
MOST_INDENT = 8
LONGEST_LABEL = 60
# What a place or an axis of a table means besides a field.
RESERVED = ("reply", *AXES)
PROTOCOL_KEYS = {
    "name": Key(str, is_required=True, longest=24),
    "version": Key(int, is_required=True),
    "title": Key(str, is_required=True, longest=120),
    "source": REQUIRED_TEXT,
    "licence": REQUIRED_TEXT,
    "notes": TEXTS,
}
FILE_KEYS = {
    "shape": Key(str, is_required=True, values=tuple(Shape)),
    "list": TEXT,
    "keep": TEXTS,
    "indent": NUMBER,
    "ascii": FLAG,
}
ITEM_KEYS = dict.fromkeys(("title", "question", "cluster"), REQUIRED_TEXT)
FIELD_KEYS = {
    **NAMED,
    "type": Key(str, values=tuple(FieldType)),
    "label": Key(str, longest=LONGEST_LABEL),
    "slice": FLAG,
    "values": TEXTS,
    "of": TEXT,
    "says": TEXT,
    "reads": TABLE,
}
TABLES = {"protocol": PROTOCOL_KEYS, "file": FILE_KEYS, "item": ITEM_KEYS}
# The texts between which a list's own are put, as "{1}".
PLACE_IN_LIST = re.compile(r"\{([1-9][0-9]?)\}")


def read_protocol(
    data: bytes, checks: Callable[[Declaration], list[DeclarationProblem]]
) -> Declaration:
    """The protocol in a file's bytes; `checks` are those of the rooms that read its parts.

    Raises ProtocolError with everything that is wrong.
    """
    values, lines = _decoded(data)
    problems = _of_top(values)
    tables = {
        name: _entry(name, values[name], 1, lines)
        for name in TABLES
        if isinstance(values.get(name), dict)
    }
    problems += [
        problem for name, entry in tables.items() for problem in entry_problems(entry, TABLES[name])
    ]
    fields = _entries("field", values, lines, problems)
    parts = {part: _entries(part, values, lines, problems) for part in PARTS}
    for entry in fields:
        problems += entry_problems(entry, FIELD_KEYS)
    _raise(problems)
    declaration = _declared(tables, fields, parts, hashlib.sha256(data).hexdigest())
    _raise(_rules(declaration, tables, fields))
    _raise(checks(declaration))
    return declaration


def _raise(problems: list[DeclarationProblem]) -> None:
    if problems:
        raise ProtocolError(problems)


def _decoded(data: bytes) -> tuple[dict[str, Any], TableLines]:
    if len(data) > LARGEST:
        raise _unread(f"The file has more than {LARGEST:,} bytes. No protocol is that long.")
    if data.startswith(b"\xef\xbb\xbf"):
        raise _unread("The file begins with a byte order mark. Save it as UTF-8 without one.", 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unread("This is not UTF-8. Save the file as UTF-8.", line) from None
    if not text.strip():
        raise _unread("The file is empty.")
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unread(f"The file is not TOML: {error}.") from None
    except (RecursionError, ValueError):
        raise _unread("The file holds a value that cannot be read.") from None
    return values, lines_of(text.replace("\r\n", "\n"))


def _unread(message: str, line: int | None = None) -> ProtocolError:
    return ProtocolError([DeclarationProblem(message, line=line)])


def _of_top(values: Mapping[str, Any]) -> list[DeclarationProblem]:
    known = (*TABLES, "field", *PARTS)
    problems = [
        DeclarationProblem(f"this is no part of a protocol. There are {', '.join(known)}.", name)
        for name in values
        if name not in known
    ]
    for name in TABLES:
        if name not in values:
            problems.append(DeclarationProblem(f"[{name}] is missing."))
        elif not isinstance(values[name], dict):
            problems.append(DeclarationProblem(f"write it as [{name}].", name))
    if not values.get("field"):
        problems.append(DeclarationProblem("[[field]] is missing: a record needs fields."))
    return problems


def _entries(
    part: str, values: Mapping[str, Any], lines: TableLines, problems: list[DeclarationProblem]
) -> tuple[Entry, ...]:
    """The tables of a part; what is no list of tables, and names that come twice, are added to the problems."""
    given = values.get(part, [])
    if not isinstance(given, list) or not all(isinstance(table, dict) for table in given):
        problems.append(DeclarationProblem(f"write each as [[{part}]].", part))
        return ()
    entries = tuple(_entry(part, table, n, lines) for n, table in enumerate(given, start=1))
    problems += repeated_names(entries)
    return entries


def _entry(part: str, table: Mapping[str, Any], number: int, lines: TableLines) -> Entry:
    line, of_keys = lines.get((part, number), (None, {}))
    return Entry(part, table, number, line, of_keys)


def _declared(
    tables: Mapping[str, Entry],
    fields: tuple[Entry, ...],
    parts: Mapping[str, tuple[Entry, ...]],
    sha256: str,
) -> Declaration:
    about = tables["protocol"].values
    shape = tables["file"].values
    return Declaration(
        name=about["name"],
        version=about["version"],
        title=about["title"],
        source=about["source"],
        licence=about["licence"],
        notes=tuple(about.get("notes", ())),
        file=FileShape(
            **{**shape, "shape": Shape(shape["shape"]), "keep": tuple(shape.get("keep", ()))}
        ),
        item=ItemFields(**tables["item"].values),
        fields={entry.name: _field(entry) for entry in fields},
        parts=parts,
        sha256=sha256,
    )


def _field(entry: Entry) -> DeclaredField:
    given = dict(entry.values)
    reads = given.pop("reads", None)
    return DeclaredField(
        **{
            **given,
            "type": FieldType(given.get("type", FieldType.TEXT)),
            "values": tuple(given.get("values", ())),
        },
        reads=reads and {int(n): text for n, text in reads.items() if n.isdecimal()},
    )


def _rules(
    declaration: Declaration, tables: Mapping[str, Entry], fields: tuple[Entry, ...]
) -> list[DeclarationProblem]:
    problems = _version_rules(declaration, tables["protocol"])
    problems += _file_rules(declaration.file, tables["file"])
    for name, entry in tables["item"].values.items():
        field = declaration.fields.get(entry)
        if field is None or not field.is_text:
            problems.append(
                tables["item"].problem(f"{entry!r} is no field that holds a text.", name)
            )
    for entry in fields:
        problems += _field_rules(declaration, entry)
    return problems


def _version_rules(declaration: Declaration, entry: Entry) -> list[DeclarationProblem]:
    if 1 <= declaration.version <= LARGEST_VERSION:
        return []
    return [entry.problem(f"write a number from 1 to {LARGEST_VERSION}.", "version")]


def _file_rules(file: FileShape, entry: Entry) -> list[DeclarationProblem]:
    problems = []
    is_object = file.shape == Shape.OBJECT
    if is_object != bool(file.list):
        message = (
            "an object needs the key of its records: list."
            if is_object
            else "only an object has a list."
        )
        problems.append(entry.problem(message, "list"))
    if file.keep and (not is_object or file.list in file.keep):
        problems.append(entry.problem("these are the other keys of an object.", "keep"))
    if file.indent is not None and (
        file.shape == Shape.LINES or not 1 <= file.indent <= MOST_INDENT
    ):
        problems.append(
            entry.problem(
                f"a list or an object is indented by 1 to {MOST_INDENT} blanks.", "indent"
            )
        )
    return problems


def _field_rules(declaration: Declaration, entry: Entry) -> list[DeclarationProblem]:
    field = declaration.fields[entry.name]
    problems = []
    if field.name in RESERVED:
        problems.append(
            entry.problem(f"{field.name!r} means something else here. Choose another name.", "name")
        )
    if (field.type == FieldType.LETTER) != bool(field.of):
        problems.append(entry.problem("a letter, and nothing else, is of a list.", "of"))
    elif field.of and not _is(declaration, field.of, FieldType.LIST):
        problems.append(entry.problem(f"{field.of!r} is no field that is a list.", "of"))
    if field.says and not (field.of and _is(declaration, field.says, FieldType.TEXT)):
        problems.append(entry.problem("a letter says what another field holds as text.", "says"))
    if (field.slice and field.type != FieldType.TEXT) or (field.values and not field.slice):
        message = "a slice is a field of type text; values are those of a slice."
        problems.append(entry.problem(message, "slice"))
    return problems + _reads_rules(field, entry)


def _is(declaration: Declaration, name: str, kind: FieldType) -> bool:
    field = declaration.fields.get(name)
    return field is not None and field.type == kind


def _reads_rules(field: DeclaredField, entry: Entry) -> list[DeclarationProblem]:
    given = entry.values.get("reads")
    if given is None:
        return []
    if field.type != FieldType.LIST:
        return [entry.problem("only a list reads by its length.", "reads")]
    for length, text in given.items():
        if not length.isdecimal() or not isinstance(text, str):
            return [entry.problem('write a text for each length, as 1 = " in {1}".', "reads")]
        beyond = [n for n in PLACE_IN_LIST.findall(text) if int(n) > int(length)]
        if beyond:
            return [entry.problem(f"a list of {length} has no {{{beyond[0]}}}.", "reads")]
    return []
