"""Exact match and F1: literal cases, worked by hand from the rules of the SQuAD 2.0 script."""

import pytest

from evaluation.scorers import kinds, squad
from evaluation.scorers.squad import normalised
from generation.models import FINDINGS

RIGHTS = [
    "Mary Wollstonecraft fought for women’s rights",
    "Wollstonecraft fought for women’s rights",
    "for women’s rights",
    "women’s rights",
]
ABSTAINS = {"abstain": "None"}
AFTER = {**ABSTAINS, "after": "Answer:"}


def scored(golds, reply, prompt=ABSTAINS, state=""):
    """(label, F1) of a reply."""
    scorer = {"kind": "squad", "gold": ["answers"]}
    known = squad.counted(scorer, {"answers": golds})
    return kinds.scored(scorer, known, prompt, state, reply)


@pytest.mark.parametrize(
    ("golds", "reply", "exact", "f1"),
    [
        (["the Euro"], "The Deutsche Mark, not the Euro", 0, 0.4),  # of 4 words and 1, one is common
        (["1,195"], "1195 of the 1,959 people", 0, 0.4),
        (["the Euro"], "The EURO!", 1, 1),
        (RIGHTS, "women’s rights", 1, 1),
        (RIGHTS, "fought for rights", 0, 0.75),  # 3 of 3 and 3 of 5 words of the second gold
        (RIGHTS, "women's rights", 0, 0.5),  # a straight apostrophe is dropped: "womens"
        (RIGHTS, "None", 0, 0),
        (RIGHTS, "Nonetheless", 0, 0),
        (RIGHTS, "", 0, 0),
        ([], "Women’s rights", 0, 0),
        ([], "None", 1, 1),
        ([], "Answer: None", 0, 0),
        ([], "none", 0, 0),
        ([], "Nonetheless", 1, 1),
        ([], "", 1, 1),
        ([], "The", 1, 1),  # nothing is left of it
        (["The"], "The", 1, 1),
        (["The"], "None", 1, 1),
        (["The"], "the Euro", 0, 0),
        (["The", "Euro"], "None", 0, 0),
        (["The", "Euro"], "the Euro", 1, 1),
        (["?!", "…"], "…", 1, 1),  # "…" is no ASCII punctuation
        (["?!"], "…", 0, 0),
        (["?!"], "!", 1, 1),
        ("the Euro", "Euro", 1, 1),  # a text is one gold
        ("", "None", 1, 1),
        (["€"], "€", 1, 1),
        (["a b c", "b"], "b b c", 0, 0.8),  # of "b c": 2 common of 3 and 2
        (["اليورو"], "اليورو", 1, 1),
        (["اليورو"], "هو اليورو", 0, 2 / 3),
        (["欧元"], "欧元", 1, 1),
        (["欧元"], "答案是欧元。", 0, 0),
        (["the Euro"], "Euro " + "or " * 50_000, 0, 2 / 50_002),
    ],
)  # fmt: skip
def test_exact_match_and_f1(golds, reply, exact, f1):
    assert scored(golds, reply) == ("right" if exact else "wrong", pytest.approx(f1))


@pytest.mark.parametrize(
    ("golds", "reply", "score"),
    [
        ([], "Answer: None", ("right", 1)),
        (RIGHTS, "Answer: None", ("wrong", 0)),
        (RIGHTS, "So. Answer: women’s rights", ("right", 1)),
        (RIGHTS, "women’s rights", ("unread", 0)),
        ([], "None", ("unread", 0)),
    ],
)
def test_with_a_marker_the_answer_is_what_follows_it(golds, reply, score):
    assert scored(golds, reply, AFTER) == score


@pytest.mark.parametrize("state", [key for key, _ in FINDINGS])
def test_a_finished_response_without_an_answer_counts_0(state):
    assert scored(RIGHTS, "", state=state) == (state, 0)


@pytest.mark.parametrize("state", ["failed", "missing", "skipped", ""])
def test_a_record_without_the_field_has_nothing_to_compare_with(state):
    label, f1 = scored(None, "None", state=state)
    assert label == "without gold"
    assert f1 != f1


def test_golds_of_several_fields_are_put_together():
    scorer = {"gold": ["answer", "aliases", "more"]}
    record = {"answer": "The Euro", "aliases": ["euro", "€", "The", "..."]}
    assert squad.golds(scorer, record) == ("euro", "€")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  The\tAnswer,\nan A. ", "answer"),
        ("theatre an-other", "theatre another"),  # whole words alone; a hyphen joins
        ("U.S.A.", "usa"),
        ("women’s “rights”", "women’s “rights”"),
        ("ÄRGER’", "ärger’"),
        ("the_end", "theend"),
        ("a.the b", "athe b"),
        ("_", ""),
    ],
)
def test_what_is_left_of_a_text(text, words):
    assert normalised(text) == words
