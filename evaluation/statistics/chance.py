"""What coefficients of agreement share: a ratio that may not exist, agreement beyond chance, weights of labels. Pure.

One formula serves a value and all its resamples: labels come first and the stack of resamples last, which is what
numpy is fast at, so a coefficient of shares `k x ...` has the shape `...`. Where it does not exist it is NaN. No NaN
leaves this package: a Coefficient has the value None and a reason.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Below this a denominator is 0 but for rounding.
ZERO = 1e-12

# How much two different labels of an ordered scale still agree: not at all, or by their distance.
UNWEIGHTED, LINEAR, QUADRATIC = ("none", "linear", "quadratic")
WEIGHTED = (LINEAR, QUADRATIC)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """top / bottom, NaN where bottom is 0."""
    defined = np.abs(bottom) > ZERO
    return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)


def beyond(observed: Floats, expected: Floats) -> Floats:
    """Agreement beyond chance as a share of what chance leaves; NaN where it leaves nothing."""
    return ratio(observed - expected, 1 - expected)


def ac1_of(agreed: Floats, shares: Floats) -> Floats:
    """Gwet's AC1 from the agreement of pairs and the share of each label (`k x ...`)."""
    k = len(shares)
    if k == 1:
        return np.full(agreed.shape, np.nan)
    return beyond(agreed, (shares * (1 - shares)).sum(axis=0) / (k - 1))


def kappas_of(labels: int, headline: str = UNWEIGHTED, *, is_ordered: bool) -> tuple[str, ...]:
    """The weights of the kappas of so many labels, first those of the one that is put forward (`headline`).

    Two labels have one distance: weights repeat the same number, which is left out unless it is put forward.
    """
    has_distances = (is_ordered and labels > 2) or headline != UNWEIGHTED
    every = (UNWEIGHTED, *WEIGHTED) if has_distances else (UNWEIGHTED,)
    return tuple(dict.fromkeys((headline, *every)))


def agreement_weights(places: Sequence[int], kind: str = UNWEIGHTED) -> Floats:
    """How much two labels at these places of an ordered scale agree, 1 for equal ones: k x k.

    none: 0 unless equal; linear: 1 - |i - j| / m; quadratic: 1 - (i - j)^2 / m^2, with m from the first place to the
    last.
    """
    power = {UNWEIGHTED: 0, LINEAR: 1, QUADRATIC: 2}.get(kind)
    if power is None:
        raise ValueError(f"{kind!r} is none of the weights none, linear, quadratic.")
    if power == 0 or len(places) == 1:
        return np.eye(len(places))
    apart = np.abs(np.subtract.outer(places, places)) / (max(places) - min(places))
    return np.asarray(1 - apart**power)
