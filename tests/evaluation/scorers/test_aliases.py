"""Aliases: literal cases."""

import pytest

from evaluation.scorers import aliases, kinds

EURO = ["the Euro", "€", "EUR"]
MANY = [f"alias {n}" for n in range(200)]


def right(golds, reply, match="equal", **prompt) -> bool | str:
    """Whether the reply is right; or its state."""
    scorer = {"kind": "alias", "gold": ["aliases"], "match": match}
    known = aliases.aliases(scorer, {"aliases": golds})
    label, number = kinds.scored(scorer, known, {"abstain": "None", **prompt}, "", reply)
    assert number != number
    return {"right": True, "wrong": False}.get(label, label)


@pytest.mark.parametrize(
    ("golds", "reply", "equal", "contained"),
    [
        (EURO, "euro.", True, True),
        (EURO, "€", True, True),
        (EURO, "the Euro, since 2002", False, True),
        (EURO, "“Euro”", False, True),
        (EURO, "5 €", False, True),
        (EURO, "€5", False, True),
        (EURO, "Europe", False, False),
        (EURO, "neuro", False, False),
        (EURO, "euro’s", False, False),
        (EURO, "None", False, False),
        (EURO, "", False, False),
        (["W", "cs", "NA"], "How Tomcs was known in Vienna", False, False),
        (["W", "cs", "NA"], "W", True, True),
        (["W", "cs", "NA"], "George W. Bush", False, True),
        (["W", "cs", "NA"], "the letters cs", False, True),
        (["1,195"], "11,950", False, False),
        (["1,195"], "1195 people", False, True),
        (["New York"], "New\n York City", False, True),
        (["New York"], "York, New", False, False),
        (["The"], "The", True, True),
        (["The"], "None", True, True),
        (["The"], "the Euro", False, False),
        (["...", "€"], "so", False, False),
        (["..."], "so", False, False),  # the gold is the empty text, which is in nothing
        (["..."], "None", True, True),
        ([], "None", True, True),
        ([], "Euro", False, False),
        (MANY, "Alias 199", True, True),
        (MANY, "It is alias 17, I think.", False, True),
        (MANY, "alias 200", False, False),
        (["w"], "w" * 100_000, False, False),
        (["w"], "x " * 50_000 + "w", False, True),
        (["اليورو"], "هو اليورو الآن", False, True),
        (["يورو"], "اليورو", False, False),
        (["欧元"], "答案是欧元。", False, True),  # ideographs are words of their own
        (["欧元"], "美元", False, False),
    ],
)  # fmt: skip
def test_equal_or_contained_as_whole_words(golds, reply, equal, contained):
    assert (right(golds, reply), right(golds, reply, "contained")) == (equal, contained)


def test_the_answer_is_read_as_the_prompt_declares():
    assert right(EURO, "Euro\nis what the text says", extract="first line")
    assert right(EURO, "Euro", after="Answer:") == "unread"


def test_a_record_without_the_field_has_nothing_to_compare_with():
    assert right(None, "Euro") == "without gold"
