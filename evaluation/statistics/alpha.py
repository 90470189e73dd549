"""Krippendorff's alpha from coincidences: within an item each label meets each other one. Pure.

Source: K. Krippendorff (2011), Computing Krippendorff's alpha-reliability. An item with m labels has m (m - 1)
ordered pairs, each counted 1 / (m - 1), so that an item weighs as many labels as it has; an item with one label
has no pair. Labels that are missing are simply not there.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .chance import Floats, ratio

NOMINAL, ORDINAL, INTERVAL = METRICS = ("nominal", "ordinal", "interval")


def coincidences_of_each(counts: NDArray[np.int64] | Floats) -> Floats:
    """The coincidences of each item: items x k x k."""
    raters = counts.sum(axis=1)
    once = counts / np.maximum(raters - 1, 1)[:, None]
    once[raters < 2] = 0
    k = counts.shape[1]
    return np.asarray(once[:, :, None] * counts[:, None, :] - once[:, :, None] * np.eye(k))


def of_two_raters(tables: Floats) -> Floats:
    """The coincidences of tables `k x k x ...` of two raters: each item counts its pair in both orders."""
    return tables + np.swapaxes(tables, 0, 1)


def value_of(
    coincident: Floats, metric: str = NOMINAL, values: Sequence[float] | None = None
) -> Floats:
    """Krippendorff's alpha from coincidences `k x k x ...`; `values` are the labels' numbers for interval.

    NaN where no two labels met, or all were the same.
    """
    totals = coincident.sum(axis=1)
    apart = _squared_differences(totals, metric, values)
    apart = apart.reshape(apart.shape + (1,) * (coincident.ndim - apart.ndim))
    seen = (coincident * apart).sum(axis=(0, 1))
    by_chance = (apart * totals[:, None] * totals).sum(axis=(0, 1))
    return 1 - ratio((totals.sum(axis=0) - 1) * seen, by_chance)


def _squared_differences(
    totals: Floats, metric: str, values: Sequence[float] | None = None
) -> Floats:
    """How far two labels are apart, squared: k x k, for ordinal `k x k x ...` (it depends on their use)."""
    if metric == NOMINAL:
        return 1 - np.eye(len(totals))
    if metric == ORDINAL:
        # The middle rank of each label; between two of them lie the labels between and half of each.
        place = np.cumsum(totals, axis=0) - totals / 2
    elif metric == INTERVAL and values is not None:
        place = np.asarray(values, dtype=float)
    else:
        raise ValueError(f"{metric!r} is none of {', '.join(METRICS)}, or interval has no values.")
    return np.asarray((place[:, None] - place) ** 2)
