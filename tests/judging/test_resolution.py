"""From verdicts to a final verdict."""

import pytest

from judging.resolution import MAJORITY, THIRD_PERSON, Outcome, note_problem, outcome, way_problem

C, P, I = "correct", "partially correct", "incorrect"  # noqa: E741


@pytest.mark.parametrize(
    ("verdicts", "seats", "way", "decided", "expected"),
    [
        ([], 2, THIRD_PERSON, None, Outcome("waiting")),
        ([C], 2, THIRD_PERSON, None, Outcome("waiting")),
        ([C, C], 2, THIRD_PERSON, None, Outcome("unanimous", C)),
        ([C, C], 2, MAJORITY, None, Outcome("unanimous", C)),
        ([I], 1, THIRD_PERSON, None, Outcome("single", I)),
        ([C, I], 2, THIRD_PERSON, None, Outcome("unresolved")),
        ([C, I], 2, THIRD_PERSON, I, Outcome("third_person", I)),
        ([C, I], 2, THIRD_PERSON, P, Outcome("third_person", P)),
        ([C, I], 2, MAJORITY, None, Outcome("unresolved")),
        ([C, C, I], 3, MAJORITY, None, Outcome("majority", C)),
        ([C, C, I], 3, THIRD_PERSON, None, Outcome("unresolved")),
        ([C, P, I], 3, MAJORITY, None, Outcome("unresolved")),
        ([C, P, I], 3, MAJORITY, P, Outcome("third_person", P)),
        # A skipped slot is not agreement.
        ([C, None], 2, THIRD_PERSON, None, Outcome("unresolved")),
        ([None, None], 2, THIRD_PERSON, None, Outcome("unresolved")),
        ([None], 1, THIRD_PERSON, None, Outcome("unresolved")),
        ([C, C, None], 3, MAJORITY, None, Outcome("majority", C)),
        ([C, C, None, None], 4, MAJORITY, None, Outcome("unresolved")),
    ],
)
def test_outcome(verdicts, seats, way, decided, expected):
    assert outcome(verdicts, seats=seats, way=way, decided=decided) == expected


@pytest.mark.parametrize(
    ("way", "judges", "sentence"),
    [
        (THIRD_PERSON, 1, None),
        (THIRD_PERSON, 2, None),
        (MAJORITY, 3, None),
        (MAJORITY, 2, "at least three judges"),
        ("dice", 2, "is no way of resolving"),
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
