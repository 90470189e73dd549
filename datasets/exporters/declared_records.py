"""Exports of the records of a protocol: its own file, and a table. Records whose question is excluded are left out."""

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from datasets.declared.csv_text import form_of
from datasets.declared.writing import FileNoted, writer_of
from datasets.question_table import AS_TEXT
from datasets.streaming import StreamedRow
from pages.data_responses import csv_lines
from protocols.declaration import Declaration, Shape


class _Kind(NamedTuple):
    """What is said of a file of a shape."""

    label: str
    suffix: str
    type: str
    loads: str


_JSON = _Kind(
    "JSON", "json", "application/json", 'records = json.load(open("{name}", encoding="utf-8"))'
)
_LINES = _Kind(
    "JSON Lines",
    "jsonl",
    "application/jsonl",
    'records = [json.loads(line) for line in open("{name}", encoding="utf-8")]',
)
_CSV = _Kind(
    "CSV",
    "csv",
    "text/csv",
    'records = list(csv.DictReader(open("{name}", encoding="utf-8-sig", newline=""), delimiter=DELIMITER))',
)
_KINDS = {Shape.LINES: _LINES, Shape.CSV: _CSV}


class DeclaredFile:
    """The file as the protocol declares it, byte for byte where it was imported from such a one.

    `part`: of the records with this value of the slice by which files are parted.
    """

    holds = "The records as their protocol declares the file."
    leaves_out = "records whose question is excluded."

    def __init__(self, declaration: Declaration, noted: FileNoted, part: str = "") -> None:
        self._declaration, self._noted, self._part = declaration, noted, part
        of = f", {part}" if part else ""
        self.name = f"records-{part}" if part else "records"
        kind = _KINDS.get(declaration.file.shape, _JSON)
        self.label = f"Records{of} ({kind.label})"
        suffix = f"-records.{kind.suffix}"
        # An import of the file knows its part by it.
        self.suffix = f"-{declaration.file.names[part]}" if part else suffix
        self.content_type = f"{kind.type}; charset=utf-8"
        self.loads = kind.loads
        if kind is _CSV:
            self.holds += f" {AS_TEXT}"
            self.loads = self.loads.replace("DELIMITER", repr(form_of(noted.kept, ()).delimiter))

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        writer = writer_of(self._declaration, self._noted)
        by = self._declaration.file.by
        for row in rows:
            if row.questions and row.record.get(by, "") == self._part:
                yield writer.next(row.record)
        yield writer.last()


class DeclaredCsv:
    """A line for each record, in the declared order of its fields; a list is one cell, as JSON.

    What a record lacks is an empty cell. A canary is in the last cell of each line.
    """

    name = "records-csv"
    label = "Records (CSV)"
    suffix = "-records.csv"
    holds = (
        "A line for each record, in the declared order of its fields; a list is one cell, as JSON."
    )
    leaves_out = "records whose question is excluded."
    loads = 'records = list(csv.DictReader(open("{name}", encoding="utf-8-sig", newline="")))'
    content_type = "text/csv; charset=utf-8"

    def __init__(self, declaration: Declaration, canary: str) -> None:
        self._declaration = declaration
        if declaration.file.shape == Shape.CSV:
            self.label, self.suffix = "Records with their ids (CSV)", "-records-with-ids.csv"
        self._canary = [canary] if canary else []

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        # No field has a name with a blank.
        header = ["record id", *self._declaration.fields, *(["its canary"] if self._canary else [])]
        return csv_lines(header, (self._line(row) for row in rows if row.questions))

    def _line(self, row: StreamedRow) -> list[object]:
        values = [row.record.get(name, "") for name in self._declaration.fields]
        texts = (
            json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for value in values
        )
        return [row.columns["external_id"], *texts, *self._canary]
