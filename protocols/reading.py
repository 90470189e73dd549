"""Read a protocol's TOML file, with a sentence for everything that is wrong with it. Pure."""

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any

from protocols.declaration import (
    AXES,
    PARTS,
    WIKICONTRADICT,
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
    NAME,
    NAMED,
    Key,
    broken,
    did_you_mean,
    entry_problems,
    repeated_names,
    right_values,
    texts_problem,
)
from protocols.faults import Faults
from protocols.toml_lines import TOP, TableLines, lines_of

# More than a study with a hundred prompts, each as long as a page.
LARGEST = 1_000_000  # bytes
LARGEST_VERSION = 10_000
# How zips, images, PDFs and office files begin.
NO_TEXT = (b"PK\x03\x04", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"\xd0\xcf\x11\xe0")
MOST_INDENT = 8
LONGEST_LABEL = 60
# What a place or an axis of a table means besides a field.
RESERVED = ("reply", "shots", *AXES)
PROTOCOL_KEYS = {
    "name": Key(
        str,
        is_required=True,
        longest=24,
        is_name=True,
        about="The protocol's name, without hyphens: with one more, it begins the keys of its prompts and rubrics.",
    ),
    "version": Key(
        int,
        is_required=True,
        about=f"A number from 1 to {LARGEST_VERSION}. A text that changes after a collection used it is a new version.",
    ),
    "title": Key(str, is_required=True, longest=120, about="What lists and pages call the study."),
    "source": Key(str, is_required=True, about="The paper and the files that the study is from."),
    "licence": Key(str, is_required=True, about="The licence of the authors' texts and records."),
    "notes": Key(
        list,
        about="What a reader has to know: what is yours and not the paper's, what is out of scope.",
    ),
}
FILE_KEYS = {
    "shape": Key(
        str,
        is_required=True,
        values=tuple(Shape),
        about="One record on each line, a list of records, an object with a list of records, or CSV with a row each.",
    ),
    "list": Key(str, about="Of an object: the key of the list of records."),
    "keep": Key(
        list, about="Of an object: its other keys, in their order. They hold texts, and are kept."
    ),
    "indent": Key(
        int,
        about=f"Of a list or an object: by how many blanks it is indented, 1 to {MOST_INDENT}. Without it, all is on "
        "one line.",
    ),
    "ascii": Key(bool, about="True: characters outside ASCII are escaped."),
    "by": Key(
        str,
        about="A slice that no file holds: an import takes its value from the file's name, or asks for it, and an "
        "export writes a file for each.",
    ),
    "names": Key(dict, about="With `by`: for each value the name of its file."),
    "canary": Key(
        str,
        about="One of `keep`, whose text is shown with every export. A collection takes files with one canary alone.",
    ),
}
ITEM_KEYS = {
    "title": Key(str, is_required=True, about="The field that lists show as the record's title."),
    "question": Key(str, is_required=True, about="The field that is the record's question."),
    "cluster": Key(
        str,
        is_required=True,
        about="The field by which intervals resample: records of one value are one draw.",
    ),
}
FIELD_KEYS = {
    **NAMED,
    "type": Key(
        str,
        values=tuple(FieldType),
        about="A text, a passage that judges read, a list of texts, or a letter: A for the first text of a list. "
        "Without it, a text.",
    ),
    "label": Key(
        str, longest=LONGEST_LABEL, about="What pages and judges read instead of the name."
    ),
    "slice": Key(
        bool,
        about="True: its values part the records, as a filter, as strata of a subset, as an axis of a table.",
    ),
    "values": Key(
        list, about="Of a slice: the values that are known. Another one is reported, and kept."
    ),
    "of": Key(str, about="Of a letter: the list whose texts it counts."),
    "says": Key(str, about="Of a letter: the field that holds the same text."),
    "reads": Key(
        dict,
        about='Of a list: how it reads as one text, by its length, as `{ 1 = " in {1}", 2 = " from {1} to {2}" }`.',
    ),
    "optional": Key(
        bool, about="True: a record may lack it. Then a prompt that shows it is not asked."
    ),
    "one_of": Key(
        str,
        about="Of a text: the list that is to hold it. A record in which it does not is reported, and kept.",
    ),
}
TABLES = {"protocol": PROTOCOL_KEYS, "file": FILE_KEYS, "item": ITEM_KEYS}
# What stands where these values are missing or wrong, so that the rest can be checked.
STAND_INS = {"name": "protocol", "version": 1, **dict.fromkeys(("title", "source", "licence"), "")}
KNOWN = (*TABLES, "field", *PARTS)
# The reader of TOML takes memory by the square of this, so that one line could fill the machine.
LONGEST_PATH = re.compile(r"""(?<![\w"'-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){100}""")
# Where the reader of TOML stopped; it says "at end of document" too.
AT_LINE = re.compile(r"\(at line ([0-9]+), ")
FILE_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,58}[A-Za-z0-9])?")
# How many texts a list has, as a key of `reads`; and its places, as "{1}".
LENGTH = re.compile(r"[1-9]?[0-9]")
PLACE_IN_LIST = re.compile(r"\{([^{}]*)\}")


def read_protocol(
    data: bytes,
    checks: Callable[[Declaration], list[DeclarationProblem]],
    part_keys: Mapping[str, Mapping[str, Key]] | None = None,
) -> Declaration:
    """The protocol in a file's bytes; `checks` are those of the rooms that read its parts, `part_keys` their keys.

    Raises ProtocolError with everything that is wrong, in the order of the file: what is right is checked without the
    rest.
    """
    values, lines = _decoded(data)
    faults = Faults()
    faults.keep(_of_top(values, lines))
    tables = {
        name: _entry(name, values[name] if _is_table(values, name) else {}, 1, lines)
        for name in TABLES
    }
    for name, entry in tables.items():
        faults.keep(entry_problems(entry, TABLES[name]) if _is_table(values, name) else ())
    entries = {part: _entries(part, values, lines) for part in ("field", *PARTS)}
    # The parts of WikiContradict are files of the program.
    known = {} if tables["protocol"].name == WIKICONTRADICT else part_keys or {}
    for part, keys in {"field": FIELD_KEYS, **known}.items():
        for entry in entries.get(part, ()):
            faults.keep(entry_problems(entry, keys))
    for of_part in entries.values():
        faults.keep(repeated_names(of_part))
    for name in values.keys() - KNOWN:
        faults.doubt(_entries(name, values, lines))
    right = {name: _right(entry, TABLES[name]) for name, entry in tables.items()}
    fields = _named_once(_right(entry, FIELD_KEYS) for entry in entries.pop("field"))
    declaration = _declared(right, fields, entries, hashlib.sha256(data).hexdigest())
    faults.add(_rules(declaration, right, fields))
    _check_parts(declaration, checks, faults)
    if faults.found:
        raise ProtocolError(sorted(faults.found, key=_head_line))
    return declaration


def _head_line(problem: DeclarationProblem) -> int:
    """That of the table that it is in."""
    return (problem.entry.line if problem.entry else problem.line) or 0


def _right(entry: Entry, keys: Mapping[str, Key]) -> Entry:
    """The table without the values that are wrong."""
    return replace(entry, values=right_values(entry, keys))


def _named_once(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Those with a name; of two with the same, the first."""
    found: dict[str, Entry] = {}
    for entry in entries:
        found.setdefault(entry.name, entry)
    return tuple(entry for name, entry in found.items() if name)


def _check_parts(
    declaration: Declaration,
    checks: Callable[[Declaration], list[DeclarationProblem]],
    faults: Faults,
) -> None:
    """A check may stop at what it finds. So what that is about is left out, and the rest is checked again."""
    goes_on = any(field.is_text for field in declaration.fields.values())
    while goes_on:
        rest = {part: tuple(filter(faults.is_right, of)) for part, of in declaration.parts.items()}
        bare = [part for part, of in declaration.parts.items() if of and not rest[part]]
        goes_on = faults.add(checks(replace(declaration, parts=rest)), bare)


def _decoded(data: bytes) -> tuple[dict[str, Any], TableLines]:
    if len(data) > LARGEST:
        raise _unread(f"The file has more than {LARGEST:,} bytes. No protocol is that long.")
    if data.startswith(NO_TEXT):
        raise _unread("The file is no text: save the protocol as TOML, in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _unread("This is not UTF-8. Save the file as UTF-8.", line) from None
    if not text.strip():
        raise _unread("The file is empty.")
    if path := LONGEST_PATH.search(text):
        line = text.count("\n", 0, path.start()) + 1
        raise _unread("A key of so many parts cannot be read.", line)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = AT_LINE.search(str(error))
        line = int(at[1]) if at else text.count("\n") + 1
        raise _unread(f"The file is not TOML: {AT_LINE.sub('(', str(error))}.", line) from None
    except (RecursionError, ValueError):
        raise _unread("The file holds a value that cannot be read.") from None
    return values, lines_of(text.replace("\r\n", "\n"))


def _unread(message: str, line: int | None = None) -> ProtocolError:
    return ProtocolError([DeclarationProblem(message, line=line)])


def _of_top(values: Mapping[str, Any], lines: TableLines) -> list[DeclarationProblem]:
    """Unknown parts, missing ones, and those of another kind."""
    problems = [
        DeclarationProblem(f"[{name}] is missing.") for name in TABLES if name not in values
    ]
    if not values.get("field"):
        message = "[[field]] is missing: a record needs fields."
        problems.append(DeclarationProblem(message, entry=Entry("field", {}, 0)))
    for name, value in values.items():
        if name not in KNOWN:
            message = f"this is no part of a protocol. There are {', '.join(KNOWN)}.{did_you_mean(name, KNOWN)}"
        elif name in TABLES and not _is_table(values, name):
            message = f"write it as [{name}]."
        elif name not in TABLES and not _is_list_of_tables(value):
            message = f"write each as [[{name}]]."
        else:
            continue
        # Other tables may name one that it was to be.
        entry = Entry(name, {}, 0) if name in PARTS else None
        problems.append(
            DeclarationProblem(message, name[:80], line=_line(name, lines), entry=entry)
        )
    return problems


def _is_table(values: Mapping[str, Any], name: str) -> bool:
    return isinstance(values.get(name), dict)


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(table, dict) for table in value)


def _line(part: str, lines: TableLines) -> int | None:
    """That of its first head, or of its key before all heads."""
    return lines[part, 1][0] if (part, 1) in lines else lines[TOP][1].get(part)


def _entries(part: str, values: Mapping[str, Any], lines: TableLines) -> tuple[Entry, ...]:
    """The tables of a part; none where it is no list of tables."""
    given = values.get(part, [])
    tables = given if _is_list_of_tables(given) else []
    return tuple(_entry(part, table, n, lines) for n, table in enumerate(tables, start=1))


def _entry(part: str, table: Mapping[str, Any], number: int, lines: TableLines) -> Entry:
    line, of_keys = lines.get((part, number), (_line(part, lines), {}))
    return Entry(part, table, number, line, of_keys)


def _declared(
    tables: Mapping[str, Entry],
    fields: tuple[Entry, ...],
    parts: Mapping[str, tuple[Entry, ...]],
    sha256: str,
) -> Declaration:
    """A value that is wrong has another one in its place, by which the rest can be checked."""
    about, shape = {**STAND_INS, **tables["protocol"].values}, tables["file"].values
    texts = {key: about[key] for key in STAND_INS}
    kept = {
        "shape": Shape(shape.get("shape", Shape.LINES)),
        "keep": tuple(shape.get("keep", ())),
    }
    declared = {entry.name: _field(entry.values) for entry in fields}
    return Declaration(
        **texts,
        notes=tuple(about.get("notes", ())),
        file=FileShape(**{**shape, **kept}),
        item=_item(tables["item"].values, declared),
        fields=declared,
        parts=parts,
        sha256=sha256,
    )


def _item(given: Mapping[str, str], fields: Mapping[str, DeclaredField]) -> ItemFields:
    texts = [name for name, of in fields.items() if of.is_text and not of.optional] or [""]
    named = {key: given.get(key, "") for key in ITEM_KEYS}
    return ItemFields(**{key: name if name in texts else texts[0] for key, name in named.items()})


def _field(given: Mapping[str, Any]) -> DeclaredField:
    """Lengths that are none are left out, and refused by _reads_rules."""
    reads = given.get("reads")
    kept = {
        "type": FieldType(given.get("type", FieldType.TEXT)),
        "values": tuple(given.get("values", ())),
        "reads": reads and {int(n): text for n, text in reads.items() if LENGTH.fullmatch(n)},
    }
    return DeclaredField(**{**given, **kept})


def _rules(
    declaration: Declaration, tables: Mapping[str, Entry], fields: tuple[Entry, ...]
) -> list[DeclarationProblem]:
    problems = broken(
        tables["protocol"],
        (
            not 1 <= declaration.version <= LARGEST_VERSION,
            f"write a number from 1 to {LARGEST_VERSION}.",
            "version",
        ),
        # A hyphen stands between it and the name of a prompt.
        ("-" in declaration.name, "write the name without hyphens.", "name"),
    )
    problems += _file_rules(declaration.file, tables["file"])
    problems += _by_rules(declaration, tables["file"])
    for key, name in tables["item"].values.items():
        field = declaration.fields.get(name)
        is_text = field is not None and field.is_text
        message = f"{name!r} is no field that holds a text."
        may_lack = f"a record may lack {name!r}. Name one that all have."
        problems += broken(
            tables["item"],
            (not is_text, message, key),
            (field is not None and field.optional, may_lack, key),
        )
    for entry in fields:
        problems += _field_rules(declaration, entry)
    return problems


def _file_rules(file: FileShape, entry: Entry) -> list[DeclarationProblem]:
    is_object, is_csv = file.shape == Shape.OBJECT, file.shape == Shape.CSV
    is_flat = is_csv or file.shape == Shape.LINES
    is_wrong = file.indent is not None and (is_flat or not 1 <= file.indent <= MOST_INDENT)
    allowed = f"a list or an object is indented by 1 to {MOST_INDENT} blanks."
    return broken(
        entry,
        (is_object and not file.list, "an object needs the key of its records: list.", "list"),
        (file.list and not is_object, "only an object has a list.", "list"),
        (file.keep and not is_object, "only an object has further keys.", "keep"),
        (file.list in file.keep, f"{file.list!r} has the records already.", "keep"),
        (is_wrong, allowed, "indent"),
        (is_csv and file.ascii, "CSV escapes no characters.", "ascii"),
        (
            file.canary and file.canary not in file.keep,
            f"{file.canary!r} is none of keep.",
            "canary",
        ),
    )


def _by_rules(declaration: Declaration, entry: Entry) -> list[DeclarationProblem]:
    file = declaration.file
    values = declaration.slices[file.by].values if file.by in declaration.slices else ()
    names = list(file.names.values())
    asked = f"name a file for each of {', '.join(values)}, and for nothing else."
    unfit = next((value for value in values if not NAME.fullmatch(value)), "")
    are_texts = not texts_problem(file.names)
    fits = all(are_texts and FILE_NAME.fullmatch(name) for name in names)
    plain = "a file's name has letters, digits, and . _ - within, as simple.json."
    stems = [stem for _, stem in file.stems] if fits else []
    is_alike = any(a in b for a, b in permutations(stems, 2))
    return broken(
        entry,
        (file.by and not values, f"{file.by!r} is no slice with values.", "by"),
        (unfit, f"{unfit!r} names a file's records. Use small letters, digits and hyphens.", "by"),
        (file.names and not file.by, "only files by a slice have names for its values.", "names"),
        (values and set(file.names) != set(values), asked, "names"),
        (not fits, plain, "names"),
        (is_alike, "one name is within another, so that a file's name would fit both.", "names"),
    )


def _field_rules(declaration: Declaration, entry: Entry) -> list[DeclarationProblem]:
    field = declaration.fields[entry.name]
    is_letter = field.type == FieldType.LETTER
    is_of_list = _is(declaration, field.of, FieldType.LIST)
    is_of_text = _is(declaration, field.says, FieldType.TEXT)
    is_relied_on = field.slice or is_letter or _is_of_letter(declaration, field.name)
    is_of_listed = _is(declaration, field.one_of, FieldType.LIST)
    means = f"{field.name!r} means something else here. Choose another name."
    return broken(
        entry,
        (field.name in RESERVED, means, "name"),
        (is_letter and not field.of, "say of which list it is a letter: of.", "of"),
        (is_letter and field.of and not is_of_list, f"{field.of!r} is no field that is a list.", "of"),
        (field.of and not is_letter, "only a letter is of a list.", "of"),
        (field.says and not is_letter, "only a letter says what another field holds.", "says"),
        (is_letter and field.says and not is_of_text, f"{field.says!r} is no field of type text.", "says"),
        (field.slice and field.type != FieldType.TEXT, "only a field of type text is a slice.", "slice"),
        (field.values and not field.slice, "values are those of a slice: slice = true.", "values"),
        (field.reads is not None and field.type != FieldType.LIST, "only a list reads by its length.", "reads"),
        (field.optional and is_relied_on, "a slice, a letter and what a letter names are in every record.", "optional"),
        (field.one_of and field.type != FieldType.TEXT, "only a text is one of a list.", "one_of"),
        (field.one_of and not is_of_listed, f"{field.one_of!r} is no field that is a list.", "one_of"),
        *_reads_rules(entry.values.get("reads")),
    )  # fmt: skip


def _is_of_letter(declaration: Declaration, name: str) -> bool:
    return any(name in (field.of, field.says) for field in declaration.fields.values())


def _is(declaration: Declaration, name: str, kind: FieldType) -> bool:
    field = declaration.fields.get(name)
    return field is not None and field.type == kind


def _reads_rules(given: Mapping[str, Any] | None) -> Iterator[tuple[bool, str, str]]:
    asked = 'write a text for each length, as 1 = " in {1}".'
    yield given == {}, asked, "reads"
    for length, text in (given or {}).items():
        if not LENGTH.fullmatch(length) or not isinstance(text, str):
            yield True, asked, "reads"
            continue
        places = [str(n) for n in range(1, int(length) + 1)]
        for place in PLACE_IN_LIST.findall(text):
            message = f"a list of {length} has no {{{place[:80]}}}."
            yield place not in places, message, "reads"
