"""The invented record of a protocol is one that an import would take, and fits its prompts."""

import pytest

from datasets.declared.records import parse_declared
from protocols.checking import all_problems, part_keys
from protocols.example_record import invented
from protocols.reading import read_protocol
from protocols.shipped import declaration_of, shipped
from tests.protocols.factories import TEXT, WHOLE, changed


def declared(text):
    return read_protocol(text.encode(), all_problems, part_keys())


def test_each_field_has_a_value_of_its_kind():
    example = invented(declared(TEXT))
    assert example.source == "an invented record"
    assert list(example.record.items()) == [
        ("mill", "water"),
        ("question", "Options 1"),
        ("source", "Text of source."),
        ("options", ["Options 1", "Options 2"]),
        ("right", "A"),
    ]


def test_letters_of_one_list_differ():
    text = f'{TEXT}\n[[field]]\nname = "wrong"\ntype = "letter"\nof = "options"\n'
    record = invented(declared(text)).record
    assert (record["right"], record["wrong"]) == ("A", "B")


@pytest.mark.parametrize(
    ("reads", "asked", "length"),
    [
        ("", "{question} {options.1} or {options.2}?", 2),
        ("", "{question} {options.1} or {options.7}?", 7),
        ('reads = { 3 = "{1}, {2}, {3}" }', "{question} {options}", 3),
        ('reads = { 1 = "{1}", 3 = "{1}, {2}, {3}" }', "{question} {options.2}", 3),
    ],
)
def test_a_list_is_as_long_as_the_file_needs_it(reads, asked, length):
    text = changed('reads = { 1 = " in {1}", 2 = " from {1} to {2}" }', reads, WHOLE)
    text = text.replace('options = ["A", "B"]', 'options = ["A", "B", "C", "D", "E", "F", "G"]')
    text = text.replace("{question} {options.1} or {options.2}?", asked)
    assert len(invented(declared(text)).record["options"]) == length


def test_a_text_that_is_to_be_in_a_list_is():
    text = f'{TEXT}\n[[field]]\nname = "answer"\none_of = "options"\n'
    assert invented(declared(text)).record["answer"] == "Options 1"


@pytest.mark.parametrize("name", shipped())
def test_an_import_would_take_it(name):
    declaration = declaration_of(name)
    assert parse_declared(declaration, invented(declaration).record).record
