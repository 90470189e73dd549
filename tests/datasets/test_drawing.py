"""The drawing of a subset, without rows."""

import pytest

from datasets.drawing import Framed, SubsetPlan, draw, frame
from leases.refusal import Refusal

# Two questions for each of 20 tags, half of them explicit.
QUESTIONS = [
    Framed(2 * tag + n, f"tag-{tag}/{n}", tag, "explicit" if tag % 2 else "implicit")
    for tag in range(20)
    for n in range(2)
]


def drawn(plan: SubsetPlan, questions=QUESTIONS) -> list[Framed]:
    return draw(frame(questions, plan), plan)


def test_the_same_seed_draws_the_same_in_whatever_order_rows_come():
    plan = SubsetPlan(7, wanted={"explicit": 5, "implicit": 3})
    assert drawn(plan) == drawn(plan, QUESTIONS[::-1])
    assert drawn(plan) != drawn(SubsetPlan(8, wanted=plan.wanted))


def test_each_stratum_gives_the_number_that_is_wanted():
    taken = [one.stratum for one in drawn(SubsetPlan(7, wanted={"explicit": 5, "implicit": 3}))]
    assert (taken.count("explicit"), taken.count("implicit")) == (5, 3)


def test_a_stratum_that_is_not_named_gives_none():
    assert {one.stratum for one in drawn(SubsetPlan(7, wanted={"implicit": 3}))} == {"implicit"}


def test_one_question_of_each_tag_is_drawn_by_the_seed():
    taken = drawn(SubsetPlan(7, one_per_tag=True))
    assert len(taken) == len({one.tag for one in taken}) == 20
    assert {one.key % 2 for one in taken} == {0, 1}


def test_without_a_number_all_are_drawn():
    assert {one.key for one in drawn(SubsetPlan(7))} == {one.key for one in QUESTIONS}


@pytest.mark.parametrize(
    ("wanted", "questions", "sentence"),
    [
        ({"explicit": 21}, QUESTIONS, "“explicit” has 20 questions, and 21 are wanted."),
        ({"untyped": 1}, QUESTIONS, "“untyped” has 0 questions, and 1 are wanted."),
        (None, [], "No question matches."),
    ],
)
def test_what_cannot_be_drawn_is_refused(wanted, questions, sentence):
    with pytest.raises(Refusal, match=sentence):
        drawn(SubsetPlan(7, wanted=wanted), questions)
