"""The one reader of CSV: a header and rows, of which no more than the longest is in memory. Pure.

Lines and columns are counted from 1; a row's line is the one in which it begins. What makes the rest of a file
unreadable is refused at once; a row that is wrong alone says its problem, for a list of all.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from datasets.readers.json_text import Unreadable, not_utf8

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
# Characters of a row, and of a cell: Python's module refuses a longer one.
LONGEST, LONGEST_CELL = 4 * 1024 * 1024, csv.field_size_limit()
SAVE_AS = "Save it as CSV in UTF-8 (in Excel: “CSV UTF-8”), and send it again."
_PIECE = 256 * 1024
# Excel's own first line, which names the delimiter.
_SEP = re.compile(r'\A"?sep=(.)"?(?=[\r\n]|\Z)', re.IGNORECASE)
_OTHERS = {
    b"PK\x03\x04": "The file is a spreadsheet, not CSV.",
    b"\xd0\xcf\x11\xe0": "The file is a spreadsheet, not CSV.",
    b"\xff\xfe": "The file is UTF-16, not UTF-8.",
    b"\xfe\xff": "The file is UTF-16, not UTF-8.",
}


class Row(NamedTuple):
    """A row that is not blank. `problem`: why it cannot be taken."""

    line: int
    cells: Sequence[str]
    problem: str = ""


class CsvTable:
    """A file's header, and its rows. `columns`: the names; a column without one is called by its place.

    delimiter: the character, or "" for that which the file's first line names, else that of three which parts the
    header into most cells. Raises Unreadable.
    """

    def __init__(self, file: BinaryIO, delimiter: str = "") -> None:
        self._file = file
        _check_begin(file)
        self.delimiter = delimiter or _said(file) or _likeliest(file)
        first = next(_read(file, self.delimiter), None)
        if first is None:
            raise Unreadable("The file is empty. Its first line names the columns.")
        if first.problem:
            raise Unreadable(f"The header (line {first.line}) {first.problem}.")
        self.header = tuple(first.cells)
        self.columns = tuple(
            name if name.strip() else f"column {place}" for place, name in enumerate(first.cells, 1)
        )
        check_once(self.columns)

    def rows(self) -> Iterator[Row]:
        """Those below the header. Raises Unreadable, also where there is none."""
        rows = _read(self._file, self.delimiter)
        next(rows)
        row = None
        for row in rows:
            yield row
        if row is None:
            raise Unreadable("The file has a header and no row below it.")

    def first_line(self) -> str:
        """With its end and with its byte order mark; of a file whose first line names the delimiter, an empty one."""
        self._file.seek(0)
        mark = self._file.read(3) == codecs.BOM_UTF8
        self._file.seek(0)
        return ("\ufeff" if mark else "") + next(_lines(self._file))

    def begins_with(self, text: str) -> bool:
        self._file.seek(0)
        data = text.encode()
        return self._file.read(len(data)) == data


def check_once(names: Sequence[str]) -> None:
    """Raise Unreadable where two columns have one name."""
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        places = [str(at) for at, name in enumerate(names, 1) if name == twice[0]]
        raise Unreadable(
            f"The columns {', '.join(places[:9])} are all called “{twice[0][:80]}”. Give each a name of its own in the "
            "file's first line, and send it again."
        )


def cells_of(text: str) -> list[str]:
    """The cells of one row, with commas between, as it was written here."""
    return next(csv.reader(io.StringIO(text, newline="")), [])


def _check_begin(file: BinaryIO) -> None:
    if not file.seekable():
        raise Unreadable(
            "A file is read more than once, and this can be read once only. Save it as a file first."
        )
    file.seek(0)
    begins = file.read(1024)
    for mark, message in _OTHERS.items():
        if begins.startswith(mark):
            raise Unreadable(f"{message} {SAVE_AS}")
    if b"\0" in begins.partition(b"\n")[0]:
        raise Unreadable(f"The file's first line holds a NUL character: it is no text. {SAVE_AS}")
    if begins.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"["):
        raise Unreadable("The file is JSON, not CSV. Send CSV, or choose the format that it has.")


def _said(file: BinaryIO) -> str:
    """The delimiter that the first line names; "" where it names none."""
    file.seek(0)
    said = _SEP.match(file.read(20).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace"))
    if said and said[1] not in DELIMITERS.values():
        raise Unreadable(
            f"The file's first line says that {said[1]} stands between cells. Use a comma, a semicolon or a tab."
        )
    return said[1] if said else ""


def _likeliest(file: BinaryIO) -> str:
    """The delimiter that parts the first row into most cells; a comma where all give the same."""
    sizes: dict[str, int] = {}
    fault: Unreadable | None = None
    for mark in DELIMITERS.values():
        try:
            sizes[mark] = len(next(_read(file, mark), Row(0, ())).cells)
        except Unreadable as unreadable:
            fault = fault or unreadable
    if not sizes and fault:
        raise fault
    return max(sizes, key=lambda mark: sizes[mark])


def _read(file: BinaryIO, delimiter: str) -> Iterator[Row]:
    """The rows that are not blank, from the header on, which says how many cells the others have."""
    file.seek(0)
    line = length = width = 0
    text: list[str] = []  # of the row that is read

    def lines() -> Iterator[str]:
        nonlocal length
        for one in _lines(file):
            length += len(one)
            if length > LONGEST:
                raise _too_long(line)
            text.append(one)
            yield one

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    while True:
        line, length = reader.line_num + 1, 0
        text.clear()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise _malformed(str(error), line, "".join(text), delimiter) from None
        if cells is None:
            return
        whole = "".join(cells)
        if not whole or whole.isspace():
            continue
        width = width or len(cells)
        problem = ""
        if len(cells) != width:
            name = next(name for name, mark in DELIMITERS.items() if mark == delimiter)
            problem = (
                f"has {len(cells)} cells, and the header has {width}: write a cell for each column, and in quotation "
                f"marks what holds a {name}"
            )
        elif "\0" in whole:
            column = next(at for at, cell in enumerate(cells, 1) if "\0" in cell)
            problem = f"holds a NUL character in column {column}: remove it"
        yield Row(line, cells, problem)


def _malformed(error: str, line: int, row: str, delimiter: str) -> Unreadable:
    """Why Python's module read this row no further; its column is the first that is no whole cell."""
    most = f"{{0,{LONGEST_CELL}}}+"
    cell = re.compile(rf'(?:"(?:[^"]|""){most}"|(?!")[^{delimiter}]{most}){delimiter}')
    column, at = 1, 0
    while found := cell.match(row, at):
        column, at = column + 1, found.end()
    if "expected after" in error:
        what = "there is something between a closing quotation mark and the next delimiter"
    elif "field limit" in error:
        what = (
            f"the cell has over {LONGEST_CELL:,} characters. Shorten it, unless a quotation mark in it is never "
            "closed"
        )
    else:
        what = "a quotation mark is never closed"
    return Unreadable(
        f"Line {line}, column {column}: {what}. Close a quotation mark before the next delimiter; within a quoted cell "
        "it is written twice."
    )


def _too_long(line: int) -> Unreadable:
    return Unreadable(
        f"Line {line}: the row has over {LONGEST:,} characters, as if a quotation mark in it were never closed. Close "
        "it, or shorten the row."
    )


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
        # An empty line in place of Excel's keeps the numbers of the others.
        left = left if count else _SEP.sub("", left)
        lines = list(io.StringIO(left, newline=""))
        # The last may go on, and a line feed may follow its carriage return.
        left = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        count += len(lines)
        yield from lines
        if len(left) > LONGEST:
            raise _too_long(count + 1)
        if not piece:
            if left:
                yield left
            return
