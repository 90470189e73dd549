"""A file of records that a protocol declares. Pure."""

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from datasets.declared.deviations import declared_deviations
from datasets.declared.records import parse_declared
from datasets.declared.writing import FileNoted, RecordWriter
from datasets.deviations import Deviation
from datasets.importers.checked_records import checked_records
from datasets.importers.json_list import lines_in, listed_in, values_in
from datasets.importers.json_text import refuse
from datasets.schema import Parsed, Problem, RecordRefused, text_problems
from protocols.declaration import Declaration, Shape

SHAPES = {
    Shape.LINES: "a record on each line",
    Shape.LIST: "a list of records",
    Shape.OBJECT: "an object with a list of records",
}


class DeclaredRecords:
    """Reads the whole file or refuses it. `value` is that of the slice by which files are parted, of its records."""

    def __init__(self, declaration: Declaration, value: str = "") -> None:
        self.declaration, self.value = declaration, value
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
        writer, compared = RecordWriter(self.declaration, noted), _Comparison(file, noted)
        for parsed in checked_records(values, self._parse, self.declaration.item.title):
            compared.go_on(writer.next(parsed.record))
            yield parsed
        noted.end = "\n" if _ending(file) == b"\n" else ""
        compared.go_on(writer.last())
        compared.finish()
        refuse(list(map(str, self._kept_problems(noted))))

    def first(self, file: BinaryIO) -> Parsed:
        return self._parse(next(self._values(file, FileNoted())))

    def deviations(self, parsed: Parsed) -> list[Deviation]:
        return declared_deviations(self.declaration, parsed.record)

    def _parse(self, record: object) -> Parsed:
        by = self.declaration.file.by
        if not by or not isinstance(record, dict):
            return parse_declared(self.declaration, record)
        if by in record:
            raise RecordRefused([Problem(by, "is no key of a record: the import asks for it")])
        return parse_declared(self.declaration, {**record, by: self.value})

    def _values(self, file: BinaryIO, noted: FileNoted) -> Iterator[Any]:
        shape = self.declaration.file
        if shape.shape == Shape.OBJECT:
            return listed_in(file, shape.list, noted.kept)
        return values_in(file) if shape.shape == Shape.LIST else lines_in(file)

    def _kept_problems(self, noted: FileNoted) -> list[Problem]:
        keep = self.declaration.file.keep
        problems = [
            Problem(key, "is missing from the file") for key in keep if key not in noted.kept
        ]
        for key, value in noted.kept.items():
            if key not in keep:
                problems.append(Problem(key, "is no key of such a file"))
            problems += text_problems(key, value)
        return problems


def _ending(file: BinaryIO) -> bytes:
    """The last byte of the file."""
    file.seek(-1, os.SEEK_END)
    return file.read(1)


class _Comparison:
    """Compares a file with the text that is written of its records, a piece at a time, while it is read."""

    def __init__(self, file: BinaryIO, noted: FileNoted) -> None:
        self._file, self._noted = file, noted
        self._at, self._line = 0, 1

    def go_on(self, text: str) -> None:
        """Whether the file goes on with this text; leaves it at the place where it is read."""
        if self._noted.differs:
            return
        data = text.encode("utf-8")
        here = self._file.tell()
        self._file.seek(self._at)
        found = self._file.read(len(data))
        self._file.seek(here)
        if found != data:
            pairs = enumerate(zip(found, data, strict=False))
            same = next((at for at, (read, written) in pairs if read != written), len(found))
            self._noted.differs = self._line + found.count(b"\n", 0, same)
        self._at += len(data)
        self._line += data.count(b"\n")

    def finish(self) -> None:
        """Whether the file ends here."""
        self._file.seek(self._at)
        if not self._noted.differs and self._file.read(1):
            self._noted.differs = self._line
