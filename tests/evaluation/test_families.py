"""Families of comparisons: what is compared with what, and over which questions."""

import pytest

from evaluation.bootstrap import Plan
from evaluation.families import (
    FAMILIES,
    GAINS,
    MODELS,
    PROMPTS,
    REASONING,
    Answered,
    Answers,
    Family,
    answerable,
    compared,
    size,
)

PLAN = Plan(seed=1, resamples=500)
FOUR, FIVE = "both-passages", "both-passages-comprehensive"


def answers(*given, one_passage=()):
    return Answers(given, verdict="correct", one_passage=one_passage)


def said(model, prompt, n, verdict, reasoning="explicit", same=False, sample=1):
    return Answered(model, prompt, (n, sample), f"Abbey {n}", reasoning, same, verdict)


def of(kind, *prompts, margin=None):
    return Family("k", "T", kind, prompts, margin)


def test_only_questions_answered_on_both_sides_are_paired():
    found = answers(
        said("m", FOUR, 1, "incorrect"),
        said("m", FIVE, 1, "correct"),
        said("m", FOUR, 2, "correct"),  # prompt 5 has no verdict on it
        said("m", FIVE, 3, "correct"),
    )
    (one,) = compared(of(PROMPTS, (FOUR, FIVE)), found, PLAN)
    assert (one.found.first, one.found.second) == ((0, 1), (1, 1))


def test_samples_are_paired_with_their_like():
    found = answers(
        *(said("m", FOUR, 1, "incorrect", sample=n) for n in (1, 2)),
        *(said("m", FIVE, 1, "correct", sample=n) for n in (1, 2, 3)),
    )
    (one,) = compared(of(PROMPTS, (FOUR, FIVE)), found, PLAN)
    assert one.found.first == (0, 2)


def test_questions_of_one_passage_stay_out_where_a_prompt_gives_one():
    found = answers(
        said("m", "passage-1", 1, "correct", same=True),
        said("m", FOUR, 1, "correct", same=True),
        said("m", "passage-1", 2, "correct"),
        said("m", FOUR, 2, "incorrect"),
        one_passage={"passage-1"},
    )
    (one,) = compared(of(PROMPTS, ("passage-1", FOUR)), found, PLAN)
    assert (one.found.first, one.found.second) == ((1, 1), (0, 1))


def test_each_two_models_are_compared_once():
    found = answers(*(said(model, FIVE, n, "correct") for model in "abc" for n in range(3)))
    names = [(one.first, one.second) for one in compared(of(MODELS, (FIVE,)), found, PLAN)]
    assert names == [("a", "b"), ("a", "c"), ("b", "c")]


def test_untyped_questions_are_neither_explicit_nor_implicit():
    found = answers(
        said("m", FIVE, 1, "correct"),
        said("m", FIVE, 2, "incorrect", "implicit"),
        said("m", FIVE, 3, "correct", "untyped"),
    )
    (one,) = compared(of(REASONING, (FIVE,)), found, PLAN)
    assert (one.found.first, one.found.second) == ((0, 1), (1, 1))


def test_a_gain_is_compared_between_explicit_and_implicit():
    found = answers(
        *(said("m", FOUR, n, "incorrect", kind) for n, kind in enumerate(["explicit", "implicit", "untyped"])),
        *(said("m", FIVE, n, verdict, kind) for n, (verdict, kind) in enumerate(
            [("correct", "explicit"), ("incorrect", "implicit"), ("correct", "untyped")]
        )),
    )  # fmt: skip
    (one,) = compared(of(GAINS, (FOUR, FIVE)), found, PLAN)
    assert one.found.value == 1.0
    assert (one.found.gain.second, one.found.other_gain.second) == ((1, 1), (0, 1))


def test_p_values_are_corrected_over_the_whole_family():
    found = answers(
        *(said(model, FOUR, n, "incorrect") for model in "ab" for n in range(12)),
        *(said("a", FIVE, n, "correct") for n in range(12)),
        *(said("b", FIVE, n, "correct" if n < 6 else "incorrect") for n in range(12)),
    )
    a, b = compared(of(PROMPTS, (FOUR, FIVE)), found, PLAN)
    assert (a.found.p_exact, b.found.p_exact) == (2 / 2**12, 2 / 2**6)
    assert (a.p_exact_corrected, b.p_exact_corrected) == (4 / 2**12, 2 / 2**6)


def test_a_margin_gives_a_decision_and_none_without_an_interval():
    n = 60
    near = answers(
        *(said("m", FOUR, i, "correct") for i in range(n)),
        *(said("m", FIVE, i, "incorrect" if i == 0 else "correct") for i in range(n)),
    )
    (one,) = compared(of(PROMPTS, (FOUR, FIVE), margin=0.2), near, PLAN)
    assert one.within == "equivalent"
    few = answers(said("m", FOUR, 1, "correct"), said("m", FIVE, 1, "incorrect"))
    (one,) = compared(of(PROMPTS, (FOUR, FIVE), margin=0.2), few, PLAN)
    assert one.within == ""


def test_families_that_the_answers_cannot_speak_to_are_left_out():
    one_model = answers(said("m", FOUR, 1, "correct"), said("m", FIVE, 1, "correct"))
    assert [family.key for family in answerable(one_model)] == ["asking", "reasoning", "gains"]
    assert answerable(answers()) == []


def test_no_declared_family_asks_of_too_many_p_values():
    assert all(size(family, models=5) <= 10 for family in FAMILIES)
    assert len({family.key for family in FAMILIES}) == len(FAMILIES)


@pytest.mark.parametrize("kind", [PROMPTS, MODELS, REASONING, GAINS])
def test_nothing_to_compare_gives_nothing(kind):
    prompts = (FOUR, FIVE) if kind in (PROMPTS, GAINS) else (FIVE,)
    assert compared(of(kind, prompts), answers(), PLAN) == []
