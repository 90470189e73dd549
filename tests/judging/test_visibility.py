"""Blindness as pure rules."""

from dataclasses import fields

import pytest

from judging import rubric
from judging.rubric import GoldAnswer
from judging.visibility import (
    AnonymousVerdict,
    Passage,
    ResponseView,
    SlotView,
    VerdictChoice,
    choices,
    may_resolve,
    may_see_results,
    resolve_problem,
    result_problem,
)


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        (
            SlotView,
            "slot response verdict comment flagged flag_note skip_reason state position total",
        ),
        (
            ResponseView,
            "question gold passages text cut_off prompt_label prompt_title rules choices",
        ),
        (GoldAnswer, "passage text"),
        (Passage, "name text"),
        (VerdictChoice, "key label hotkey criteria warning"),
        (AnonymousVerdict, "verdict label comment flagged flag_note skip_reason"),
    ],
)
def test_blind_people_see_these_fields_and_no_others(shown, names):
    assert {field.name for field in fields(shown)} == set(names.split())


@pytest.mark.parametrize(
    ("person", "judges", "sees"), [(1, {1, 2}, False), (3, {1, 2}, True), (1, set(), True)]
)
def test_results_are_hidden_from_those_who_judge(person, judges, sees):
    assert may_see_results(person, judges) is sees
    assert (result_problem(person, judges) is None) is sees


@pytest.mark.parametrize(("person", "judges", "may"), [(1, {1, 2}, False), (3, {1, 2}, True)])
def test_a_judge_never_resolves(person, judges, may):
    assert may_resolve(person, judges) is may
    assert (resolve_problem(person, judges) is None) is may


def test_choices_carry_keys_criteria_and_warnings():
    known = rubric.parse(rubric.content("wikicontradict"))
    shown = choices(known, known.prompts["passage-1"])
    assert [(c.hotkey, c.key, bool(c.warning)) for c in shown] == [
        ("1", "correct", False),
        ("2", "partially correct", True),
        ("3", "incorrect", False),
    ]
    assert all(c.criteria for c in shown)
