"""The words of a search, and what a grid shows of a text."""

import pytest

from generation.excerpts import excerpt, wanted
from pages.controls import visible


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", []),
        (" \n ", []),
        ("two  words", ["two", "words"]),
        ("one one", ["one"]),
        ('"two words" one', ["two words", "one"]),
        ('"', ['"']),
        ('""', ['""']),
        ('say "no', ["say", '"no']),
        ("100% a_b \\", ["100%", "a_b", "\\"]),
    ],
)
def test_a_query_is_words_and_phrases(query, words):
    assert wanted(query) == words


def shown(pieces):
    return "".join(f"[{text}]" if kind == "found" else text for kind, text in pieces)


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("", ["a"], ""),
        ("  In 1801. ", [], "In 1801."),
        ("In 1801, not in 1802, says the book.", [], "In 1801, not in 1802, …"),
        ("y" * 30, [], "y" * 24 + " …"),
        ("Not in 1801.", ["IN", "1801"], "Not [in] [1801]."),
        ("a.b", ["."], "a[.]b"),
        ("The book says that it was built in 1801 by Ann.", ["1801"], "… in [1801] by Ann."),
        ("Élan", ["éLAN"], "[Élan]"),
        (
            "It is a long phrase that was found.",
            ["is a long phrase that was"],
            "It [is a long phrase that was] …",
        ),
        ("x" * 50 + "1801" + "x" * 50, ["1801"], "… " + "x" * 8 + "[1801]" + "x" * 12 + " …"),
    ],
)
def test_an_excerpt_is_the_beginning_or_what_is_around_the_words(text, words, expected):
    assert shown(excerpt(text, words, 24)) == expected


def test_control_characters_are_visible_and_lines_stay():
    assert visible("a\x00\x1b[31m\x7f\x85\r\n\tb") == "a␀␛[31m␡\ufffd\r\n\tb"
