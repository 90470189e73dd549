"""Valid and invalid input from a browser."""

import pytest
from django.http import QueryDict

from annotation.fields.form_input import read_changes, read_form
from annotation.fields.steps import STEPS


def posted(*pairs):
    query = QueryDict(mutable=True)
    for name, value in pairs:
        query.appendlist(name, value)
    return query


def read_one(name, value):
    reading = read_changes(STEPS, {name: value})
    return reading.entries.get(name), reading.problems, reading.notices


def test_a_form_is_read_whole_and_what_it_lacks_is_blank():
    reading = read_form(
        STEPS,
        posted(
            ("validity", "Valid"),
            ("passage_1_copied", " one\r\ntwo "),
            ("type_1", "(PhraseLevel) Entity - Number"),
            ("type_1", "(DiscourseLevel) NP-related "),
            ("confidence", "4"),
            ("questions-0-question", "Q?"),
            ("questions-0-answer_1", "a"),
            ("questions-0-derived_2", "on"),
        ),
    )
    assert reading.problems == {}
    assert reading.entries["passage_1_copied"] == " one\ntwo "
    assert reading.entries["type_1"] == [
        "(PhraseLevel) Entity - Number",
        "(DiscourseLevel) NP-related ",
    ]
    assert reading.entries["confidence"] == 4
    assert reading.entries["same_passage"] == ""
    assert reading.entries["questions"] == [
        {
            "question": "Q?",
            "answer_1": "a",
            "answer_2": "",
            "derived_1": False,
            "derived_2": True,
        }
    ]


def test_rows_close_up_where_one_was_removed():
    reading = read_form(STEPS, posted(("questions-0-question", "a"), ("questions-3-question", "b")))
    assert [row["question"] for row in reading.entries["questions"]] == ["a", "b"]


def test_control_characters_are_taken_out_and_reported():
    value, problems, notices = read_one("passage_1_copied", "a\x00b\x07c\td\ne\ud800\x85")
    assert (value, problems) == ("abc\td\ne", {})
    assert notices == ["4 control characters taken out of “Passage 1, as copied”."]


def test_marks_that_scripts_need_are_kept():
    text = "ن\u200cم \u202b e\u0301"
    assert read_one("passage_1_copied", text) == (text, {}, [])


def test_a_line_has_no_line_ends():
    assert read_one("article_1", "Kettle\r\nMill\t2")[0] == "Kettle Mill 2"


def test_a_megabyte_is_refused_with_a_sentence_and_given_back():
    paste = "x" * 1_048_576
    value, problems, _ = read_one("passage_1_copied", paste)
    assert value == paste
    assert problems == {
        "passage_1_copied": "“Passage 1, as copied” has 1,048,576 characters; at most 20,000 can be kept. Shorten it."
    }


def test_too_many_questions_are_refused_and_given_back():
    rows = [{"question": str(n)} for n in range(21)]
    value, problems, _ = read_one("questions", rows)
    assert len(value) == 21
    assert problems == {"questions": "There are 21 rows; at most 20 can be kept."}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validity", "Maybe"),
        ("validity", ["Valid"]),
        ("type_1", ["Text - Text"]),
        ("type_1", [1]),
        ("type_1", "no such"),
        ("confidence", 6),
        ("confidence", "high"),
        ("confidence", True),
        ("passage_1_copied", 7),
        ("passage_1_copied", None),
        ("questions", "text"),
        ("questions", ["text"]),
        ("author", "bob"),
        ("state", "accepted"),
    ],
)
def test_what_the_form_never_sends_is_a_problem_of_that_field(name, value):
    _, problems, _ = read_one(name, value)
    assert list(problems) == [name]


def test_a_problem_in_a_row_names_its_cell():
    _, problems, _ = read_one("questions", [{"question": "Q"}, {"question": "x" * 1001}])
    assert list(problems) == ["questions-1-question"]


def test_the_names_of_all_fields_are_said_once():
    """However many names a program sends that are none."""
    problems = read_changes(STEPS, {f"spam_{n}": "" for n in range(1000)}).problems
    assert ", only " in problems["spam_0"]
    assert [name for name, said in problems.items() if "passage_1_copied" in said] == ["spam_0"]
    assert problems["spam_999"] == "The form has no field “spam_999” either."
