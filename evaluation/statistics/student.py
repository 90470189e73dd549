"""Student's t distribution. Pure.

Its tails are the regularized incomplete beta function, here by a continued fraction (NIST Digital Library of
Mathematical Functions, 8.17.22), which keeps its digits far out in them.
"""

from functools import cache
from math import exp, lgamma, log1p

# It needs about the square root of the degrees of freedom, which are clusters: this does for a million of them.
TERMS = 1_000


def two_sided(t: float, df: int) -> float:
    """P(|T| > |t|) with `df` degrees of freedom."""
    square = t * t
    if not square:
        return 1.0
    # The fraction converges fast on one side of the middle, and the other side is 1 less that of the other tail.
    if df / (df + square) < (df + 2) / (df + 5):
        return _beta(df / 2, 0.5, square / df)
    return 1 - _beta(0.5, df / 2, df / square)


@cache
def quantile(level: float, df: int) -> float:
    """The t below which the share `level` of the distribution lies, for a level above 1/2."""
    tail = 2 * (1 - level)
    low, high = 0.0, 1.0
    while two_sided(high, df) > tail:
        low, high = high, 2 * high
    # Halved until there is no number between the two.
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if two_sided(middle, df) > tail else (low, middle)
    return high


def _beta(a: float, b: float, odds: float) -> float:
    """I_x(a, b) of x = 1 / (1 + odds), where x is below (a + 1) / (a + b + 2)."""
    x = 1 / (1 + odds)
    log_x, log_rest = -log1p(odds), -log1p(1 / odds)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log_x + b * log_rest) / a
    fraction = 1.0
    for step in range(TERMS, 0, -1):  # from the innermost term outwards
        m, odd = divmod(step, 2)
        top = -(a + m) * (a + b + m) if odd else m * (b - m)
        fraction = 1 + top * x / ((a + step - 1) * (a + step)) / fraction
    return front / fraction
