"""Which replies have the form that a prompt asks for."""

import unicodedata

import pytest

from generation.prompts.controlled import WantedForm, is_greedy, varied
from generation.prompts.prompting import Form

PASSAGE = "The Zoë Canal (dug by hand) is 5 km  long,\nand 3.5 m deep. 運河は五キロです。"
LONG = "kilometre " * 25_000


def cases(names, rows):
    """Parametrized without the texts, which are long, in the names of the tests."""
    return pytest.mark.parametrize(names, rows, ids=map(str, range(len(rows))))


@cases(
    ("reply", "has_it"),
    [
        ("5 km", True),
        (" 5 km\n", True),
        ("5 km long, and", True),  # the passage's blanks and line breaks are folded
        ("5  km long", True),
        ("5\N{NO-BREAK SPACE}km", True),
        ("dug by hand", True),
        ("(dug", True),
        ("deep.", True),
        (PASSAGE, True),
        (unicodedata.normalize("NFD", "Zoë Canal"), True),
        ("五キロ", True),  # no blanks between words
        ("3.5 m deep", True),
        ("5 m deep", False),  # a number cut at its point
        ("3", False),
        ("anal", False),  # a word cut at its beginning
        ("Can", False),  # at its end
        ("5 km.", False),
        ("“5 km”", False),
        ('"5 km"', False),
        ("the Zoë Canal", False),  # its case
        ("Zoe Canal", False),
        ("Zo\N{CYRILLIC SMALL LETTER IO} Canal", False),
        ("5 \N{KELVIN SIGN}m", False),
        ("It is 5 km long", False),
        ("5 km 3.5 m", False),
        ("", False),
        (" ", False),
        ("\N{ZERO WIDTH SPACE}", False),
        (LONG, False),
        ("None", True),
        ("\n None.", True),
        ("None of these", True),
        ("Nonetheless", True),  # starts with None, as in the paper
        ("none", False),
        ("“None”", False),
        ("The answer is None", False),
        ("N\N{CYRILLIC SMALL LETTER O}ne", False),
        ("None " + LONG, True),
    ],
)  # fmt: skip
def test_a_span_is_a_part_of_a_passage_or_starts_with_none(reply, has_it):
    assert WantedForm(Form.SPAN, ["Something else.", PASSAGE], 3).has(reply) is has_it


@cases(
    ("of", "reply", "has_it"),
    [
        ([], "5 km", False),
        ([""], "5 km", False),
        ([" "], " ", False),
        ([""], "None", True),
        (["It is 15 km, or 5 km."], "5 km", True),  # the first place cuts a number
        (["Canal 1 ends."], "ends. It is", False),
        (["Canal 1 ends.", "It is 5 km."], "ends. It is", False),  # of one passage alone
        ([LONG], LONG, True),
        (["a" * 250_000], "a" * 1000, False),
        (["\N{KELVIN SIGN}"], "K", True),  # equivalent in Unicode
        (["It is 1,195 km."], "195 km", False),
        (["It is 1,195 km."], "1,195 km", True),
        (["I don't know, 5, or 6."], "don", False),
        (["I don’t know, 5, or 6."], "t know", False),
        (["I don't know, 5, or 6."], "don't know, 5", True),
        (["'Long', he wrote. 3."], "Long", True),
        (["'Long', he wrote. 3."], "3", True),
    ],
)
def test_a_span_of_unusual_passages(of, reply, has_it):
    assert WantedForm(Form.SPAN, of, 3).has(reply) is has_it


@cases(
    ("reply", "has_it"),
    [
        *[(reply, True) for reply in ("A", " A\n", "(A)", "(A).", "A.", "A)", "A:", "A) Vitamin B12", "(B) It is so")],
        ("A. Because A) is long", True),
        ("A. B or not, it is long", True),
        *[(reply, False) for reply in ("A: B", "A. B", "A) no, it is B", "A) the canal. Correct: B", "A: **B**")],
        ("A) Vitamin B", False),  # it ends with another option
        ("C++", True),
        ("C++) for speed", True),
        *[(reply, False) for reply in ("", " ", "a", "AB", "(A", "A or B", "A canal is long", "A, B", "A.B", "None")],
        *[(reply, False) for reply in ("A) or B)", "(A) and (B)", "A. No, B.", "The answer is A", "**A**")],
        ("\N{CYRILLIC CAPITAL LETTER A}", False),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER A}", False),
        ("A) " + LONG, True),
        (LONG, False),
    ],
)  # fmt: skip
def test_an_option_is_chosen_alone_or_before_a_text(reply, has_it):
    assert WantedForm(Form.OPTION, ["A", "B", "C++"], 3).has(reply) is has_it


@pytest.mark.parametrize("of", [["No", "No. 1"], ["Yes", "Yes: partly"], ["a", "A", "(a)"]])
def test_each_option_is_itself(of):
    assert all(WantedForm(Form.OPTION, of, 3).has(option) for option in of)


def test_options_of_several_words_are_whole():
    wanted = WantedForm(Form.OPTION, ["yes", "yes, partly", "Zoë"], 3)
    assert wanted.has("yes, partly")
    assert not wanted.has("yes, and more")
    assert wanted.has(unicodedata.normalize("NFD", "(Zoë)"))


@pytest.mark.parametrize(
    ("reply", "asking", "verb"),
    [("5 km", 0, "finish"), ("5 km", 2, "finish"), ("no", 1, "repeat"), ("no", 2, "skip")],
)
def test_it_is_asked_until_a_reply_has_the_form_or_the_last_has_not(reply, asking, verb):
    assert WantedForm(Form.SPAN, [PASSAGE], 3).verb(reply, asking) == verb


@pytest.mark.parametrize(
    ("reading", "reply", "has_it"),
    [
        ({"after": "Answer:"}, "It is long. Answer: 5 km", True),
        ({"after": "Answer:"}, "5 km", False),
        ({"after": "Answer:"}, "Answer: It is 5 km", False),
        ({"after": "Answer:"}, "Answer: None", True),
        ({"extract": "last line"}, "It is long.\n5 km", True),
        ({"extract": "first line"}, "It is long.\n5 km", False),
        ({"abstain": "Unknown"}, "Unknown.", True),
        ({"abstain": "Unknown"}, "None", False),
    ],
)
def test_the_answer_of_a_reply_has_the_form(reading, reply, has_it):
    assert WantedForm(Form.SPAN, [PASSAGE], 3, reading=reading).has(reply) is has_it


@pytest.mark.parametrize(
    ("options", "greedy"),
    [
        ({"temperature": 0}, True),
        ({"temperature": 0.0, "seed": 1}, True),
        ({"temperature": 1, "top_k": 1}, True),
        ({"top_p": 0}, True),
        ({"do_sample": False}, True),
        ({"temperature": 0.7}, False),
        ({"temperature": 1, "top_k": 0, "do_sample": True}, False),
        ({}, False),  # the service's own temperature
    ],
)
def test_which_options_make_replies_alike(options, greedy):
    assert is_greedy(options) is greedy


@pytest.mark.parametrize(
    ("options", "asking", "sent"),
    [
        ({"seed": 7}, 0, {"seed": 7}),
        ({"seed": 7}, 2, {"seed": 9}),
        ({"seed": 0, "top_p": 1}, 1, {"seed": 1, "top_p": 1}),
        ({"seed": None}, 1, {"seed": None}),
        ({}, 3, {}),
    ],
)
def test_each_asking_has_a_seed_of_its_own(options, asking, sent):
    assert varied(options, asking) == sent
