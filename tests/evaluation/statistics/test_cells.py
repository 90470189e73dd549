"""Intervals of the tables' cells: the same as each would have alone, drawn together."""

import random

import numpy as np
import pytest

from evaluation.statistics.bootstrap import ResamplePlan, intervals
from evaluation.statistics.cells import resampled
from evaluation.statistics.chance import ratio
from evaluation.statistics.tables import Tallies, Tally

VERDICTS = ("incorrect", "partially correct", "correct")
PLAN = ResamplePlan(seed=3, resamples=1000)


def tally(verdict, article, *, prompt="p4", model="m", reasoning="explicit", same=False, count=1):
    return Tally(model, prompt, article, reasoning, same, verdict, count)


def many(**fields):
    chance = random.Random(5)
    return [tally(chance.choice(VERDICTS), f"A{n % 15}", **fields) for n in range(45)]


def drawn(tallies, places=(("p4", "m", "all"),), one_passage=()):
    return resampled(Tallies.of_rows(tallies), places, VERDICTS, one_passage, PLAN)


def test_a_cell_has_the_interval_that_a_bootstrap_of_it_alone_gives():
    tallies = many()
    result = drawn(tallies)
    sums = np.zeros((15, 2))
    for one in tallies:
        sums[int(one.article[1:])] += [1, one.verdict == "correct"]
    (alone,) = intervals(sums, lambda flat: ratio(flat[1], flat[0])[None], PLAN)
    # Drawn together with the other verdicts, articles differ by more than this one's count.
    mine = result["p4", "m", "all", "correct"]
    assert mine["clusters"] == alone["clusters"] == 15
    assert mine["se"] == pytest.approx(alone["se"], rel=0.1)
    assert (mine["low"], mine["high"]) == pytest.approx((alone["low"], alone["high"]), abs=0.04)


def test_the_order_of_rows_changes_nothing():
    assert drawn(many()) == drawn(many()[::-1])


def test_slices_and_single_passages_take_their_own_articles():
    tallies = many() + many(prompt="p2")
    for prompt in ("p4", "p2"):
        one = {"prompt": prompt, "reasoning": "implicit", "same": True}
        tallies += [tally("correct", f"B{n}", **one) for n in range(10)]
    places = [(prompt, "m", part) for prompt in ("p4", "p2") for part in ("all", "explicit")]
    result = drawn(tallies, places, {"p2"})
    articles = {place: result[(*place, "correct")]["clusters"] for place in places}
    assert articles == {
        ("p4", "m", "all"): 25,
        ("p4", "m", "explicit"): 15,
        ("p2", "m", "all"): 15,
        ("p2", "m", "explicit"): 15,
    }


def test_few_articles_and_one_verdict_have_a_reason_and_no_interval():
    few = [tally("correct", f"A{n}") for n in range(3)]
    cell = drawn(few)["p4", "m", "all", "correct"]
    assert (cell["low"], cell["high"]) == (None, None)
    assert "too few" in cell["reason"]
    same = [tally("correct", f"A{n}") for n in range(20)]
    assert all(one["low"] is None and one["reason"] for one in drawn(same).values())


def test_a_model_asked_about_few_articles_has_no_interval_and_one_asked_about_many_has():
    asked = many(model="much")
    for verdict in ("correct", "incorrect", "correct"):
        asked += [tally(verdict, f"A{n}", model="little") for n in range(3)]
    places = [("p4", "much", "all"), ("p4", "little", "all")]
    result = drawn(asked, places)
    little = result["p4", "little", "all", "correct"]
    assert (little["low"], little["clusters"]) == (None, 3)
    assert "too few" in little["reason"]
    assert result["p4", "much", "all", "correct"]["low"] is not None


def test_no_tally_has_no_interval():
    assert drawn([]) == {}
