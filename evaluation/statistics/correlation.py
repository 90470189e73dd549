"""How far two shares of the same models go together: Pearson's r with Fisher's interval, and Spearman's. Pure."""

from collections.abc import Sequence
from math import atanh, sqrt, tanh
from typing import TypedDict

import numpy as np

from .chance import Floats
from .wilson import Z

FEWEST = 4
TOO_FEW = "Over fewer than four models nothing is said."
NO_SPREAD = "All models have the same share by {}."
PERFECT = "There is no interval round 1 or -1."
METHOD = "Fisher's z"


class Correlation(TypedDict):
    """Over `n` models; without a value `reason` says why, without an interval `interval_reason`."""

    n: int
    pearson: float | None
    low: float | None
    high: float | None
    spearman: float | None
    reason: str
    interval_reason: str


def correlation(
    first: Sequence[float], second: Sequence[float], names: tuple[str, str]
) -> Correlation:
    """Of two lists of shares; `names` are who gave them, as in a sentence."""
    x, y = np.array(first, dtype=float), np.array(second, dtype=float)
    reason = TOO_FEW if len(x) < FEWEST else ""
    for values, name in zip((x, y), names, strict=True):
        if not reason and np.ptp(values) == 0:
            reason = NO_SPREAD.format(name)
    made: Correlation = {
        "n": len(x),
        "pearson": None,
        "low": None,
        "high": None,
        "spearman": None,
        "reason": reason,
        "interval_reason": reason,
    }
    if reason:
        return made
    pearson = _pearson(x, y)
    low, high = fisher(pearson, len(x)) or (None, None)
    spearman = _pearson(_ranks(x), _ranks(y))
    made |= {"pearson": pearson, "low": low, "high": high, "spearman": spearman}
    return made | {"interval_reason": "" if low is not None else PERFECT}


def fisher(r: float, n: int) -> tuple[float, float] | None:
    """The 95 % interval of Pearson's r over n pairs (Fisher 1921); None round 1 and -1, or below four."""
    if n < FEWEST or abs(r) > 1 - 1e-12:
        return None
    half = Z / sqrt(n - 3)
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def _pearson(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    r = float((x * y).sum() / sqrt((x**2).sum() * (y**2).sum()))
    return max(-1.0, min(1.0, r))


def _ranks(values: Floats) -> Floats:
    """From 1; equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return np.asarray((last - (counts - 1) / 2)[place])
