"""Exports of the records of a protocol: its own file, and a table. Records whose question is excluded are left out."""

import json
from collections.abc import Iterable, Iterator

from datasets.declared.writing import FileNoted, RecordWriter
from datasets.streaming import StreamedRow
from pages.data_responses import csv_lines
from protocols.declaration import Declaration, Shape


class DeclaredFile:
    """The file as the protocol declares it, byte for byte where it was imported from such a one.

    `part`: of the records with this value of the slice by which files are parted.
    """

    holds = "The records as their protocol declares the file."
    leaves_out = "records whose question is excluded."

    def __init__(self, declaration: Declaration, noted: FileNoted, part: str = "") -> None:
        self._declaration, self._noted, self._part = declaration, noted, part
        is_lines = declaration.file.shape == Shape.LINES
        of = f", {part}" if part else ""
        self.name = f"records-{part}" if part else "records"
        self.label = f"Records{of} (JSON Lines)" if is_lines else f"Records{of} (JSON)"
        suffix = "-records.jsonl" if is_lines else "-records.json"
        # An import of the file knows its part by it.
        self.suffix = f"-{declaration.file.names[part]}" if part else suffix
        self.content_type = f"application/{'jsonl' if is_lines else 'json'}; charset=utf-8"
        self.loads = (
            'records = [json.loads(line) for line in open("{name}", encoding="utf-8")]'
            if is_lines
            else 'records = json.load(open("{name}", encoding="utf-8"))'
        )

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        writer = RecordWriter(self._declaration, self._noted)
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
    loads = 'records = list(csv.DictReader(open("{name}", encoding="utf-8", newline="")))'
    content_type = "text/csv; charset=utf-8"

    def __init__(self, declaration: Declaration, canary: str) -> None:
        self._declaration = declaration
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
