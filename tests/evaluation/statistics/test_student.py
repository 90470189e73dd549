"""Student's t against scipy's."""

import pytest
from scipy.special import stdtr, stdtrit

from evaluation.statistics import student


@pytest.mark.parametrize("df", [1, 2, 3, 7, 8, 30, 199, 5_000])
def test_tails_and_quantiles_are_scipys(df):
    for t in (1e-6, 0.3, 1, 1.9, 2.5, 12, 40):
        for sign in (1, -1):
            expected = 2 * stdtr(df, -t)
            assert student.two_sided(sign * t, df) == pytest.approx(expected, rel=1e-10)
    for level in (0.6, 0.975, 0.9999):
        assert student.quantile(level, df) == pytest.approx(stdtrit(df, level), rel=1e-9)
    assert student.two_sided(0, df) == 1
