"""CSV files: which rows and columns they have, what becomes of them, and what is refused."""

import csv
import io
from itertools import islice

import pytest

from datasets.declared.writing import FileNoted
from datasets.importers.csv_files.columns import Chosen, ColumnsUnclear, opened, proposed
from datasets.importers.csv_files.questions import FIELDS, CsvQuestions
from datasets.importers.csv_files.reading import CsvFile, looks_like_csv
from datasets.importers.json_text import Unreadable
from datasets.question_table import HEADER

OWN = "q,p1,p2,a1,a2"
CHOSEN = Chosen(
    {"q": "question", "p1": "passage_1_copied", "p2": "passage_2_copied", "a1": "answer_1", "a2": "answer_2"}
)  # fmt: skip
ROW = "When was it built?,Built in 1850.,Built in 1900.,1850,1900"


def read(text, chosen=CHOSEN):
    data = text if isinstance(text, bytes) else text.encode()
    noted = FileNoted()
    return list(CsvQuestions(chosen).records(io.BytesIO(data), noted)), noted


def message_of(text, chosen=CHOSEN):
    with pytest.raises(Unreadable) as refused:
        read(text, chosen)
    return " ".join([refused.value.message, *refused.value.problems])


def published(*rows):
    """A published table; a row is (number, question, passage 1, answer 1, title)."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(HEADER)
    for number, question, passage, answer, title in rows:
        both = f"{passage}\nOther."
        about = ("Explicit", "Different", both, f"{answer}|no", title, "u")
        lines.writerow([number, question, passage, "Other.", answer, "no", *about])
    return text.getvalue()


def test_the_published_table_maps_by_itself_and_comes_out_as_it_is(study_data):
    data = (study_data / "wikicontradict" / "wikicontradict_rag_qa.csv").read_bytes()
    records, noted = read(data, Chosen())
    assert (len(records), sum(len(one.slots) for one in records)) == (130, 253)
    assert (noted.differs, noted.reported) == (None, {})


def test_rows_of_one_page_are_the_questions_of_a_record_by_their_numbers():
    table = published(
        (2, "Second?", "A.", "y", "Mill"),
        (3, "Third?", "A.", "y", "Mill"),
        (1, "First?", "A.", "y", "Mill"),
        (4, "Fourth?", "A.", "y", "Weir"),
    )
    (mill, weir), noted = read(table, Chosen())
    assert [(slot.n, slot.question) for slot in mill.slots] == [
        (1, "First?"), (2, "Second?"), (3, "Third?")
    ]  # fmt: skip
    assert (mill.columns["title"], mill.columns["type_4"], weir.slots[0].n) == (
        "Mill",
        "Explicit",
        1,
    )
    assert mill.columns["taxonomy"] == [["Contradict type IV", "Explicit"]]
    assert (noted.differs, noted.reported) == (None, {})


def test_what_is_written_for_other_cells_is_counted():
    table = published((7, "First?", "A.", "y", "Mill")).replace("y|no", "y or no")
    _, noted = read(table.replace("A.\nOther.", "A. Other."), Chosen())
    assert noted.reported == {
        "column “question_ID”, another number than the export gives": 1,
        "column “merged_context”, not made of both passages": 1,
        "column “ref_answer”, not made of both answers": 1,
    }
    assert noted.differs == 2


def test_columns_that_are_mapped_to_nothing_are_counted_by_their_cells():
    _, noted = read(f"{OWN},note,empty\n{ROW},hm,\n1 {ROW},,\n2 {ROW},so,\n")
    assert noted.reported == {"column “note”": 2}
    assert noted.differs == 1


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (f"{OWN}\n{ROW}\n", None),
        (f"\ufeff{OWN}\n{ROW}\n", None),
        (f"{OWN}\r\n{ROW}\r\n", None),
        (f"{OWN}\r{ROW}\r", None),
        (f"{OWN}\n\n{ROW}\n\n", None),
        (f"{OWN}\n{ROW}", None),
        (f"{OWN}\n{ROW}\n".replace(",", ";"), None),
        (f"{OWN}\n{ROW}\n".replace(",", "\t"), None),
        (f"sep=;\r\n{OWN}\r\n{ROW}\r\n".replace(",", ";"), None),
        (
            f'\ufeff"SEP=;"\n{OWN}\n{ROW}\n'.replace(",", ";").replace("1850;", '"18,50,00,0";'),
            {"answer_1": "18,50,00,0"},
        ),
        (f"{OWN}\n{ROW}\n".replace("1850,", '"18,""50",'), {"answer_1": '18,"50'}),
        (f"{OWN}\n{ROW}\n".replace("1850,", '"18\n50",'), {"answer_1": "18\n50"}),
        (f"{OWN}\n{ROW}\n".replace("1850,", '"18\r\n50",'), {"answer_1": "18\r\n50"}),
        (f"{OWN}\n{ROW}\n".replace("1850,", '=HYPERLINK("x"),'), {"answer_1": '=HYPERLINK("x")'}),
        (f"{OWN}\n{ROW}\n".replace("1850,", "+1850,"), {"answer_1": "+1850"}),
        (f"{OWN}\n{ROW}\n".replace("1850,", "-1850,"), {"answer_1": "-1850"}),
        (f"{OWN}\n{ROW}\n".replace("1850,", "@1850,"), {"answer_1": "@1850"}),
        (f"{OWN}\n{ROW}\n".replace("1850,", " 1850\u2028 ,"), {"answer_1": " 1850\u2028 "}),
        (f"{OWN}\n{ROW}\n".replace("1850,", ","), {"answer_1": ""}),
    ],
)
def test_the_same_record_is_read_however_the_file_is_written(text, cells):
    (record,), _ = read(text)
    [slot] = record.slots
    assert record.columns["passage_1_copied"] == "Built in 1850."
    assert slot.answer_1 == (cells or {"answer_1": "1850"})["answer_1"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The file is empty"),
        (" \n\n", "The file is empty"),
        (OWN, "The file has a header and no row below it"),
        (f"{OWN}\n\n", "The file has a header and no row below it"),
        (f"{OWN}\na,b\n{ROW}\n", "row 1 (from line 2): has 2 cells, and the header has 5"),
        (f"{OWN}\n{ROW}\n\n{ROW},x\n", "row 2 (from line 4): has 6 cells, and the header has 5"),
        (f"{OWN}\n{ROW}\n".encode("latin-1").replace(b"Built", b"B\xfcilt"),
         "The file is not UTF-8 (line 2). Save it as CSV in UTF-8 (in Excel: “CSV UTF-8”), and send it again."),
        (f"{OWN}\r\n{ROW}\r".encode() + b"\xfc", "The file is not UTF-8 (line 3)"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "The file is no text, but binary, as pictures and archives are"),
        (f"{OWN}\n{ROW}\n".encode("utf-16"), "The file is UTF-16, not UTF-8. Save it as CSV in UTF-8"),
        (f"{OWN}\n{ROW}\n".encode("utf-16-le"), "holds a NUL character: it is no text"),
        (b"PK\x03\x04 and so on", "The file is a spreadsheet, not CSV"),
        ('[{"question": "x"}]', "The file is JSON, not CSV"),
        (f"{OWN}\n{ROW}\n".replace("1850,", "18\0,"), "remove it (row 1)"),
        (f'{OWN}\n{ROW}\n"When', "The row that begins in line 3 has a quotation mark that is never closed. Close it."),
        (f'{OWN}\n"{"a" * 140_000}', "If a quotation mark in it is never closed, close it."),
        (f'{OWN}\n{ROW}\n"a"b,c,d,e,f\n', "The row that begins in line 3 has something between a closing"),
        (f"{OWN}\n{'a' * 5_000_000},b", "Line 2 has over 4,194,304 characters"),
        (f"{OWN}\n{ROW}\n" + '"\n",' * 1_100_000, "The row that begins in line 3 has over 4,194,304 characters"),
        (f"{OWN}\n{'a' * 140_000},b,c,d,e\n", "The row that begins in line 2 has a cell of over 131,072 characters, "
         "more than CSV may have here. Shorten it, or send the records as JSON."),
        ("q,a,q\n1,2,3\n", "The columns 1, 3 are all called “q”. Give each a name of its own"),
        (",".join(map(str, range(201))), "The file has 201 columns; at most 200"),
        (f"{OWN}\n{ROW[18:]}\n", "row 1 (from line 2): 'q' is empty in row 1: write the question"),
        (f"{OWN}\n {ROW[18:]}\n", "write the question"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_says_why(text, says):
    assert says in message_of(text)


def test_a_value_outside_a_declared_list_is_refused_by_row_and_column():
    columns = {**CHOSEN.columns, "same?": "same_passage"}
    found = message_of(f"{OWN},same?\n{ROW},Same\n{ROW},perhaps\n", Chosen(columns))
    assert "row 2 (from line 3): 'same?' is \"perhaps\", not Same or Different" in found


def test_more_questions_than_a_record_can_have_are_several_records():
    records, _ = read(f"{OWN}\n" + "".join(f"{n}. {ROW}\n" for n in range(200)))
    assert [len(one.slots) for one in records] == [99, 99, 2]


def test_a_row_that_stands_twice_is_one_question_and_counted():
    rows = [ROW, ROW, f"So. {ROW}", ROW, ROW.replace("1900", "1901"), ROW]
    records, noted = read("\n".join([OWN, *rows]))
    assert [len(one.slots) for one in records] == [2, 1, 1]
    assert noted.reported == {"rows that repeat a question of their record": 2}
    assert noted.differs
    assert [len(one.slots) for one in read(f"{OWN}\n" + f"{ROW}\n" * 200)[0]] == [1]


class Endless(io.RawIOBase):
    """A header, and then two rows by turns without end."""

    def __init__(self):
        self.at = 0

    def seekable(self):
        return True

    def seek(self, at, whence=0):
        self.at = at
        return at

    def tell(self):
        return self.at

    def read(self, size=-1):
        head, row = f"{OWN}\n".encode(), f"{ROW}\n{ROW.replace('Built', 'Made')}\n".encode()
        whole = head + row * (size // len(row) + 3)
        skip = self.at if self.at < len(head) else len(head) + (self.at - len(head)) % len(row)
        data = whole[skip : skip + size]
        self.at += len(data)
        return data


def test_rows_are_read_as_they_are_needed():
    assert len(list(islice(CsvFile(Endless()).cells(), 10))) == 10
    assert len(list(islice(CsvQuestions(CHOSEN).records(Endless()), 100))) == 100


ASKED = "question passage_1_copied passage_2_copied answer_1 answer_2"


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (["Question", "Passage 1", "PASSAGE_2", "answer-1", "Answer 2"], ASKED),
        (["question", "context1", "context2", "answer1", "answer2"], ASKED),
        (["QUESTION", "question"], "- question"),
        (["paragraphA_information", "paragraphA_information_standalone"], "passage_1_copied passage_1_standalone"),
        (["Contradict type IV", "tagDate", "url"], "type_4 tag_date url"),
        (["問", "---", "column 3"], "- - -"),
    ],
)  # fmt: skip
def test_columns_are_proposed_by_their_names(names, fields):
    found = proposed(names, FIELDS)
    assert [found[name] or "-" for name in names] == fields.split()


@pytest.mark.parametrize(
    ("changes", "says", "missing"),
    [
        ({"a2": ""}, "No column is mapped to Answer of passage 2 (answer_2).", ["answer_2"]),
        ({"a2": "answer_1"}, "“a1”, “a2” are all mapped to Answer of passage 1. Choose one of them.", ["answer_2"]),
        ({"b": "title"}, "The file has no column “b”; it has q, p1, p2, a1, a2.", []),
        ({"a2": "colour"}, "There is no field “colour” for the column “a2”; there are question", ["answer_2"]),
    ],
)  # fmt: skip
def test_columns_that_give_no_record_are_refused_with_the_proposal(changes, says, missing):
    with pytest.raises(ColumnsUnclear) as refused:
        read(f"{OWN}\n{ROW}\n", Chosen({**CHOSEN.columns, **changes}))
    assert says in refused.value.message
    details = refused.value.details
    assert details["missing"] == missing
    assert details["columns"] == dict.fromkeys(OWN.split(","), "")
    assert details["fields"]["answer_2"] == "Answer of passage 2"


def test_without_a_choice_names_must_say_what_is_needed():
    said = message_of(f"{OWN}\n{ROW}\n", Chosen())
    assert "No column is mapped to Question (question), Answer of passage 1" in said
    assert "If the file's first line has no names of columns, put such a line first." in said


def test_a_line_of_excel_that_names_the_delimiter_is_none_of_the_table():
    file = io.BytesIO(b"sep=;\na,b,c;d\n1;2\n3\n")
    assert opened(file, Chosen()).columns == ("a,b,c", "d")
    assert opened(file, Chosen(delimiter="comma")).columns == ("a", "b", "c;d")
    with pytest.raises(Unreadable) as refused:
        read("sep=,\n" + f"{OWN}\n{ROW}\na,b\n")
    assert "row 2 (from line 4): has 2 cells" in refused.value.problems[0]


def test_a_column_without_a_name_is_called_by_its_place():
    table = CsvFile(io.BytesIO(f",{OWN},\n1,{ROW},\n".encode()))
    assert table.columns == ("column 1", *OWN.split(","), "column 7")


def test_a_delimiter_can_be_chosen():
    file = io.BytesIO(b"a,b;c,d\n1;2\n")
    assert opened(file, Chosen()).columns == ("a", "b;c", "d")
    assert opened(file, Chosen(delimiter="semicolon")).columns == ("a,b", "c,d")
    with pytest.raises(Unreadable, match=r"no delimiter '\|'; there are comma, semicolon, tab"):
        opened(file, Chosen(delimiter="|"))


@pytest.mark.parametrize(
    ("data", "is_csv"),
    [
        (b"a,b", True),
        (b"\xef\xbb\xbf a", True),
        (b'"a"', True),
        (b'\xef\xbb\xbf {"', False),
        (b"[1", False),
        (b"", False),
    ],
)
def test_json_is_not_taken_for_csv(data, is_csv):
    assert looks_like_csv(io.BytesIO(data)) is is_csv
