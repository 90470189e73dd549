"""The cluster bootstrap: what it promises whatever the data, and intervals that can be reckoned by hand."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from evaluation.statistics import two_raters
from evaluation.statistics.bootstrap import (
    FEWEST_CLUSTERS,
    METHOD,
    MOST_CLUSTERS,
    SAME_EVERYWHERE,
    ResamplePlan,
    draws,
    draws_of_groups,
    intervals,
)
from evaluation.statistics.chance import ratio

PLAN = ResamplePlan(seed=7, resamples=2_000)


def mean(sums):
    """Of features (sum, count)."""
    return ratio(sums[0], sums[1])[None]


def kappa(sums):
    return two_raters.kappa(sums.reshape(2, 2, *sums.shape[1:]))[None]


def numbers(count, seed=1):
    drawn = np.random.Generator(np.random.PCG64(seed)).normal(10, 2, count)
    return np.column_stack([drawn, np.ones(count)])


def test_a_seed_gives_the_same_interval_whatever_the_order_of_clusters():
    clusters = numbers(40)
    (first,) = intervals(clusters, mean, PLAN)
    (again,) = intervals(clusters[::-1], mean, PLAN)
    assert again == first
    made = {"seed": 7, "resamples": 2_000, "clusters": 40, "method": METHOD}
    assert first.items() >= made.items()


def test_the_interval_of_a_seed_is_this_one_on_every_machine():
    clusters = np.array([[n % 7, 1] for n in range(40)], dtype=float)
    (result,) = intervals(clusters, mean, ResamplePlan(seed=1))
    assert (result["low"], result["high"]) == (2.25, 3.5)


def test_another_seed_gives_nearly_the_same_interval():
    (one,), (other,) = (intervals(numbers(40), mean, ResamplePlan(seed)) for seed in (1, 2))
    assert one["low"] != other["low"]
    assert one["low"] == pytest.approx(other["low"], abs=0.05)


def test_the_ends_are_those_of_scipys_bca_at_our_levels():
    """A share of responses in 40 articles of one to five; scipy draws other resamples."""
    rng, count = np.random.Generator(np.random.PCG64(3)), 40
    n = rng.integers(1, 6, count)
    k = rng.binomial(n, rng.beta(3, 1.2, count))

    def share(articles, axis=-1):
        places = articles.astype(int)
        return k[places].sum(axis) / n[places].sum(axis)

    widened = stats.t.ppf(0.975, count - 1) * sqrt(count / (count - 1))
    theirs = stats.bootstrap(
        (np.arange(count),),
        share,
        confidence_level=2 * stats.norm.cdf(widened) - 1,
        n_resamples=20_000,
        method="BCa",
        random_state=5,
    )
    (ours,) = intervals(np.stack([k, n], axis=1).astype(float), mean, ResamplePlan(1, 20_000))
    assert (ours["low"], ours["high"]) == pytest.approx(tuple(theirs.confidence_interval), abs=0.01)
    assert ours["se"] == pytest.approx(theirs.standard_error, rel=0.03)


def test_the_interval_of_a_mean_is_students():
    values = numbers(60)[:, 0]
    (result,) = intervals(numbers(60), mean, ResamplePlan(seed=3))
    half = 2.000995 * values.std(ddof=1) / sqrt(60)  # t with 59 degrees of freedom
    assert (result["low"], result["high"]) == pytest.approx(
        (values.mean() - half, values.mean() + half), abs=0.04
    )


def test_clusters_weigh_as_wholes_so_five_copies_of_each_change_nothing():
    """A cluster of five equal items is one piece of news, not five."""
    (alone,) = intervals(numbers(40), mean, PLAN)
    (copied,) = intervals(numbers(40) * 5, mean, PLAN)
    assert (copied["low"], copied["high"]) == pytest.approx((alone["low"], alone["high"]))


def test_a_draw_holds_as_many_clusters_as_there_are():
    sizes = np.array([20, 15, 5])
    drawn = np.concatenate(list(draws(sizes, ResamplePlan(seed=5, resamples=30_000))))
    assert drawn.shape == (30_000, 3)
    assert (drawn.sum(axis=1) == 40).all()
    spread = np.sqrt(sizes * (1 - sizes / 40))
    assert drawn.mean(axis=0) == pytest.approx(sizes, abs=0.1)
    assert drawn.std(axis=0) == pytest.approx(spread, rel=0.02)


def test_very_many_clusters_are_pooled_and_keep_their_interval():
    values = numbers(20 * MOST_CLUSTERS)[:, 0]
    (result,) = intervals(numbers(20 * MOST_CLUSTERS), mean, ResamplePlan(seed=3))
    half = 1.96 * values.std(ddof=1) / sqrt(len(values))
    assert result["clusters"] == 20 * MOST_CLUSTERS
    assert result["high"] - result["low"] == pytest.approx(2 * half, rel=0.12)


def test_groups_that_every_statistic_shares_are_drawn_as_any_clusters():
    plan = ResamplePlan(seed=6, resamples=1_234)
    fresh = np.concatenate(list(draws(np.ones(MOST_CLUSTERS, dtype=int), plan)))
    assert (np.concatenate(list(draws_of_groups(plan))) == fresh).all()
    other = np.concatenate(list(draws_of_groups(ResamplePlan(seed=7, resamples=1_234))))
    assert (other != fresh).any()


def test_equal_clusters_may_come_as_one_row_and_their_number():
    rows, sizes = np.array([[1.0, 2], [3, 2], [7, 2]]), np.array([10, 8, 6])
    spelt_out = np.repeat(rows, sizes, axis=0)
    assert intervals(rows, mean, PLAN, sizes) == intervals(spelt_out, mean, PLAN)


def test_few_clusters_have_no_interval_but_a_reason():
    (result,) = intervals(numbers(FEWEST_CLUSTERS - 1), mean, PLAN)
    assert (result["low"], result["high"], result["se"]) == (None, None, None)
    assert result["reason"] == "Fewer than 8 clusters (7): too few for an interval."
    assert intervals(np.zeros((0, 2)), mean, PLAN)[0]["clusters"] == 0


def test_clusters_that_hold_nothing_are_not_counted():
    padded = np.vstack([numbers(20), np.zeros((20, 2))])
    assert intervals(padded, mean, PLAN) == intervals(numbers(20), mean, PLAN)


def test_a_number_has_the_clusters_that_it_comes_from():
    """Two means drawn together: of all 40 clusters, and of those that hold any of the second."""

    def both(sums):
        return ratio(sums[[0, 2]], sums[[1, 3]])

    def sources(sums):
        return sums[[1, 3]] > 0

    whole = np.hstack([numbers(40), numbers(40, seed=2)])
    whole[10:, 2:] = 0
    first, second = intervals(whole, both, PLAN, sources=sources)
    assert (first["clusters"], second["clusters"]) == (40, 10)
    assert first == intervals(whole, both, PLAN)[0]
    unaware = intervals(whole, both, PLAN)[1]
    assert (
        second["high"] - second["low"] > unaware["high"] - unaware["low"]
    )  # fewer degrees of freedom
    whole[FEWEST_CLUSTERS - 1 :, 2:] = 0
    _, few = intervals(whole, both, PLAN, sources=sources)
    assert (few["low"], few["clusters"]) == (None, FEWEST_CLUSTERS - 1)
    assert "too few" in few["reason"]


def test_undefined_resamples_are_counted():
    """One cluster of twenty has the only disagreement and the only other label: 36 % lack it."""
    clusters = np.array([[5.0, 0, 0, 0]] * 19 + [[0.0, 1, 0, 4]])
    (result,) = intervals(clusters, kappa, PLAN)
    assert result["undefined"] == pytest.approx(2_000 * (19 / 20) ** 20, rel=0.1)
    assert (result["low"], result["high"]) == (None, None)
    assert result["reason"] == f"Undefined in {result['undefined']} of 2000 resamples."


def test_a_few_undefined_resamples_leave_an_interval_and_are_told():
    clusters = np.array([[5.0, 0, 0, 0]] * 17 + [[0.0, 1, 0, 4]] * 3)
    (result,) = intervals(clusters, kappa, PLAN)
    assert result["undefined"] == pytest.approx(2_000 * (17 / 20) ** 20, rel=0.25)
    assert result["low"] < float(kappa(clusters.sum(axis=0))[0]) <= result["high"]


def test_complete_agreement_has_no_interval_of_no_width():
    clusters = np.array([[3.0, 0, 0, 3]] * 20)
    (result,) = intervals(clusters, kappa, PLAN)
    none = {"low": None, "high": None, "se": 0.0, "reason": SAME_EVERYWHERE}
    assert result.items() >= none.items()


def test_ends_stay_where_the_coefficient_can_be():
    chance = np.random.Generator(np.random.PCG64(11))
    for _ in range(30):
        clusters = chance.multinomial(6, [0.55, 0.02, 0.03, 0.4], size=15).astype(float)
        (result,) = intervals(clusters, kappa, ResamplePlan(resamples=500))
        assert result["low"] is None or -1 <= result["low"] < result["high"] <= 1


@pytest.mark.parametrize(
    ("given", "message"),
    [({"seed": -1}, "seed"), ({"resamples": 99}, "between 100"), ({"resamples": 10**6}, "100,000")],
)
def test_a_plan_that_cannot_be_drawn_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        ResamplePlan(**given)
