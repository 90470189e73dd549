"""The rows that tests make at once are those that the judges' own actions make."""

import pytest

from judging import verdicts
from judging.models import JudgingSlot, Judgment, JudgmentEvent
from tests.evaluation.factories import judge_all, mostly_agreeing, run_of_all_kinds
from tests.judging import factories as judging

pytestmark = pytest.mark.django_db


def stored(study):
    """What there is of a study's verdicts, without keys and times."""
    place = ("slot__item__response", "slot__judge__person", "slot__state", "verdict", "comment")
    given = Judgment.objects.filter(slot__round__study=study).order_by(*place)
    noted = JudgmentEvent.objects.filter(slot__round__study=study).order_by(*place)
    return (
        list(given.values_list(*place, "seconds", "first_verdict")),
        [one.locked_at is None for one in given],
        list(noted.values_list(*place, "what")),
    )


@pytest.mark.parametrize("hand_in", [False, True])
def test_verdicts_made_at_once_are_those_given_one_by_one(hand_in):
    drawn_from = run_of_all_kinds()
    at_once, one_by_one = (judging.open_study(name=n, drawn_from=drawn_from) for n in ("A", "B"))
    judge_all(at_once, hand_in=hand_in)
    at_once.rubric.refresh_from_db()
    assert at_once.rubric.locked_at
    for slot in JudgingSlot.objects.filter(round__study=one_by_one):
        verdict = mostly_agreeing(slot.judge.person.username, slot)
        verdicts.give(slot, verdict, comment="=1+1", seconds=4)
    if hand_in:
        for judge in one_by_one.judges.all():
            verdicts.hand_in(judge.person, one_by_one)
    assert stored(at_once) == stored(one_by_one)
