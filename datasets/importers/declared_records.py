"""A file of records that a protocol declares. Pure."""

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets.declared.csv_text import form_in
from datasets.declared.deviations import declared_deviations
from datasets.declared.records import parse_declared
from datasets.declared.writing import FileNoted, writer_of
from datasets.deviations import Deviation
from datasets.importers.checked_records import checked_records
from datasets.importers.comparing import Comparison
from datasets.importers.csv_files.columns import (
    Chosen,
    CsvRow,
    fields_of,
    mapped,
    opened,
    rows_of,
)
from datasets.readers.json_list import lines_in, listed_in, values_in
from datasets.readers.json_text import DECODER, Unreadable, refuse
from datasets.schema import Parsed, Problem, RecordRefused, text_problems
from protocols.declaration import Declaration, FieldType, Shape

SHAPES = {
    Shape.LINES: "a record on each line",
    Shape.LIST: "a list of records",
    Shape.OBJECT: "an object with a list of records",
    Shape.CSV: "CSV with a row for each record",
}


NO_LIST = 'is no list in JSON, as ["1850", "1900"]'


class DeclaredRecords:
    """Reads the whole file or refuses it. `value` is that of the slice by which files are parted, of its records.

    With `chosen` columns a CSV file is read whatever shape the protocol declares.
    """

    def __init__(
        self, declaration: Declaration, value: str = "", chosen: Chosen | None = None
    ) -> None:
        self.declaration, self.value = declaration, value
        self.chosen, self.fields = chosen or Chosen(), fields_of(declaration)
        self.name = declaration.name
        self.label = declaration.title
        asked = {name: of for name, of in declaration.fields.items() if name != declaration.file.by}
        keys = ", ".join(name for name, of in asked.items() if not of.optional)
        more = ", ".join(name for name, of in asked.items() if of.optional)
        self.hint = f"{declaration}: {SHAPES[declaration.file.shape]}, with the keys {keys}."
        self.hint += f" A record may have {more} too." if more else ""

    def records(self, file: BinaryIO, noted: FileNoted | None = None) -> Iterator[Parsed]:
        """The file's records in order, from its beginning; `noted` is complete after the last.

        Each is written again and compared with the file. Raises Unreadable (checked_records).
        """
        noted = noted or FileNoted()
        noted.value = self.value
        values = self._values(file, noted)
        writer, compared = writer_of(self.declaration, noted), Comparison(file, noted)
        place = _place if self.is_csv else None
        title = self.declaration.item.title
        for parsed in checked_records(values, self._parse, title, place=place):
            compared.go_on(writer.next(parsed.record))
            yield parsed
        noted.end = "\n" if _ending(file) in (b"\n", b"\r") else ""
        compared.go_on(writer.last())
        compared.finish()
        refuse(list(map(str, self._kept_problems(noted))))

    def first(self, file: BinaryIO) -> Parsed:
        return self._parse(next(self._values(file, FileNoted())))

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        return declared_deviations(self.declaration, parsed.record)

    @property
    def is_csv(self) -> bool:
        return self.declaration.file.shape == Shape.CSV or self.chosen.columns is not None

    def check_csv(self) -> None:
        """Raise Unreadable where a file has keys beside its records, which CSV cannot have."""
        if keep := self.declaration.file.keep:
            raise Unreadable(
                f"A file of {self.declaration} has the keys {', '.join(keep)} beside its records, and CSV has no place "
                "for them. Send it as JSON."
            )

    def _parse(self, record: object) -> Parsed:
        record = self._of_row(record) if isinstance(record, CsvRow) else record
        by = self.declaration.file.by
        if not by or not isinstance(record, dict):
            return parse_declared(self.declaration, record)
        if by in record:
            raise RecordRefused([Problem(by, "is no key of a record: the import asks for it")])
        return parse_declared(self.declaration, {**record, by: self.value})

    def _values(self, file: BinaryIO, noted: FileNoted) -> Iterator[Any]:
        shape = self.declaration.file
        if self.is_csv:
            return self._rows(file, noted)
        if shape.shape == Shape.OBJECT:
            return listed_in(file, shape.list, noted.kept)
        return values_in(file) if shape.shape == Shape.LIST else lines_in(file)

    def _rows(self, file: BinaryIO, noted: FileNoted) -> Iterator[CsvRow]:
        self.check_csv()
        table = opened(file, self.chosen)
        columns = mapped(table, self.fields, self.chosen)
        if self.declaration.file.shape == Shape.CSV:
            noted.kept = form_in(table, columns).kept()
        return rows_of(table, columns, noted.reported)

    def _of_row(self, row: CsvRow) -> dict[str, Any]:
        """The record, without optional fields whose cells are empty. Raises RecordRefused."""
        if row.problem:
            raise RecordRefused([Problem("", row.problem)])
        declared = self.declaration.fields
        held = {
            name: cell for name, cell in row.cells.items() if cell or not declared[name].optional
        }
        lists = [name for name in held if declared[name].type == FieldType.LIST]
        problems = [Problem(name, NO_LIST) for name in lists if _list_in(held[name]) is None]
        if problems:
            raise RecordRefused(problems)
        return held | {name: _list_in(held[name]) for name in lists}

    def _kept_problems(self, noted: FileNoted) -> list[Problem]:
        if self.declaration.file.shape == Shape.CSV:
            return []
        keep = self.declaration.file.keep
        problems = [
            Problem(key, "is missing from the file") for key in keep if key not in noted.kept
        ]
        for key, value in noted.kept.items():
            if key not in keep:
                problems.append(Problem(key, "is no key of such a file"))
            problems += text_problems(key, value)
        return problems


def _place(row: CsvRow) -> str:
    return f"line {row.line}"


def _list_in(cell: str) -> list[Any] | None:
    try:
        value = DECODER.decode(cell)
    except (ValueError, RecursionError, Unreadable):
        return None
    return value if isinstance(value, list) else None


def _ending(file: BinaryIO) -> bytes:
    """The last byte of the file."""
    file.seek(-1, os.SEEK_END)
    return file.read(1)
