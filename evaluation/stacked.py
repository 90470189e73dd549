"""Coefficients of agreement on stacks of counts: one formula for a value and for all its resamples. Pure.

Labels come first and the stack last, which is what numpy is fast at: two raters' tables are `k x k x ...`, rows
the first rater's labels, columns the second's, and a coefficient has the shape `...`. Where it does not exist
it is NaN in this module, in alpha.py and in bootstrap.py, and nowhere else: the modules above turn it into None
with a reason.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UNWEIGHTED, LINEAR, QUADRATIC = WEIGHTS = ("none", "linear", "quadratic")
# Below this a denominator is 0 but for rounding.
ZERO = 1e-12


def ratio(top: Floats, bottom: Floats) -> Floats:
    """top / bottom, NaN where bottom is 0."""
    defined = np.abs(bottom) > ZERO
    return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)


def beyond(observed: Floats, expected: Floats) -> Floats:
    """Agreement beyond chance as a share of what chance leaves; NaN where it leaves nothing."""
    return ratio(observed - expected, 1 - expected)


def observed(tables: Floats) -> Floats:
    """The share of items on which both raters agree."""
    return ratio(np.einsum("ii...->...", tables), tables.sum(axis=(0, 1)))


def margins(tables: Floats) -> tuple[Floats, Floats]:
    """The shares of each label, of the first rater and of the second: `k x ...` each."""
    n = tables.sum(axis=(0, 1))
    return ratio(tables.sum(axis=1), n), ratio(tables.sum(axis=0), n)


def agreement_weights(k: int, kind: str = UNWEIGHTED) -> Floats:
    """How much two labels of an ordered scale agree, 1 for equal ones: k x k.

    none: 0 unless equal; linear: 1 - |i - j| / (k - 1); quadratic: 1 - (i - j)^2 / (k - 1)^2.
    """
    power = {UNWEIGHTED: 0, LINEAR: 1, QUADRATIC: 2}.get(kind)
    if power is None:
        raise ValueError(f"{kind!r} is none of the weights none, linear, quadratic.")
    if power == 0 or k == 1:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return np.asarray(1 - apart**power)


def kappa(tables: Floats, weights: str = UNWEIGHTED) -> Floats:
    """Cohen's kappa (1960), weighted (1968) where `weights` is linear or quadratic."""
    weight = agreement_weights(len(tables), weights)
    rows, columns = margins(tables)
    agreed = ratio(np.einsum("ij...,ij->...", tables, weight), tables.sum(axis=(0, 1)))
    return beyond(agreed, (rows * np.tensordot(weight, columns, 1)).sum(axis=0))


def pi(tables: Floats) -> Floats:
    """Scott's pi (1955): chance agreement from the two raters' pooled labels."""
    rows, columns = margins(tables)
    return beyond(observed(tables), (((rows + columns) / 2) ** 2).sum(axis=0))


def ac1(tables: Floats) -> Floats:
    """Gwet's AC1 (2008) of two raters."""
    rows, columns = margins(tables)
    return ac1_of(observed(tables), (rows + columns) / 2)


def ac1_of(agreed: Floats, shares: Floats) -> Floats:
    """Gwet's AC1 from the agreement of pairs and the share of each label (`k x ...`)."""
    k = len(shares)
    if k == 1:
        return np.full(agreed.shape, np.nan)
    return beyond(agreed, (shares * (1 - shares)).sum(axis=0) / (k - 1))


def collapsed(tables: Floats, index: int) -> Floats:
    """One label against all others: `2 x 2 x ...`."""
    both = tables[index, index]
    first_only = tables[index].sum(axis=0) - both
    second_only = tables[:, index].sum(axis=0) - both
    neither = tables.sum(axis=(0, 1)) - both - first_only - second_only
    return np.stack([np.stack([both, first_only]), np.stack([second_only, neither])])


def specific(tables: Floats, index: int) -> Floats:
    """2a / (2a + b + c): of the uses of one label, the share in which both raters used it."""
    used = tables[index].sum(axis=0) + tables[:, index].sum(axis=0)
    return ratio(2 * tables[index, index], used)
