"""Which words name a person, where they stand in a text, and the text without them."""

import pytest

from pages.name_words import ExcerptPiece, excerpt, replaced, words_of

DOROTHEA = words_of("Dorothea Brooke", "dorothea", ["d.brooke@middlemarch.example"])
LI = words_of("Li", "li")
EMILE = words_of("Émile Zola", "emile")


def test_a_persons_words_are_names_addresses_and_their_parts():
    assert DOROTHEA.certain == {"Dorothea Brooke", "d.brooke@middlemarch.example"}
    assert DOROTHEA.likely == {"Dorothea", "Brooke", "dorothea", "d.brooke", "brooke"}


@pytest.mark.parametrize(
    ("words", "text", "without"),
    [
        (DOROTHEA, "ask Dorothea Brooke, please", "ask P-1, please"),
        (DOROTHEA, "DOROTHEA's note", "P-1's note"),
        (DOROTHEA, "to d.brooke@middlemarch.example.", "to P-1."),
        (DOROTHEA, "dorothea_verdicts-2.csv", "P-1_verdicts-2.csv"),
        (DOROTHEA, "Brookes and Dorotheas", "Brookes and Dorotheas"),
        (DOROTHEA, "the middlemarch example", "the middlemarch example"),
        (LI, "Li likes lists; LI.", "P-1 likes lists; P-1."),
        (EMILE, "e\u0301mile wrote: ÉMILE", "P-1 wrote: P-1"),
        (DOROTHEA, {"by": ["Dorothea", 5, None], "Brooke": True}, {"by": ["P-1", 5, None], "Brooke": True}),
        (words_of("B", "b"), "plan B", "plan B"),
        (words_of("", ""), "any text", "any text"),
        (words_of("C++ (dev)", "c++"), "C++ (dev) knows C++", "P-1 knows P-1"),
    ],
)  # fmt: skip
def test_only_whole_words_are_replaced(words, text, without):
    assert replaced(text, words, "P-1") == without


def test_keys_are_replaced_where_they_are_of_a_file():
    assert replaced([{"Brooke": {"Dorothea": "Brooke"}}], DOROTHEA, "P-1", keys=True) == [
        {"P-1": {"P-1": "P-1"}}
    ]


@pytest.mark.parametrize(
    ("text", "certain"),
    [("Dorothea Brooke", True), ("for d.brooke@middlemarch.example", True), ("Dorothea", False)],
)
def test_a_whole_name_and_an_address_are_certain(text, certain):
    assert DOROTHEA.is_certain(text) == certain


def test_common_parts_are_left_out_and_whole_names_stay():
    words = DOROTHEA.without({"brooke", "dorothea brooke"})
    assert replaced("Brooke, Dorothea Brooke", words, "P-1") == "Brooke, P-1"


def test_an_excerpt_shows_the_first_place():
    text = "x" * 100 + " Dorothea wrote it " + "y" * 100
    assert excerpt(text, DOROTHEA) == [
        ExcerptPiece("…"),
        ExcerptPiece("x" * 59 + " "),
        ExcerptPiece("Dorothea", names=True),
        ExcerptPiece(" wrote it " + "y" * 50 + "…"),
    ]
    assert excerpt("nobody", DOROTHEA) == []
