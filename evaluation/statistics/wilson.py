"""Intervals for proportions. Pure."""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """Two ends of an interval, in the unit of what it holds."""

    low: float
    high: float


METHOD = "Wilson"
# The two-sided normal quantile of 95 %.
Z = NormalDist().inv_cdf((1 + 0.95) / 2)


def wilson(k: int, n: int) -> Interval | None:
    """The 95 % score interval of the proportion k/n, in 0..1; None where n is 0.

    Source: E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference,
    JASA 22, 209-212. It takes the n trials as independent.
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no proportion.")
    if n == 0:
        return None
    share, spread = k / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # The exact ends are 0 and 1 there; rounding would leave 1e-17 next to them.
    return Interval(0.0 if k == 0 else centre - half, 1.0 if k == n else centre + half)
