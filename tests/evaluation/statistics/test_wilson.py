import pytest
from scipy.stats import binomtest

from evaluation.statistics.wilson import wilson


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        # Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 0.8389, 1.0),  # by symmetry with 0 of 20
    ],
)
def test_printed_values(k, n, low, high):
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("k", "n"), [(0, 5), (1, 3), (7, 9), (150, 1200), (48, 48)])
def test_it_is_scipys(k, n):
    assert wilson(k, n) == pytest.approx(tuple(binomtest(k, n).proportion_ci(method="wilson")))


def test_no_trials_have_no_interval():
    assert wilson(0, 0) is None


def test_the_ends_are_exact_where_nothing_or_all_happened():
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_what_is_no_proportion_is_refused(k, n):
    with pytest.raises(ValueError, match="no proportion"):
        wilson(k, n)
