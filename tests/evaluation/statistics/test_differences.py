"""Comparisons against literature, other people's programs, and plain recounts."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from scipy.stats import t as students_t

from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.differences import (
    DIFFERENT,
    EQUIVALENT,
    NO_DISCORDANT,
    NO_PAIRS,
    ONE_SIDE,
    UNDECIDED,
    equivalence,
    gain_difference,
    holm,
    mcnemar,
    paired,
    unpaired,
)

PLAN = ResamplePlan(seed=7, resamples=2000)


def bools(*values):
    return np.array(values, dtype=bool)


def alone(n):
    return np.arange(n, dtype=np.int64)


# ---------------------------------------------------------------- p-values


@pytest.mark.parametrize(
    ("b", "c"), [(0, 1), (0, 5), (5, 0), (1, 16), (3, 3), (10, 12), (150, 86), (40, 41)]
)
def test_mcnemar_is_the_binomial_test_of_scipy(b, c):
    assert mcnemar(b, c) == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-12)


def test_mcnemar_on_agrestis_approval_ratings():
    # Agresti, Categorical data analysis, table 10.1: 150 and 86 changed their minds. The exact p, by
    # statsmodels.stats.contingency_tables.mcnemar([[794, 86], [150, 570]], exact=True): 3.716e-05.
    assert mcnemar(150, 86) == pytest.approx(3.716e-05, rel=1e-3)


def test_mcnemar_without_a_discordant_pair_does_not_exist():
    assert mcnemar(0, 0) is None


@pytest.mark.parametrize(
    ("given", "corrected"),
    [
        # Holm's own step-down by hand: 0.01 x 4, 0.015 x 3, 0.03 x 2, 0.04 x 1 raised to 0.06.
        ([0.01, 0.04, 0.03, 0.015], [0.04, 0.06, 0.06, 0.045]),
        # R's p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
        ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.08, 0.09, 0.09, 0.09]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.02], [0.02]),
        ([None, 0.02, None, 0.03], [None, 0.04, None, 0.04]),
        ([], []),
    ],
)
def test_holms_correction(given, corrected):
    assert holm(given) == [p if p is None else pytest.approx(p) for p in corrected]


# ---------------------------------------------------------------- paired


def test_a_paired_difference_counts_both_sides_and_the_discordant():
    first = bools(*[1] * 5 + [0] * 43)
    second = bools(*[1] * 4 + [0] + [1] * 17 + [0] * 26)
    result = paired(first, second, alone(48), PLAN)
    assert (result.first, result.second) == ((5, 48), (21, 48))
    assert (result.only_first, result.only_second) == (1, 17)
    assert result.value == pytest.approx(16 / 48)
    assert result.p_exact == pytest.approx(binomtest(1, 18).pvalue)
    assert result.interval["low"] < 16 / 48 < result.interval["high"]
    assert result.p_clustered < 0.001


def test_without_clusters_the_spread_is_that_of_the_mean_of_differences():
    rng = np.random.default_rng(1)
    first, second = rng.random(200) < 0.3, rng.random(200) < 0.5
    result = paired(first, second, alone(200), ResamplePlan(seed=1, resamples=20_000))
    moved = second.astype(float) - first
    assert result.interval["se"] == pytest.approx(moved.std(ddof=0) / np.sqrt(200), rel=0.03)


def test_questions_of_one_article_widen_the_interval():
    rng = np.random.default_rng(3)
    by_article = rng.random(20) < 0.5
    second = np.repeat(by_article, 10)
    first = np.zeros(200, dtype=bool)
    wide = paired(first, second, np.repeat(alone(20), 10), PLAN).interval
    narrow = paired(first, second, alone(200), PLAN).interval
    assert wide["high"] - wide["low"] > 2 * (narrow["high"] - narrow["low"])


def test_the_order_of_questions_and_the_names_of_articles_change_nothing():
    rng = np.random.default_rng(5)
    first, second = rng.random(60) < 0.4, rng.random(60) < 0.6
    clusters = rng.integers(0, 15, 60)
    order = rng.permutation(60)
    renamed = rng.permutation(15)[clusters]
    assert paired(first, second, clusters, PLAN) == paired(
        first[order], second[order], renamed[order], PLAN
    )


def test_sides_that_agree_everywhere_have_a_reason_and_no_p():
    both = bools(*[1, 0] * 10)
    result = paired(both, both, alone(20), PLAN)
    assert (result.value, result.p_exact, result.p_clustered) == (0.0, None, None)
    assert (result.interval["low"], result.reason) == (None, NO_DISCORDANT)


def test_p_by_article_is_students_where_each_article_has_one_question():
    first, second = bools(*[0] * 9, 1, 0, 0), bools(1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0)
    result = paired(first, second, alone(12), ResamplePlan(seed=1, resamples=100_000))
    moved = second.astype(float) - first
    assert result.p_clustered == pytest.approx(ttest_1samp(moved, 0).pvalue, rel=0.02)


def test_thousands_of_discordant_pairs_are_tested_at_once():
    assert mcnemar(9_900, 10_100) == pytest.approx(binomtest(9_900, 20_000).pvalue)


def test_no_pair_at_all():
    result = paired(bools(), bools(), alone(0), PLAN)
    assert (result.value, result.interval, result.reason) == (None, None, NO_PAIRS)


def test_too_few_articles_have_a_value_and_no_interval():
    result = paired(bools(0, 0, 1), bools(1, 1, 1), alone(3), PLAN)
    assert result.value == pytest.approx(2 / 3)
    assert (result.interval["low"], result.p_clustered) == (None, None)
    assert "Fewer than" in result.interval["reason"]


# ---------------------------------------------------------------- unpaired, and gains


def test_explicit_against_implicit_is_a_difference_of_two_shares():
    first, second = bools(*[1] * 3 + [0] * 14), bools(*[1] * 18 + [0] * 12)
    result = unpaired(
        first, alone(17), second, alone(30) + 17, ResamplePlan(seed=2, resamples=20_000)
    )
    assert result.value == pytest.approx(18 / 30 - 3 / 17)
    assert (result.p_exact, result.only_first) == (None, None)
    shares = 18 / 30, 3 / 17
    error = np.sqrt(shares[0] * (1 - shares[0]) / 30 + shares[1] * (1 - shares[1]) / 17)
    assert result.interval["se"] == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize("empty", [0, 1])
def test_a_group_without_verdicts_has_no_difference(empty):
    sides = [(bools(1, 0), alone(2)), (bools(1, 0), alone(2))]
    sides[empty] = (bools(), alone(0))
    result = unpaired(*sides[0], *sides[1], PLAN)
    assert (result.value, result.reason) == (None, ONE_SIDE)


def test_p_by_article_is_not_surer_than_the_smaller_group_allows():
    small, large = bools(*[1, 1, 0, 0, 1, 1, 1, 0, 1, 1]), bools(*[1, 0, 0] * 10)
    result = unpaired(small, np.arange(10), large, np.arange(10, 40), PLAN)
    t = result.value / (result.interval["se"] * np.sqrt(10 / 9))
    assert result.p_clustered == pytest.approx(2 * students_t.sf(abs(t), 9))


def test_a_group_from_too_few_articles_has_a_difference_and_no_interval():
    many, few = np.arange(40), np.repeat(np.arange(3), 4)
    large, small = bools(*[1, 0] * 20), bools(*[1, 1, 0] * 4)
    result = unpaired(small, few, large, many, PLAN)
    assert result.value == pytest.approx(1 / 2 - 2 / 3)
    assert result.interval.items() >= {"low": None, "clusters": 3}.items()
    assert result.p_clustered is None
    assert "(3)" in result.interval["reason"]
    clusters, both = np.concatenate([few, many]), np.concatenate([small, large])
    gains = gain_difference(np.zeros(52, dtype=bool), both, clusters, np.arange(52) < 12, PLAN)
    assert (gains.interval["low"], gains.interval["clusters"], gains.p_clustered) == (None, 3, None)


def test_a_difference_of_gains():
    implicit = bools(*[0] * 30 + [1] * 17)
    first = bools(*[1] * 4 + [0] * 26 + [1] + [0] * 16)
    second = bools(*[1] * 18 + [0] * 12 + [1] * 3 + [0] * 14)
    result = gain_difference(first, second, alone(47), implicit, PLAN)
    assert (result.gain.first, result.gain.second) == ((4, 30), (18, 30))
    assert (result.other_gain.first, result.other_gain.second) == ((1, 17), (3, 17))
    assert result.value == pytest.approx(14 / 30 - 2 / 17)
    assert result.interval["low"] < result.value < result.interval["high"]


def test_the_bootstrap_of_a_difference_of_gains_equals_a_plain_one():
    rng = np.random.default_rng(11)
    implicit, clusters = rng.random(80) < 0.4, np.repeat(alone(20), 4)
    first, second = rng.random(80) < 0.3, rng.random(80) < 0.6
    result = gain_difference(
        first, second, clusters, implicit, ResamplePlan(seed=3, resamples=20_000)
    )
    moved, drawn = second.astype(float) - first, []
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(clusters == c) for c in rng.integers(0, 20, 20)])
        one, other = rows[~implicit[rows]], rows[implicit[rows]]
        drawn.append(moved[one].mean() - moved[other].mean())
    assert result.interval["se"] == pytest.approx(np.std(drawn), rel=0.06)


def test_a_gain_in_one_group_only_cannot_be_compared():
    result = gain_difference(bools(0, 1), bools(1, 1), alone(2), bools(0, 0), PLAN)
    assert (result.value, result.reason) == (None, ONE_SIDE)
    assert result.gain.value == pytest.approx(0.5)


# ---------------------------------------------------------------- equivalence


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [
        (-0.05, 0.05, EQUIVALENT),
        (-0.10, 0.05, UNDECIDED),
        (-0.20, 0.20, UNDECIDED),
        (0.10, 0.20, DIFFERENT),
        (-0.30, -0.10, DIFFERENT),
        (0.01, 0.09, EQUIVALENT),
        (None, None, ""),
    ],
)
def test_equivalence_is_an_interval_inside_the_margin(low, high, outcome):
    assert equivalence(low, high, 0.10) == outcome


@pytest.mark.parametrize("margin", [0, 1, -0.1, 5])
def test_a_margin_that_is_none_is_refused(margin):
    with pytest.raises(ValueError, match="margin"):
        equivalence(0.0, 0.1, margin)
