"""Intervals of a judge model's scores: those of a bootstrap of each alone, and of nothing where there is nothing."""

import random

import numpy as np
import pytest

from evaluation.statistics import score_intervals
from evaluation.statistics.bootstrap import ResamplePlan, intervals
from evaluation.statistics.chance import ratio
from evaluation.statistics.score_intervals import Both
from evaluation.statistics.scores import scores

LABELS = ("incorrect", "partially correct", "correct")
PLAN = ResamplePlan(seed=3, resamples=1000)


def many(articles=15, each=6):
    """Two models' responses; the judge model says what people do of two thirds, and now and then nothing."""
    chance = random.Random(7)
    result = []
    for n in range(articles * each):
        people = chance.choice(LABELS)
        said = people if chance.random() < 0.66 else chance.choice((*LABELS, "unparsed"))
        result.append(Both(f"A{n % articles}", f"m{n % 2}", people, said, 1))
    return result


def is_hit(one, label):
    return one.people == one.reply == label


SHARES = {
    "accuracy": (lambda one: one.people == one.reply, lambda one: True),
    "precision": (lambda one: is_hit(one, "correct"), lambda one: one.reply == "correct"),
    "recall": (lambda one: is_hit(one, "correct"), lambda one: one.people == "correct"),
}


@pytest.mark.parametrize("name", SHARES)
def test_a_share_has_the_interval_that_a_bootstrap_of_it_alone_gives(name):
    hit, counted = SHARES[name]
    sums = np.zeros((15, 2))
    for one in many():
        sums[int(one.article[1:])] += [counted(one), hit(one)]
    (alone,) = intervals(sums, lambda flat: ratio(flat[1], flat[0])[None], PLAN)
    mine = getattr(score_intervals.of_scores(many(), LABELS, PLAN), name)
    mine = mine if name == "accuracy" else mine[LABELS.index("correct")]
    # Drawn together with the other scores, articles differ by more than this one's counts, and those
    # that this one counts nothing of are drawn too: but they are not among its articles.
    assert mine["clusters"] == alone["clusters"]
    assert mine["se"] == pytest.approx(alone["se"], rel=0.15)
    assert (mine["low"], mine["high"]) == pytest.approx((alone["low"], alone["high"]), abs=0.06)


def test_every_interval_holds_its_score():
    table = score_intervals.table(many(), LABELS)
    result = scores([row[:3] for row in table], [row[3] for row in table], LABELS)
    made = score_intervals.of_scores(many(), LABELS, PLAN)
    assert made.accuracy["low"] < result.accuracy.value < made.accuracy["high"]
    assert made.macro_f["low"] < result.macro_f < made.macro_f["high"]
    for place, one in enumerate(result.classes):
        for name in ("precision", "recall"):
            interval = getattr(made, name)[place]
            assert interval["low"] < getattr(one, name).value < interval["high"]
        assert made.f[place]["low"] < one.f < made.f[place]["high"]


def test_each_model_has_an_interval_for_each_verdict_of_people_and_judge():
    result = score_intervals.of_models(many(), LABELS, PLAN)
    assert set(result) == {
        (model, whose, verdict)
        for model in ("m0", "m1")
        for whose, verdicts in (("people", LABELS), ("judge", (*LABELS, "unparsed")))
        for verdict in verdicts
    }
    for (model, whose, verdict), interval in result.items():
        mine = [one for one in many() if one.model == model]
        given = [one.people if whose == "people" else one.reply for one in mine]
        assert interval["low"] < given.count(verdict) / len(given) < interval["high"]


@pytest.mark.parametrize("made", [many(), many()[::-1]], ids=["in order", "reversed"])
def test_the_order_of_rows_changes_nothing(made):
    for of in (score_intervals.of_scores, score_intervals.of_models):
        assert of(made, LABELS, PLAN) == of(many(), LABELS, PLAN)


def test_few_articles_and_none_have_a_reason_and_no_interval():
    for result in (many(articles=5), []):
        made = score_intervals.of_scores(result, LABELS, PLAN)
        for interval in (made.accuracy, made.macro_f, *made.precision, *made.recall, *made.f):
            assert (interval["low"], interval["high"]) == (None, None)
            assert "too few" in interval["reason"]
    assert score_intervals.of_models([], LABELS, PLAN) == {}
    few = score_intervals.of_models(many(5), LABELS, PLAN)
    assert all(one["low"] is None for one in few.values())


def test_a_model_and_a_verdict_from_few_articles_have_no_interval_and_others_have():
    rare = [Both(f"A{n}", "rare", "incorrect", "correct", 1) for n in range(3)]
    usual = [Both(f"A{n}", "usual", "correct", "correct", 2) for n in range(20)]
    usual += [Both(f"A{n}", "usual", "correct", "incorrect", 1) for n in range(10)]
    scored = score_intervals.of_scores(rare + usual, LABELS, PLAN)
    place = LABELS.index("incorrect")
    assert (scored.recall[place]["clusters"], scored.recall[place]["low"]) == (3, None)
    assert scored.precision[place]["clusters"] == 10
    assert scored.accuracy["clusters"] == 20
    shares = score_intervals.of_models(rare + usual, LABELS, PLAN)
    assert shares["rare", "judge", "correct"]["clusters"] == 3
    assert shares["usual", "judge", "correct"]["clusters"] == 20
