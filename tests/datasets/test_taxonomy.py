import json

import pytest

from datasets import taxonomy


def test_the_form_offers_25_options_in_four_dimensions():
    assert [(d.short, len(d.options)) for d in taxonomy.DIMENSIONS] == [
        ("I", 17),
        ("II", 4),
        ("III", 2),
        ("IV", 2),
    ]


def test_no_value_is_in_two_dimensions():
    values = [value for d in taxonomy.DIMENSIONS for value in d.values]
    assert len(set(values)) == len(values)


def test_every_option_has_a_label_and_its_help_once():
    options = [choice for d in taxonomy.DIMENSIONS for choice in d.options]
    assert all(choice.label and choice.help for choice in options)
    assert len({choice.help for choice in options}) == len(options)


@pytest.mark.parametrize(
    ("value", "short"),
    [
        ("(DiscourseLevel) NP-related ", "I"),
        ("(DiscourseLevel) Event/Relation-related ", "I"),
        ("(PhraseLevel) Entity - Product (Titles of books, songs, etc.)", "I"),
        ("Other", "II"),
        ("Across different articles", "III"),
        ("Implicit (reasoning required)", "IV"),
    ],
)
def test_a_value_is_found_in_its_dimension(value, short):
    assert taxonomy.dimension_of(value).short == short
    assert taxonomy.option(value).value == value


@pytest.mark.parametrize(
    "value", ["(DiscourseLevel) NP-related", "explicit", "", "Contradict type I"]
)
def test_a_value_that_differs_by_a_byte_is_no_option(value):
    assert taxonomy.option(value) is None
    assert taxonomy.dimension_of(value) is None


def test_values_are_put_in_the_order_of_the_form():
    assert taxonomy.order(["Explicit", "else", "Text - Text", "Explicit"]) == [
        "Text - Text",
        "Explicit",
        "else",
    ]


def test_every_published_type_is_an_option(study_data):
    records = json.loads(
        (study_data / "wikicontradict/wikicontradict.json").read_text(encoding="utf-8")
    )
    used = {
        pair[1] for r in records for pair in r["annotationResult"]["taxonomy"] if len(pair) == 2
    }
    assert {value for value in used if taxonomy.option(value) is None} == set()
