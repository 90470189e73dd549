"""Families of comparisons: what is compared with what, and over which questions."""

from dataclasses import fields

import pytest

from evaluation.compare.families import (
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
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.columns import columns

PLAN = ResamplePlan(seed=1, resamples=500)
FOUR, FIVE = "both-passages", "both-passages-comprehensive"


def answers(*given, one_passage=()):
    names = [field.name for field in fields(Answered)]
    answered = Answered(**columns(names, given))
    return Answers(answered, verdict="correct", one_passage=one_passage)


def answer(model, prompt, n, verdict, reasoning="explicit", same=False, sample=1):
    return model, prompt, f"Abbey {n}", reasoning, same, verdict, 1, (n, sample)


def family_of(kind, *prompts, margin=None):
    return Family("k", "T", kind, prompts, margin)


def test_only_questions_answered_on_both_sides_are_paired():
    result = answers(
        answer("m", FOUR, 1, "incorrect"),
        answer("m", FIVE, 1, "correct"),
        answer("m", FOUR, 2, "correct"),  # prompt 5 has no verdict on it
        answer("m", FIVE, 3, "correct"),
    )
    (one,) = compared(family_of(PROMPTS, (FOUR, FIVE)), result, PLAN)
    assert (one.difference.first, one.difference.second) == ((0, 1), (1, 1))


def test_samples_are_paired_with_their_like():
    result = answers(
        *(answer("m", FOUR, 1, "incorrect", sample=n) for n in (1, 2)),
        *(answer("m", FIVE, 1, "correct", sample=n) for n in (1, 2, 3)),
    )
    (one,) = compared(family_of(PROMPTS, (FOUR, FIVE)), result, PLAN)
    assert one.difference.first == (0, 2)


def test_questions_of_one_passage_stay_out_where_a_prompt_gives_one():
    result = answers(
        answer("m", "passage-1", 1, "correct", same=True),
        answer("m", FOUR, 1, "correct", same=True),
        answer("m", "passage-1", 2, "correct"),
        answer("m", FOUR, 2, "incorrect"),
        one_passage={"passage-1"},
    )
    (one,) = compared(family_of(PROMPTS, ("passage-1", FOUR)), result, PLAN)
    assert (one.difference.first, one.difference.second) == ((1, 1), (0, 1))


def test_each_two_models_are_compared_once():
    result = answers(*(answer(model, FIVE, n, "correct") for model in "abc" for n in range(3)))
    names = [(one.first, one.second) for one in compared(family_of(MODELS, (FIVE,)), result, PLAN)]
    assert names == [("a", "b"), ("a", "c"), ("b", "c")]


def test_untyped_questions_are_neither_explicit_nor_implicit():
    result = answers(
        answer("m", FIVE, 1, "correct"),
        answer("m", FIVE, 2, "incorrect", "implicit"),
        answer("m", FIVE, 3, "correct", "untyped"),
    )
    (one,) = compared(family_of(REASONING, (FIVE,)), result, PLAN)
    assert (one.difference.first, one.difference.second) == ((0, 1), (1, 1))


def test_a_gain_is_compared_between_explicit_and_implicit():
    result = answers(
        *(answer("m", FOUR, n, "incorrect", kind) for n, kind in enumerate(["explicit", "implicit", "untyped"])),
        *(answer("m", FIVE, n, verdict, kind) for n, (verdict, kind) in enumerate(
            [("correct", "explicit"), ("incorrect", "implicit"), ("correct", "untyped")]
        )),
    )  # fmt: skip
    (one,) = compared(family_of(GAINS, (FOUR, FIVE)), result, PLAN)
    assert one.difference.value == 1.0
    assert (one.difference.gain.second, one.difference.other_gain.second) == ((1, 1), (0, 1))


def test_p_values_are_corrected_over_the_whole_family():
    result = answers(
        *(answer(model, FOUR, n, "incorrect") for model in "ab" for n in range(12)),
        *(answer("a", FIVE, n, "correct") for n in range(12)),
        *(answer("b", FIVE, n, "correct" if n < 6 else "incorrect") for n in range(12)),
    )
    a, b = compared(family_of(PROMPTS, (FOUR, FIVE)), result, PLAN)
    assert (a.difference.p_exact, b.difference.p_exact) == (2 / 2**12, 2 / 2**6)
    assert (a.p_exact_corrected, b.p_exact_corrected) == (4 / 2**12, 2 / 2**6)


def test_a_margin_gives_a_decision_and_none_without_an_interval():
    n = 60
    near = answers(
        *(answer("m", FOUR, i, "correct") for i in range(n)),
        *(answer("m", FIVE, i, "incorrect" if i == 0 else "correct") for i in range(n)),
    )
    (one,) = compared(family_of(PROMPTS, (FOUR, FIVE), margin=0.2), near, PLAN)
    assert one.within == "equivalent"
    few = answers(answer("m", FOUR, 1, "correct"), answer("m", FIVE, 1, "incorrect"))
    (one,) = compared(family_of(PROMPTS, (FOUR, FIVE), margin=0.2), few, PLAN)
    assert one.within == ""


def test_families_that_the_answers_cannot_speak_to_are_left_out():
    one_model = answers(answer("m", FOUR, 1, "correct"), answer("m", FIVE, 1, "correct"))
    assert [family.key for family in answerable(one_model)] == ["asking", "reasoning", "gains"]
    assert answerable(answers()) == []


def test_no_declared_family_asks_of_too_many_p_values():
    assert all(size(family, models=5) <= 10 for family in FAMILIES)
    assert len({family.key for family in FAMILIES}) == len(FAMILIES)


@pytest.mark.parametrize("kind", [PROMPTS, MODELS, REASONING, GAINS])
def test_nothing_to_compare_gives_nothing(kind):
    prompts = (FOUR, FIVE) if kind in (PROMPTS, GAINS) else (FIVE,)
    assert compared(family_of(kind, prompts), answers(), PLAN) == []
