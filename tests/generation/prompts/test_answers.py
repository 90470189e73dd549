"""What of a reply is its answer: literal cases."""

import pytest

from generation.prompts.answers import Answer, answer_of, reading_words

ABSTAINED, UNREAD = Answer(abstained=True), Answer(unread=True)
FIRST = {"extract": "first line"}
LAST = {"extract": "last line"}
AFTER = {"after": "Answer:"}
LONG = "The euro. " * 10_000


def cases(*rows):
    return pytest.mark.parametrize(
        ("prompt", "reply", "answer"), rows, ids=map(str, range(len(rows)))
    )


@cases(
    ({}, " the Euro\nor so \n", "the Euro\nor so"),
    ({"extract": "whole"}, "the Euro", "the Euro"),
    ({}, "", ""),
    (FIRST, "\n  \nthe Euro \r\nI am sure.", "the Euro"),
    (LAST, "I am sure.\nthe Euro\n \n", "the Euro"),
    (FIRST, " \n", ""),
    (LAST, "the Euro", "the Euro"),
    (AFTER, "Answer: the Euro\nsince 2002", "the Euro\nsince 2002"),
    (AFTER, "Answer: the Mark. No. Answer:\n\nthe Euro", "the Euro"),
    ({**AFTER, **FIRST}, "It says so.\nAnswer:\n \nthe Euro\nsince 2002", "the Euro"),
    ({**AFTER, **LAST}, "Answer: Let me think.\nthe Euro", "the Euro"),
    ({**AFTER, **FIRST}, LONG * 2 + "Answer: the Euro", "the Euro"),
    ({}, LONG, LONG.strip()),
    (AFTER, "الجواب واضح. Answer: اليورو", "اليورو"),
    (FIRST, "欧元。\n因为课文是这样说的。", "欧元。"),
)
def test_the_answer_stands_where_the_prompt_declares_it(prompt, reply, answer):
    assert answer_of(reply, prompt) == Answer(answer)


@cases(
    (AFTER, "the Euro", UNREAD),
    (AFTER, "answer: the Euro", UNREAD),
    (AFTER, "Answer : the Euro", UNREAD),
    (AFTER, "答案：欧元", UNREAD),
    (AFTER, "Answer：欧元", UNREAD),  # a fullwidth colon
    (AFTER, "الجواب: اليورو", UNREAD),
    (AFTER, "", UNREAD),
    (AFTER, LONG, UNREAD),
    (AFTER, "Answer: the Euro. Answer:", UNREAD),
    (AFTER, "Answer: \n", UNREAD),
)
def test_a_reply_without_the_marker_or_with_nothing_after_it_is_unread(prompt, reply, answer):
    assert answer_of(reply, prompt) == answer


@cases(
    ({}, "None", ABSTAINED),
    ({}, "\n None.", ABSTAINED),
    ({}, "Nonetheless, the Euro", ABSTAINED),
    ({}, "none", Answer("none")),
    ({}, "“None”", Answer("“None”")),
    ({}, "لا شيء", Answer("لا شيء")),
    ({}, "Answer: None", Answer("Answer: None")),
    (AFTER, "Answer: None", ABSTAINED),
    (AFTER, "None", UNREAD),
    (FIRST, "None\nor the Euro", ABSTAINED),
    (LAST, "None\nor the Euro", Answer("or the Euro")),
)
def test_an_answer_that_begins_with_the_word_is_an_abstention(prompt, reply, answer):
    assert answer_of(reply, {**prompt, "abstain": "None"}) == answer


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ({}, ""),
        ({"extract": "whole", "after": ""}, ""),
        (FIRST, "the first line"),
        (AFTER, "what stands after the last “Answer:”"),
        ({**AFTER, **LAST}, "the last line after the last “Answer:”"),
        (
            {**FIRST, "abstain": "None"},
            "the first line; what begins with “None” is an abstention",
        ),
    ],
)
def test_the_page_says_what_is_scored(prompt, words):
    assert reading_words(prompt) == words
