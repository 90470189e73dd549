"""The verdict in a judge model's reply: a table of replies."""

import pytest

from judging.judgereply import SPELLINGS, Parsed, parse

UNPARSED = Parsed("", "")


@pytest.mark.parametrize(
    ("reply", "verdict", "spelling"),
    [
        ("evaluation: correct", "correct", "correct"),
        ("comment: It has both.\n\nevaluation: partially correct", *["partially correct"] * 2),
        ("evaluation: partically correct", "partially correct", "partically correct"),
        ("evaluation: particially correct.", "partially correct", "particially correct"),
        ("EVALUATION: InCorrect.", "incorrect", "incorrect"),
        ("Thus, it is wrong. evaluation:  incorrect \n", "incorrect", "incorrect"),
        ("evaluation:correct\r\n", "correct", "correct"),
        ("evaluation: partially\tcorrect", "partially correct", "partially correct"),
        # The last one decides.
        ("evaluation: correct\nOn reflection.\nevaluation: incorrect", "incorrect", "incorrect"),
        ("evaluation: correct evaluation: incorrect", "incorrect", "incorrect"),
    ],
)
def test_a_reply_with_a_verdict(reply, verdict, spelling):
    assert parse(reply) == Parsed(verdict, spelling)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Thus, the response is correct.",
        "evaluation:",
        "evaluation:\ncorrect",
        "evaluation: mostly correct",
        "evaluation: correct, since it has both answers",
        "evaluation: not correct",
        "evaluation: partial",
        "evaluation: parially correct",
        "evaluation: correct\nevaluation: hard to say",
        "evaluation = correct",
        "evaluation: correct!",
        "evaluation: korrekt",
    ],
)
def test_a_reply_without_one_is_unparsed_and_never_guessed(reply):
    assert parse(reply) == UNPARSED


def test_every_spelling_stands_for_a_verdict_that_is_stored():
    assert set(SPELLINGS.values()) == {"correct", "partially correct", "incorrect"}
    assert len(SPELLINGS) == 5
