"""What coefficients of agreement share: a ratio that may not exist, and agreement beyond chance. Pure.

One formula serves a value and all its resamples: labels come first and the stack of resamples last, which is what
numpy is fast at, so a coefficient of shares `k x ...` has the shape `...`. Where it does not exist it is NaN. No NaN
leaves this package: a Coefficient has the value None and a reason.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Below this a denominator is 0 but for rounding.
ZERO = 1e-12


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
