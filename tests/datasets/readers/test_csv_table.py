"""The same odd files, given to every place that takes a CSV: all read what can be read, and refuse the rest alike."""

import csv
import io
from itertools import islice

import pytest

from datasets.importers.csv_files.columns import Chosen, opened
from datasets.importers.csv_files.questions import CsvQuestions
from datasets.importers.declared_records import DeclaredRecords
from datasets.readers.csv_table import LONGEST_CELL, CsvTable
from datasets.readers.json_text import Unreadable
from evaluation.labels.file import read_labels
from judging.files.predictionfile import predictions_in
from tests.datasets.declared.small import declaration


def questions(data):
    return [
        (one.columns["passage_1_copied"], [slot.question for slot in one.slots])
        for one in CsvQuestions().records(io.BytesIO(data))
    ]


def records(data):
    return [
        one.record
        for one in DeclaredRecords(declaration('shape = "csv"')).records(io.BytesIO(data))
    ]


def replies(data):
    return [(row.key, row.reply) for row in predictions_in(data).rows]


def labels(data):
    found = read_labels(io.BytesIO(data))
    names = (
        [found.rater_names[n] for n in found.raters],
        [found.label_names[n] for n in found.labels],
    )
    return found.items.tolist(), *names


# Two rows for each place; a cell of each row holds no comma, semicolon, tab or quotation mark.
PLACES = {
    questions: (
        ["question", "context1", "context2", "answer1", "answer2"],
        ["When?", "In 1850.", "In 1900.", "1850", "1900"],
        ["Where?", "At É.", "At B.", "É", "B"],
    ),
    records: (
        ["river", "season", "note", "question", "options", "right", "wrong"],
        ["Aller", "summer", "n", "q?", '["A"]', "A", "A"],
        ["Ók", "summer", "n", "q?", '["A"]', "A", "A"],
    ),
    replies: (["item", "reply", "note"], ["0", "correct", "x"], ["1", "É", "y"]),
    labels: (["item", "rater", "label"], ["1", "ann", "yes"], ["1", "é", "no"]),
}  # fmt: skip


def written(rows, *, end="\n", **form):
    text = io.StringIO()
    csv.writer(text, lineterminator=end, **form).writerows(rows)
    return text.getvalue()


@pytest.fixture(params=PLACES, ids=lambda place: place.__name__)
def place(request):
    return request.param


def blank(rows):
    """Blank lines, and rows of empty cells as spreadsheets write them."""
    head, *others = written(rows).splitlines()
    empty = "," * (len(rows[0]) - 1)
    return "\n \n" + "\n".join([head, "", empty, *others, empty, ""]) + "\n"


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: "\ufeff" + written(rows),
        lambda rows: "sep=;\r\n" + written(rows, delimiter=";", end="\r\n"),
        lambda rows: '\ufeff"SEP=,"\n' + written(rows),
        lambda rows: written(rows, delimiter=";"),
        lambda rows: written(rows, delimiter="\t"),
        lambda rows: written(rows, end="\r\n"),
        lambda rows: written(rows, end="\r"),
        lambda rows: written(rows, end="\r").rstrip("\r"),
        lambda rows: written(rows).rstrip("\n"),
        lambda rows: written(rows, quoting=csv.QUOTE_ALL),
        blank,
    ],
    ids=[
        *("BOM", "sep=;", "quoted sep", "semicolons", "tabs", "Windows", "old Mac", "old Mac, no end", "no end"),
        *("quotes", "blanks"),
    ],
)  # fmt: skip
def test_the_same_is_read_however_the_file_is_written(place, form):
    plain = place(written(PLACES[place]).encode())
    assert plain
    assert place(form(PLACES[place]).encode()) == plain


def with_cell(cell, *, row=2):
    """The file with another first cell in a row."""

    def text(rows):
        return written([[cell, *one[1:]] if at == row else one for at, one in enumerate(rows)])

    return text


def raw(line):
    return lambda rows: f"{written(rows)}{line}\n"


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (lambda rows: "", "The file is empty"),
        (lambda rows: "\ufeff \n\n", "The file is empty"),
        (lambda rows: "sep=;", "The file is empty"),
        (lambda rows: written(rows[:1]), "The file has a header and no row below it."),
        (lambda rows: written(rows[:1]) + "\n\n", "The file has a header and no row below it."),
        (raw("a,b"), "line 4: has 2 cells, and the header has {width}: write a cell for each column"),
        (raw("\n" + "a," * 9), "line 5: has 10 cells, and the header has {width}: write a cell for each column"),
        (with_cell("x\0"), "line 3: holds a NUL character in column 1: remove it"),
        (with_cell("a\0", row=0), "The file's first line holds a NUL character: it is no text."),
        (raw('"a'), "Line 4, column 1: a quotation mark is never closed. Close a quotation mark"),
        (raw('a,"b ""c"", d'), "Line 4, column 2: a quotation mark is never closed."),
        (raw('a,"b\nc",d,"e"f'), "Line 4, column 4: there is something between a closing quotation mark and"),
        (with_cell("a" * (LONGEST_CELL + 1)), "Line 3, column 1: the cell has over 131,072 characters. Shorten it"),
        (raw('a,"' + "b" * (LONGEST_CELL + 1)), "Line 4, column 2: the cell has over 131,072 characters."),
        (raw("a" * 5_000_000), "Line 4: the row has over 4,194,304 characters"),
        (raw('"\n",' * 1_100_000), "Line 4: the row has over 4,194,304 characters"),
        (lambda rows: written(rows).encode("latin-1"),
         "The file is not UTF-8 (line 3). Save it as CSV in UTF-8 (in Excel: “CSV UTF-8”), and send it again."),
        (lambda rows: f"{written(rows)}“cp1252”".encode("cp1252", "replace"), "The file is not UTF-8 (line 3)"),
        (lambda rows: written(rows).encode("utf-16"), "The file is UTF-16, not UTF-8. Save it as CSV in UTF-8"),
        (lambda rows: written(rows).encode("utf-16-le"), "holds a NUL character: it is no text"),
        (lambda rows: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "The file is no text, but binary"),
        (lambda rows: b"PK\x03\x04 and so on", "The file is a spreadsheet, not CSV"),
        (lambda rows: '[{"item": 1}]', "The file is JSON, not CSV"),
        (lambda rows: "sep=|\n" + written(rows, delimiter="|"), "says that | stands between cells. Use a comma,"),
        (lambda rows: written([[*one, *one] for one in rows]),
         "are all called “{head}”. Give each a name of its own in the file's first line"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_line_and_column(place, form, says):
    text = form(PLACES[place])
    with pytest.raises(Unreadable) as refused:
        place(text if isinstance(text, bytes) else text.encode())
    [head, *_] = PLACES[place]
    said = " ".join([refused.value.message, *refused.value.problems])
    assert says.format(width=len(head), head=head[0]) in said


@pytest.mark.parametrize(
    ("name", "columns"),
    [("", ("a,b,c", "d")), ("comma", ("a", "b", "c;d")), ("tab", ("a,b,c;d",))],
)
def test_a_delimiter_that_is_chosen_goes_before_the_one_that_the_file_names(name, columns):
    file = io.BytesIO(b"sep=;\na,b,c;d\n1;2\n3\n")
    assert opened(file, Chosen(delimiter=name)).columns == columns


def test_a_delimiter_that_is_none_is_refused():
    with pytest.raises(Unreadable, match=r"no delimiter '\|'; there are comma, semicolon, tab"):
        opened(io.BytesIO(b"a\n"), Chosen(delimiter="|"))


def test_the_import_asks_for_the_columns_of_no_more_than_200():
    with pytest.raises(Unreadable, match="The file has 201 columns; at most 200"):
        opened(io.BytesIO(",".join(map(str, range(201))).encode()), Chosen())


def test_a_column_without_a_name_is_called_by_its_place():
    assert CsvTable(io.BytesIO(b",a,\n1,2,3\n")).columns == ("column 1", "a", "column 3")


class Endless(io.RawIOBase):
    """A header, and then rows without end."""

    at = 0

    def seekable(self):
        return True

    def seek(self, at, whence=0):
        self.at = at
        return at

    def read(self, size=-1):
        data = b"a,b\n" * (size // 4 + 2)
        skip, self.at = self.at % 4, self.at + size
        return data[skip : skip + size]


def test_rows_are_read_as_they_are_needed():
    assert [row.line for row in islice(CsvTable(Endless()).rows(), 100_000)][-1] == 100_001


def test_what_can_be_read_once_only_is_refused():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

    with pytest.raises(Unreadable, match="Save it as a file first"):
        CsvTable(Pipe(b"a\n1\n"))
