"""Blindness as pure rules."""

from dataclasses import fields

import pytest

from judging import presenting
from judging.rules import rubric
from judging.rules.rubric import GoldAnswer


@pytest.mark.parametrize(
    ("shown", "names"),
    [
        (
            presenting.SlotView,
            "slot response verdict comment flagged flag_note skip_reason state version position total",
        ),
        (
            presenting.ResponseView,
            "question language is_given gold passages text check check_reply finding cut_off prompt_label prompt_title "
            "heading origin rules choices",
        ),
        (GoldAnswer, "passage text"),
        (presenting.Passage, "name text"),
        (presenting.VerdictChoice, "key label tone hotkey criteria warning"),
        (presenting.AnonymousVerdict, "verdict comment flagged flag_note skip_reason"),
    ],
)
def test_blind_people_see_these_fields_and_no_others(shown, names):
    assert {field.name for field in fields(shown)} == set(names.split())


def test_choices_carry_keys_criteria_and_warnings():
    known = rubric.parse(rubric.content("wikicontradict"))
    shown = presenting.choices(known, known.prompts["passage-1"])
    assert [(c.hotkey, c.key, bool(c.warning)) for c in shown] == [
        ("1", "correct", False),
        ("2", "partially correct", True),
        ("3", "incorrect", False),
    ]
    assert all(c.criteria for c in shown)
