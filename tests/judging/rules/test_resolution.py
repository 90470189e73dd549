"""From verdicts to a final verdict."""

import pytest

from judging.rules.resolution import (
    MAJORITY,
    THIRD_PERSON,
    RoundOutcome,
    note_problem,
    outcome,
    way_problem,
)

C, P, I = "correct", "partially correct", "incorrect"  # noqa: E741


@pytest.mark.parametrize(
    ("verdicts", "seats", "way", "expected"),
    [
        ([], 2, THIRD_PERSON, None),
        ([C], 2, THIRD_PERSON, None),
        ([C, C], 2, THIRD_PERSON, RoundOutcome("unanimous", C)),
        ([C, C], 2, MAJORITY, RoundOutcome("unanimous", C)),
        ([I], 1, THIRD_PERSON, RoundOutcome("single", I)),
        ([C, I], 2, THIRD_PERSON, None),
        ([C, I], 2, MAJORITY, None),
        ([C, C, I], 3, MAJORITY, RoundOutcome("majority", C)),
        ([C, C, I], 3, THIRD_PERSON, None),
        ([C, P, I], 3, MAJORITY, None),
        # A skipped slot is not agreement.
        ([C, None], 2, THIRD_PERSON, None),
        ([None, None], 2, THIRD_PERSON, None),
        ([None], 1, THIRD_PERSON, None),
        ([C, C, None], 3, MAJORITY, RoundOutcome("majority", C)),
        ([C, C, None, None], 4, MAJORITY, None),
    ],
)
def test_outcome(verdicts, seats, way, expected):
    assert outcome(verdicts, seats=seats, way=way) == expected


@pytest.mark.parametrize(
    ("way", "judges", "sentence"),
    [
        (THIRD_PERSON, 1, None),
        (THIRD_PERSON, 2, None),
        (MAJORITY, 3, None),
        (MAJORITY, 2, "at least three judges"),
        ("dice", 2, "is not a way to resolve"),
    ],
)
def test_ways(way, judges, sentence):
    problem = way_problem(way, judges)
    assert (problem is None) if sentence is None else (sentence in problem)


@pytest.mark.parametrize(
    ("verdict", "first", "note", "needed"),
    [
        (C, [C, I], "", False),
        (P, [C, I], "", True),
        (P, [C, I], "   ", True),
        (P, [C, I], "Both answers are there.", False),
        (C, [None, I], "", True),
    ],
)
def test_a_decision_that_agrees_with_nobody_needs_a_note(verdict, first, note, needed):
    assert (note_problem(verdict, first, note) is not None) is needed
