"""A CSV file, row by row, so that no more of it is in memory than the longest. Pure."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple

from datasets.declared.csv_text import DELIMITERS, CsvForm
from datasets.importers.json_text import Unreadable, not_utf8

_PIECE = 256 * 1024
# Characters of a row; Python's module refuses a cell of more than 131,072.
LONGEST = 4 * 1024 * 1024
MOST_COLUMNS = 200
SAVE_AS = "Save it as CSV in UTF-8 (in Excel: “CSV UTF-8”), and send it again."
_SEP = re.compile(r'\A"?sep=([,;\t])"?(?=[\r\n])', re.IGNORECASE)
_OTHERS = {
    b"PK\x03\x04": "The file is a spreadsheet, not CSV.",
    b"\xd0\xcf\x11\xe0": "The file is a spreadsheet, not CSV.",
    b"\xff\xfe": "The file is UTF-16, not UTF-8.",
    b"\xfe\xff": "The file is UTF-16, not UTF-8.",
}


class CsvRow(NamedTuple):
    """`number` counts the rows below the header from 1, `line` the file's lines. `problem`: why it cannot be read.

    cells: by the names of the fields to which their columns are mapped.
    """

    number: int
    line: int
    cells: Mapping[str, str]
    problem: str = ""


def looks_like_csv(file: BinaryIO) -> bool:
    """Whether the file begins with neither of the marks with which JSON of records begins."""
    file.seek(0)
    begins = file.read(1024).removeprefix(codecs.BOM_UTF8).lstrip()
    return begins[:1] not in (b"{", b"[", b"")


class CsvFile:
    """The file's columns, and how it is written; a column without a name is called by its place.

    `delimiter`: the character, or "" for that of three which parts the header into most cells. Raises Unreadable.
    """

    def __init__(self, file: BinaryIO, delimiter: str = "") -> None:
        self._file = file
        _check_begin(file)
        self.delimiter = delimiter or _said(file) or _likeliest(file)
        first = _first_row(file, self.delimiter)
        if first is None:
            raise Unreadable("The file is empty.")
        self.header = tuple(first)
        self.columns = tuple(
            name if name.strip() else f"column {place}" for place, name in enumerate(first, 1)
        )
        _check_columns(self.columns)

    def form(self, mapped: Mapping[str, str]) -> CsvForm:
        """How the file is written, where its columns are `mapped` to fields."""
        fields = tuple(mapped.get(name, "") for name in self.columns)
        line = next(_lines(self._at_start()))
        end = line[len(line.rstrip("\r\n")) :] or "\n"
        bom = self._at_start().read(3) == codecs.BOM_UTF8
        form = CsvForm(self.header, fields, self.delimiter, end, bom, all_quoted=True)
        begins = (form.head + form.line_end).encode()
        if self._at_start().read(len(begins)) == begins:
            return form
        return CsvForm(self.header, fields, self.delimiter, end, bom)

    def cells(self) -> Iterator[list[str]]:
        """Those of each row below the header, as many as it has."""
        for _, _, cells in self._rows():
            yield cells

    def rows(self, mapped: Mapping[str, str], reported: Counter[str]) -> Iterator[CsvRow]:
        """The rows below the header, blank lines left out. `reported` counts the cells that are mapped to nothing."""
        fields = [mapped.get(name, "") for name in self.columns]
        rest = {at: f"column “{self.columns[at]}”" for at, field in enumerate(fields) if not field}
        number = 0
        for number, line, cells in self._rows():
            if len(cells) != len(fields):
                problem = f"has {len(cells)} cells, and the header has {len(fields)}"
                yield CsvRow(number, line, {}, problem)
                continue
            for at, what in rest.items():
                if cells[at]:
                    reported[what] += 1
            held = {field: cell for field, cell in zip(fields, cells, strict=True) if field}
            yield CsvRow(number, line, held)
        if not number:
            raise Unreadable("The file has a header and no row below it. Nothing was imported.")

    def _rows(self) -> Iterator[tuple[int, int, list[str]]]:
        """(number, line, cells) of the rows below the header."""
        number = -1
        for line, cells in _read(self._file, self.delimiter):
            number += bool(cells)
            if cells and number:
                yield number, line, cells

    def _at_start(self) -> BinaryIO:
        self._file.seek(0)
        return self._file


def _check_begin(file: BinaryIO) -> None:
    if not file.seekable():
        raise Unreadable(
            "An import asks for a file's size before it reads, and this has none. Save it as a file first."
        )
    file.seek(0)
    begins = file.read(1024)
    for mark, message in _OTHERS.items():
        if begins.startswith(mark):
            raise Unreadable(f"{message} {SAVE_AS}")
    if b"\0" in begins.partition(b"\n")[0]:
        raise Unreadable(f"The file's first line holds a NUL character: it is no text. {SAVE_AS}")
    if not begins.strip():
        raise Unreadable("The file is empty.")
    if not looks_like_csv(file):
        raise Unreadable("The file is JSON, not CSV. Choose the format that it has.")


def _check_columns(names: tuple[str, ...]) -> None:
    if len(names) > MOST_COLUMNS:
        raise Unreadable(f"The file has {len(names)} columns; at most {MOST_COLUMNS} can be read.")
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        places = [str(at) for at, name in enumerate(names, 1) if name == twice[0]]
        raise Unreadable(
            f"The columns {', '.join(places[:9])} are all called “{twice[0][:80]}”. Give each a name of its own in the "
            "file's first line, and send it again."
        )
    if any("\0" in name for name in names):
        raise Unreadable("The name of a column holds a NUL character; remove it.")


def _said(file: BinaryIO) -> str:
    """The delimiter that the line names with which Excel's files may begin; "" without one."""
    file.seek(0)
    said = _SEP.match(file.read(20).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"))
    return said[1] if said else ""


def _likeliest(file: BinaryIO) -> str:
    """The delimiter that parts the first row into most cells; a comma where all give the same."""
    sizes: dict[str, int] = {}
    fault: Unreadable | None = None
    for mark in DELIMITERS.values():
        try:
            sizes[mark] = len(_first_row(file, mark) or [])
        except Unreadable as unreadable:
            fault = fault or unreadable
    if not sizes and fault:
        raise fault
    return max(sizes, key=lambda mark: sizes[mark])


def _first_row(file: BinaryIO, delimiter: str) -> list[str] | None:
    return next((cells for _, cells in _read(file, delimiter) if cells), None)


def _read(file: BinaryIO, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """(the line in which it begins, cells) of each row, the header among them; a blank line has no cells."""
    file.seek(0)
    line = length = 0  # of the row that is read

    def lines() -> Iterator[str]:
        nonlocal length
        for text in _lines(file):
            length += len(text)
            if length > LONGEST:
                raise Unreadable(
                    f"The row that begins in line {line} has over {LONGEST:,} characters, as if a quotation mark in it "
                    "were never closed. Nothing was imported."
                )
            yield text

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        line, length = reader.line_num + 1, 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise _malformed(line, str(error)) from None
        if cells is None:
            return
        yield line, cells


def _malformed(line: int, error: str) -> Unreadable:
    twice = "Within a quoted cell a quotation mark is written twice."
    if "expected after" in error:
        what = f"has something between a closing quotation mark and the next delimiter. {twice}"
    elif "field limit" in error:
        what = (
            "has a cell of over 131,072 characters, more than CSV may have here. Shorten it, or send the records as "
            f"JSON. If a quotation mark in it is never closed, close it. {twice}"
        )
    else:
        what = f"has a quotation mark that is never closed. Close it. {twice}"
    return Unreadable(f"The row that begins in line {line} {what} Nothing was imported.")


def _lines(file: BinaryIO) -> Iterator[str]:
    """The file's lines with their ends, of which there are three kinds, without the byte order mark."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    left, count = "", 0
    while True:
        piece = file.read(_PIECE)
        try:
            left += decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            raise not_utf8(error, count + 1, SAVE_AS) from None
        # Excel's own first line becomes an empty one.
        left = left if count else _SEP.sub("", left)
        lines = list(io.StringIO(left, newline=""))
        # The last may go on, and a line feed may follow its carriage return.
        left = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        count += len(lines)
        yield from lines
        if len(left) > LONGEST:
            raise Unreadable(
                f"Line {count + 1} has over {LONGEST:,} characters, more than any row. Nothing was imported."
            )
        if not piece:
            if left:
                yield left
            return
