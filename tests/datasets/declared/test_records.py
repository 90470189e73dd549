"""What a record of a protocol may hold, and what is wrong with another: each problem with its key."""

import pytest

from datasets.declared.deviations import declared_deviations
from datasets.declared.records import parse_declared
from datasets.schema import RecordRefused
from tests.datasets.declared.small import declaration, ferry


def problems_of(record):
    with pytest.raises(RecordRefused) as refused:
        parse_declared(declaration(), record)
    return list(map(str, refused.value.problems))


def test_a_record_is_kept_as_it_is_with_its_title_and_question():
    long = "Aller" * 100
    parsed = parse_declared(declaration(), ferry(river=long))
    assert parsed.fields == ferry(river=long)
    assert parsed.columns == {"title": long[:300], "validity": "Valid"}
    assert [slot.question for slot in parsed.slots] == ["Which river does it cross?"]


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ("Aller", "is text, not an object with keys"),
        ({str(n): "" for n in range(2000)}, "has 2000 entries, more than the 1000 of any record"),
        (ferry(river=None), "'river' is missing"),
        (ferry(depth="3 m"), "'depth' is not a key of ferries"),
        (ferry(note=7), "'note' is a number, not text"),
        (ferry(note="a\0b"), "'note' holds a NUL character, which no database keeps; remove it"),
        (
            ferry(note="\ud800"),
            "'note' holds half of a surrogate pair, which is no character; remove it",
        ),
        (ferry(question=" \n"), "'question' is empty, and is what lists show as the question"),
        (ferry(options="Weser", right="A"), "'options' is text, not a list"),
        (ferry(options=["Weser", 2]), "'options.2' is a number, not text"),
        (ferry(options=["Weser", None]), "'options.2' is null, not text"),
        (ferry(options=["Weser", ["Aller"]]), "'options.2' is a list, not text"),
        (
            ferry(options=["Weser", "\udc00"]),
            "'options.2' holds half of a surrogate pair, which is no character; remove it",
        ),
        (ferry(options=["x"] * 1001), "'options' has 1001 entries, more than the 1000 of any record"),
        (ferry(right="C"), "'right' is \"C\", no letter of options from A to B"),
        (ferry(right="AB"), "'right' is \"AB\", no letter of options from A to B"),
        (ferry(right="b"), "'right' is \"b\", no letter of options from A to B"),
        (ferry(right=""), "'right' is \"\", no letter of options from A to B"),
        (ferry(right=2), "'right' is a number, not text"),
        (ferry(right=["B"]), "'right' is a list, not text"),
    ],
)  # fmt: skip
def test_each_problem_names_its_key(record, says):
    assert problems_of(record) == [says]


def test_all_problems_of_a_record_are_named():
    assert problems_of(ferry(options=[], note=7, river=None, depth="")) == [
        "'river' is missing",
        "'note' is a number, not text",
        "'right' is \"B\", no letter of options and it has no text",
        "'wrong' is \"A\", no letter of options and it has no text",
        "'depth' is not a key of ferries",
    ]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"note": " \n"}, ["a passage is empty (note) Note"]),
        ({"season": "spring"}, ["not a value that the protocol knows (season) spring"]),
        ({"season": ""}, ["not a value that the protocol knows (season) empty"]),
        (
            {"options": ["Weser", "Aller", "Weser"]},
            ["a list has the same text twice (options) Weser"],
        ),
        ({"river": "Oker"}, [
            "the option and the field that it stands for differ (right) B, Aller, and not Oker",
        ]),
        ({"river": " Aller "}, []),
        ({"wrong": "B"}, ["two answers have the same letter (right) Right and Wrong: B"]),
    ],
)  # fmt: skip
def test_what_can_be_kept_but_is_not_as_declared_is_a_deviation(changes, found):
    record = ferry(**changes)
    parse_declared(declaration(), record)
    assert [
        " ".join(filter(None, (one.kind, f"({one.place})", one.detail)))
        for one in declared_deviations(declaration(), record)
    ] == found
