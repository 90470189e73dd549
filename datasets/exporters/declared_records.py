"""Exports of the records of a protocol: its own file, and a table. Records whose question is excluded are left out."""

import json
from collections.abc import Iterable, Iterator

from datasets.declared.records import in_order
from datasets.declared.writing import FileNoted, RecordWriter
from datasets.streaming import StreamedRow
from pages.data_responses import csv_lines
from protocols.declaration import Declaration, Shape


class DeclaredFile:
    """The file as the protocol declares it, byte for byte where it was imported from such a one."""

    name = "records"

    def __init__(self, declaration: Declaration, noted: FileNoted) -> None:
        self._declaration, self._noted = declaration, noted
        is_lines = declaration.file.shape == Shape.LINES
        self.label = "Records (JSON Lines)" if is_lines else "Records (JSON)"
        self.suffix = ".jsonl" if is_lines else ".json"
        self.content_type = f"application/{'jsonl' if is_lines else 'json'}; charset=utf-8"

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        writer = RecordWriter(self._declaration, self._noted)
        for row in rows:
            if row.questions:
                yield writer.next(row.record)
        yield writer.last()


class DeclaredCsv:
    """A line for each record, in the declared order of its fields; a list is one cell, as JSON."""

    name = "records-csv"
    label = "Records (CSV)"
    suffix = ".csv"
    content_type = "text/csv; charset=utf-8"

    def __init__(self, declaration: Declaration) -> None:
        self._declaration = declaration

    def chunks(self, rows: Iterable[StreamedRow]) -> Iterator[str]:
        """The file's text, a record at a time."""
        # No field has a name with a blank.
        header = ["record id", *self._declaration.fields]
        return csv_lines(header, (self._line(row) for row in rows if row.questions))

    def _line(self, row: StreamedRow) -> list[object]:
        values = in_order(self._declaration, row.record).values()
        texts = (
            json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for value in values
        )
        return [row.columns["external_id"], *texts]
