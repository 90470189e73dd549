"""What a protocol declares, in words for its page. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protocols.declaration import (
    ORIGINS,
    Declaration,
    DeclaredField,
    Entry,
    FileShape,
    Shape,
)
from protocols.example_record import ShownBlock

TITLES = {
    "prompt": "Prompts",
    "example": "Examples",
    "rubric": "Rubrics",
    "form": "Forms",
    "scorer": "Scorers",
    "population": "Populations",
    "measure": "Measures",
    "table": "Tables",
    "validation": "People next to scorers",
}
# Keys that the head of an entry shows, and those whose texts keep their line ends.
IN_HEAD = ("name", "label", "title", "origin")
LONG = {"text": "", "second": "Second turn", "check": "Check", "shot": "Each example"}


@dataclass(frozen=True)
class ShownEntry:
    """An entry of a part. `origin` is in words; `facts` are (key, words), `texts` are (heading, text).

    `blocks` are what rooms show of it on a record.
    """

    entry: Entry
    label: str
    title: str
    origin: str
    facts: list[tuple[str, str]]
    texts: list[tuple[str, str]]
    blocks: Sequence[ShownBlock]


def shown_parts(
    declaration: Declaration, blocks: Mapping[tuple[str, str], Sequence[ShownBlock]]
) -> list[tuple[str, str, list[ShownEntry]]]:
    """(part, title, entries) of each part that there is. `blocks` are by part and name."""
    return [
        (part, title, [_shown(of, blocks.get((part, of.name), ())) for of in entries])
        for part, title in TITLES.items()
        if (entries := declaration.entries(part))
    ]


def _shown(entry: Entry, blocks: Sequence[ShownBlock]) -> ShownEntry:
    head = {key: in_words(entry.values.get(key, "")) for key in IN_HEAD}
    rest = {key: value for key, value in entry.values.items() if key not in (*IN_HEAD, *LONG)}
    texts = [
        (head, in_words(entry.values[key])) for key, head in LONG.items() if key in entry.values
    ]
    if entry.part == "example":
        texts += [(name, in_words(value)) for name, value in rest.pop("fields").items()]
    origin = ORIGINS.get(head["origin"], "")
    return ShownEntry(entry, head["label"], head["title"], origin, [*_facts(rest)], texts, blocks)


def _facts(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """A table that holds tables has a line for each of them."""
    for key, value in values.items():
        name = before + ("prompt tags" if key == "tags" else key)
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            yield from _facts(value, f"{name}: ")
        else:
            yield name, in_words(value)


def in_words(value: object) -> str:
    """A value of a TOML file: tables as "key = value", in a list with a semicolon between them."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key} = {in_words(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        between = "; " if any(isinstance(inner, dict) for inner in value) else ", "
        return between.join(map(in_words, value))
    return str(value)


def about_field(field: DeclaredField) -> str:
    """What else is declared of it."""
    of = f"the letter of a text in {field.of}"
    says = f", with the same text as {field.says}" if field.says else ""
    values = f": {', '.join(field.values)}" if field.values else ""
    reads = "; ".join(f"of {n} reads “{text}”" for n, text in (field.reads or {}).items())
    parts = [
        f"{of}{says}" if field.of else "",
        f"a slice{values}" if field.slice else "",
        reads,
        f"one of {field.one_of}" if field.one_of else "",
        "a record may lack it" if field.optional else "",
    ]
    return "; ".join(filter(None, parts))


def about_file(file: FileShape) -> str:
    """The shape of its files of records."""
    shapes = {
        Shape.LINES: "one record a line",
        Shape.LIST: "a list of records",
        Shape.OBJECT: f"an object with a list of records, {file.list}",
        Shape.CSV: "CSV with a row for each record",
    }
    kept = f"other keys are kept: {', '.join(file.keep)}" if file.keep else ""
    indent = f"indented by {file.indent}" if file.indent else ""
    ascii_only = "other letters than ASCII escaped" if file.ascii else ""
    names = ", ".join(f"{value} in {name}" for value, name in file.names.items())
    by = f"a file for each {file.by}, which it does not hold: {names}" if file.by else ""
    canary = f"{file.canary} is shown with every export" if file.canary else ""
    return "; ".join(filter(None, [shapes[file.shape], kept, canary, indent, ascii_only, by]))
