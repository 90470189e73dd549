"""People next to a scorer: literals worked by hand, and the same by scipy and scikit-learn."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.correlation import NO_SPREAD, PERFECT, TOO_FEW, correlation, fisher
from evaluation.statistics.validation import Said, validation

NAMES = ("people", "the scorer")
PEOPLE = [0.62, 0.48, 0.81, 0.30, 0.55]
AUTOMATIC = [0.60, 0.52, 0.78, 0.33, 0.50]
PLAN = ResamplePlan(1, 200)
DECLARED = {"label": "right"}
LABELS = ["wrong", "right"]


def test_five_models_of_the_worked_case():
    made = correlation(PEOPLE, AUTOMATIC, NAMES)
    assert round(made["pearson"], 4) == 0.9839
    assert (round(made["low"], 4), round(made["high"], 4)) == (0.7705, 0.9990)
    assert round(made["spearman"], 4) == 0.9
    assert (made["n"], made["reason"], made["interval_reason"]) == (5, "", "")


def test_r_of_nine_tenths_over_22_models():
    low, high = fisher(0.9, 22)
    assert (round(low, 4), round(high, 4)) == (0.7709, 0.9581)


def test_the_same_as_scipy_with_ties():
    rng = np.random.default_rng(3)
    for n in (4, 7, 30):
        x, y = rng.integers(0, 5, n) / 4, rng.integers(0, 5, n) / 4
        x[0], y[0] = 2, 3
        made = correlation(x, y, NAMES)
        known = stats.pearsonr(x, y)
        ends = known.confidence_interval(0.95)
        assert made["pearson"] == pytest.approx(known.statistic)
        assert (made["low"], made["high"]) == pytest.approx((ends.low, ends.high), abs=1e-4)
        assert made["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], TOO_FEW),
        ([0.5], [0.5], TOO_FEW),
        (PEOPLE[:3], AUTOMATIC[:3], TOO_FEW),
        ([0.5] * 5, AUTOMATIC, NO_SPREAD.format("people")),
        (PEOPLE, [1.0] * 5, NO_SPREAD.format("the scorer")),
    ],
)
def test_below_four_models_and_without_spread_there_is_a_reason_and_no_value(first, second, reason):
    made = correlation(first, second, NAMES)
    assert made["reason"] == made["interval_reason"] == reason
    values = [made[name] for name in ("pearson", "low", "high", "spearman")]
    assert values == [None] * 4


def test_a_perfect_correlation_has_no_interval():
    made = correlation(PEOPLE, PEOPLE, NAMES)
    assert made["pearson"] == pytest.approx(1)
    assert (made["low"], made["high"], made["interval_reason"]) == (None, None, PERFECT)


def said(labels, model="quokka", start=0, excluded=()):
    """One response after another, two to a record, by one model."""
    return [
        Said((model, n), n // 2, n // 2, model, label, n in excluded)
        for n, label in enumerate(labels, start)
    ]


def compared(people, scorer, models=("quokka",), **more):
    return validation(DECLARED | more, LABELS, people, scorer, models, PLAN)


def test_the_table_has_people_as_rows_and_kappa_is_that_of_scikit_learn():
    first = ["right"] * 9 + ["wrong"] * 11
    second = ["right"] * 7 + ["wrong"] * 10 + ["right"] * 3
    made = compared(said(first), said(second))
    assert made["table"] == [[8, 3], [2, 7]]
    agreed, kappa = made["coefficients"]
    assert (agreed["name"], agreed["value"]) == ("percent_agreement", 15 / 20)
    assert kappa["value"] == pytest.approx(cohen_kappa_score(first, second))
    assert kappa["clustered"]["clusters"] == 10
    [model] = made["models"]
    assert (model["n"], model["people"], model["scorer"]) == (20, 9, 10)
    assert made["correlation"]["reason"] == TOO_FEW
    assert made["states"] == {"people": {}, "scorer": {}}


def test_states_stand_beside_and_in_no_share():
    people = said(["right", "unjudged", "wrong", "right", "right"], excluded=[4])
    scorer = said(["right", "right", "unread", "skipped", "wrong"], excluded=[4])
    made = compared(people, scorer)
    assert (made["n"], made["table"]) == (1, [[0, 0], [0, 1]])
    assert made["states"] == {
        "people": {"excluded": 1, "unjudged": 1},
        "scorer": {"skipped": 1, "unread": 1},
    }
    assert [(one["n"], one["people"]) for one in made["models"]] == [(1, 1)]


def test_what_one_side_does_not_read_is_not_compared():
    made = compared(said(["right"] * 3), said(["right"] * 5))
    assert made["n"] == 3


def test_a_record_has_one_label_for_each_models_responses():
    texts = [
        Said(("text", n), n, n, "author", label, False)
        for n, label in enumerate(["right", "wrong", "right"])
    ]
    texts += [Said(("other", 2), 2, 2, "author", "wrong", False)]
    scorer = [*said(["right", "right", "wrong", "wrong", "right", "right"]),
              *said(["wrong"] * 4, "wombat")]  # fmt: skip
    made = compared(texts, scorer, ("quokka", "wombat"), by="record")
    by_model = {one["model"]: (one["n"], one["people"], one["scorer"]) for one in made["models"]}
    assert by_model == {"quokka": (4, 2, 2), "wombat": (4, 2, 0)}
    assert made["table"] == [[4, 0], [2, 2]]
    assert made["states"]["people"] == {"several": 2}
    quokka, wombat = made["models"]
    assert quokka["coefficients"][1]["value"] == 1
    assert wombat["coefficients"][1]["value"] == 0


def test_nothing_in_common_is_no_table():
    made = compared([], said(["right"]))
    assert (made["n"], made["models"]) == (0, [])
    assert {one["value"] for one in made["coefficients"]} == {None}
