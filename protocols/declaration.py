"""What a protocol declares: its fields, the shape of its files, and the parts that other rooms read. Pure.

A protocol is one TOML file. It holds data alone: no code, no expressions, no includes, no regular expressions.
docs/protocols.md lists all of its keys.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

# The protocol whose records, prompts and rubric the program has in files and columns of their own.
WIKICONTRADICT = "wikicontradict"
# The tables that a protocol has once.
SINGLE = ("protocol", "file", "item")
# Parts that it declares as lists of tables; the rooms that read them check them (checking.py).
PARTS = (
    "example",
    "prompt",
    "rubric",
    "form",
    "scorer",
    "population",
    "measure",
    "table",
    "validation",
)
# What a table of a report can have as rows or columns beside slices and tags.
MODEL, PROMPT, SAMPLE, LAST = AXES = ("model", "prompt", "sample", "last")
# Where a text is from, as pages, tables and files say it.
ORIGINS = {
    "published": "the authors' program or files",
    "printed": "printed in the paper",
    "reconstructed": "printed in the paper; its line breaks or marks are ours",
    "ours": "ours: in no paper",
}


class FieldType(StrEnum):
    """What a field holds: a text, a passage that judges read, several texts, or the letter of one of those."""

    TEXT = "text"
    PASSAGE = "passage"
    LIST = "list"
    LETTER = "letter"


@dataclass(frozen=True)
class DeclaredField:
    """A key of each record.

    `label` is what pages and judges read. A `slice` parts items: as filter, stratum, or axis of a table. `values` are
    those that are known. A letter, A for the first text, is `of` a list, and may give the field with the same text
    (`says`). `reads` is how a list reads as text, by its length. A record may lack an `optional` one. A text is to be
    `one_of` the texts of a list.
    """

    name: str
    type: FieldType = FieldType.TEXT
    label: str = ""
    slice: bool = False
    values: tuple[str, ...] = ()
    of: str = ""
    says: str = ""
    reads: Mapping[int, str] | None = None
    optional: bool = False
    one_of: str = ""

    @property
    def title(self) -> str:
        return self.label or self.name.replace("_", " ").capitalize()

    @property
    def is_text(self) -> bool:
        return self.type in (FieldType.TEXT, FieldType.PASSAGE)


class Shape(StrEnum):
    """How a file holds its records: one a line, in a list, in a list that is a key of an object, or as rows of CSV."""

    LINES = "lines"
    LIST = "list"
    OBJECT = "object"
    CSV = "csv"


@dataclass(frozen=True)
class FileShape:
    """The shape of a file of records. `list` is the key of an object's records, `keep` its other keys, in their order.

    `indent` None: all on one line, or each record of LINES. `ascii`: other characters are escaped. `by` is a slice that
    no file holds: each file has the records of one of its values, and `names` are the files' names by value. `canary`
    is the kept key whose text marks the records of one source.
    """

    shape: Shape = Shape.LINES
    list: str = ""
    keep: tuple[str, ...] = ()
    indent: int | None = None
    ascii: bool = False
    by: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    canary: str = ""

    @property
    def stems(self) -> Sequence[tuple[str, str]]:
        """(value of `by`, what the name of its file has before the dot, in small letters)."""
        return [(value, name.partition(".")[0].casefold()) for value, name in self.names.items()]

    def value_of(self, file_name: str) -> str:
        """The value of `by` whose file a name fits, also with more around it, as "1.0-NAME (2).json"; "" for none."""
        fitting = [value for value, stem in self.stems if stem in file_name.casefold()]
        return fitting[0] if len(fitting) == 1 else ""


@dataclass(frozen=True)
class ItemFields:
    """The fields that lists show as a record's title, that is its question, and that intervals resample."""

    title: str
    question: str
    cluster: str


@dataclass(frozen=True)
class Entry:
    """One table of a part as it stands. `line` is that of its head in the file, `lines` are those of its keys.

    It may be `within` another one.
    """

    part: str
    values: Mapping[str, Any]
    number: int = 1
    line: int | None = None
    lines: Mapping[str, int] = field(default_factory=dict)
    within: "Entry | None" = field(default=None, compare=False, repr=False)

    @property
    def name(self) -> str:
        """Its name; "" where it has none."""
        name = self.values.get("name")
        return name if isinstance(name, str) else ""

    def problem(self, message: str, key: str = "") -> "DeclarationProblem":
        """What is wrong with it, or with one of its keys: "criteria.yes" is in the table at "criteria"."""
        numbered = self.part if self.part in SINGLE else f"{self.part} number {self.number}"
        where = f"{self.part} {self.name!r}" if self.name else numbered
        inner = key
        while inner and inner not in self.lines:
            inner = inner.rpartition(".")[0]
        return DeclarationProblem(message, where, key, self.lines.get(inner, self.line), self)


@dataclass(frozen=True)
class DeclarationProblem:
    """Why a protocol is refused: the message, the table and the key in it, and the line of the file where known.

    `hint` is what the key may be, where the message does not say it.
    """

    message: str
    where: str = ""
    key: str = ""
    line: int | None = None
    entry: Entry | None = field(default=None, compare=False, repr=False)
    hint: str = field(default="", compare=False)

    def __str__(self) -> str:
        place = [f"line {self.line}" if self.line else "", self.where, self.key]
        named = ", ".join(filter(None, place))
        return f"{named}: {self.message}" if named else self.message


class ProtocolError(ValueError):
    """A file that is no protocol; `problems` are all that were found."""

    def __init__(self, problems: list[DeclarationProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True)
class Declaration:
    """A protocol as it was read. `parts` has the entries of PARTS, `sha256` (hex) is that of the file's bytes."""

    name: str
    version: int
    title: str
    source: str
    licence: str
    notes: tuple[str, ...]
    file: FileShape
    item: ItemFields
    fields: Mapping[str, DeclaredField]
    parts: Mapping[str, tuple[Entry, ...]]
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"

    def entries(self, part: str) -> tuple[Entry, ...]:
        return self.parts.get(part, ())

    def named(self, part: str) -> dict[str, Entry]:
        """The entries of a part by their names."""
        return {entry.name: entry for entry in self.entries(part)}

    @cached_property
    def slices(self) -> dict[str, DeclaredField]:
        return {name: declared for name, declared in self.fields.items() if declared.slice}

    @property
    def cluster_word(self) -> str:
        """What intervals resample, as in a sentence: an article, or the field that it names."""
        return (
            "article"
            if self.name == WIKICONTRADICT
            else self.fields[self.item.cluster].title.lower()
        )

    @property
    def is_scored(self) -> bool:
        """Whether reports compute scores from responses."""
        return bool(self.entries("scorer"))

    @property
    def fixed(self) -> tuple[Any, ...]:
        """What is fixed for a collection: a later version that differs in it is another kind of record."""
        return (self.name, self.file, self.item, tuple(self.fields.values()))
