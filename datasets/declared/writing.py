"""A file of a protocol's records, piece by piece, as json.dumps or csv.writer writes the whole of it. Pure."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from datasets.declared.csv_text import form_of
from datasets.declared.records import in_order
from protocols.declaration import Declaration, Shape


@dataclass
class FileNoted:
    """What an import notes of a file: its kept keys, or how a CSV file is written, and how it ends ("" or a line feed).

    value: that of the slice by which files are parted, of its records.
    reported: what of the file became no part of a record, and how often.
    differs: the first line in which the file differs from the one that is written of its records; None for none.
    named: of a complete form, which record names which as another of its tag, by their ids.
    controls, annotators: of a file of Label Studio, its controls (naming.Found.listed), and how many annotations each
    annotator has.
    """

    kept: dict[str, str] = field(default_factory=dict)
    end: str = ""
    value: str = ""
    differs: int | None = None
    reported: Counter[str] = field(default_factory=Counter)
    named: dict[str, str] = field(default_factory=dict)
    controls: list[dict[str, Any]] = field(default_factory=list)
    annotators: dict[str, int] = field(default_factory=dict)


class RecordWriter(Protocol):
    """The file's text in pieces: `next` for each record, then `last`."""

    def next(self, record: Mapping[str, Any]) -> str: ...

    def last(self) -> str: ...


def writer_of(declaration: Declaration, noted: FileNoted) -> RecordWriter:
    """As the protocol declares the file."""
    is_csv = declaration.file.shape == Shape.CSV
    return CsvWriter(declaration, noted) if is_csv else JsonWriter(declaration, noted)


class JsonWriter:
    """Of files with JSON."""

    def __init__(self, declaration: Declaration, noted: FileNoted) -> None:
        self._declaration, self._noted = declaration, noted
        self._file = declaration.file
        depth = {Shape.LINES: 0, Shape.LIST: 1, Shape.OBJECT: 2}[self._file.shape]
        self._begins = "\n" + " " * (self._file.indent * depth) if self._file.indent else ""
        self._is_begun = False

    def next(self, record: Mapping[str, Any]) -> str:
        """The record, with what stands before it."""
        held = in_order(self._declaration, record)
        held.pop(self._file.by, None)
        text = self._dumped(held)
        return self._before() + (text.replace("\n", self._begins) if self._begins else text)

    def last(self) -> str:
        """What stands after the last record."""
        head, tail = self._around()
        if self._file.shape == Shape.LINES:
            return self._noted.end
        if not self._is_begun:
            return f"{head}[]{tail}{self._noted.end}"
        outside = self._begins[: -self._file.indent] if self._file.indent else ""
        return f"{outside}]{tail}{self._noted.end}"

    def _before(self) -> str:
        is_first, self._is_begun = not self._is_begun, True
        if self._file.shape == Shape.LINES:
            return "" if is_first else "\n"
        if is_first:
            return f"{self._around()[0]}[{self._begins}"
        return f",{self._begins}" if self._begins else ", "

    def _around(self) -> tuple[str, str]:
        """What stands before and after the list of records. A kept key that was not read yet is null."""
        if self._file.shape != Shape.OBJECT:
            return "", ""
        kept = {key: self._noted.kept.get(key) for key in self._file.keep}
        head, _, tail = self._dumped({**kept, self._file.list: []}).rpartition("[]")
        return head, tail

    def _dumped(self, value: object) -> str:
        return json.dumps(value, ensure_ascii=self._file.ascii, indent=self._file.indent)


class CsvWriter:
    """Of CSV files. A list is a cell with JSON; what a record lacks, and a column without a field, is empty."""

    def __init__(self, declaration: Declaration, noted: FileNoted) -> None:
        self._noted = noted
        names = [name for name in declaration.fields if name != declaration.file.by]
        self._form = form_of(noted.kept, names)
        self._begins = self._form.head

    def next(self, record: Mapping[str, Any]) -> str:
        """The record, with what stands before it."""
        before, self._begins = f"{self._begins}{self._form.line_end}", ""
        return before + self._form.text(_cell(record.get(name, "")) for name in self._form.fields)

    def last(self) -> str:
        """What stands after the last record."""
        return self._begins + (self._form.line_end if self._noted.end else "")


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
