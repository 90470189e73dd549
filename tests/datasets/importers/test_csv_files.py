"""CSV files: which rows and columns they have, what becomes of them, and what is refused."""

import csv
import io

import pytest

from datasets.declared.writing import FileNoted
from datasets.importers.csv_files.columns import Chosen, ColumnsUnclear, proposed
from datasets.importers.csv_files.questions import FIELDS, CsvQuestions
from datasets.question_table import HEADER
from datasets.readers.json_text import Unreadable

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
    ("text", "answer"),
    [
        ('"18,""50"', '18,"50'),
        ('"18\n50"', "18\n50"),
        ('"18\r\n50"', "18\r\n50"),
        ('=HYPERLINK("x")', '=HYPERLINK("x")'),
        ("+1850", "+1850"),
        ("-1850", "-1850"),
        ("@1850", "@1850"),
        (" 1850\u2028 ", " 1850\u2028 "),
        ("", ""),
    ],
)
def test_a_cell_is_taken_as_it_is(text, answer):
    (record,), _ = read(f"{OWN}\n{ROW}\n".replace("1850,", f"{text},"))
    [slot] = record.slots
    assert record.columns["passage_1_copied"] == "Built in 1850."
    assert slot.answer_1 == answer


@pytest.mark.parametrize("question", ["", " "])
def test_a_row_without_a_question_is_refused_by_its_line(question):
    assert "lines 2 to 3: 'q' is empty in line 3: write the question" in message_of(
        f"{OWN}\n{ROW}\n{question}{ROW[18:]}\n"
    )


def test_a_value_outside_a_declared_list_is_refused_by_line_and_column():
    columns = {**CHOSEN.columns, "same?": "same_passage"}
    found = message_of(f"{OWN},same?\n{ROW},Same\n{ROW},perhaps\n", Chosen(columns))
    assert "line 3: 'same?' is \"perhaps\", not Same or Different" in found


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
