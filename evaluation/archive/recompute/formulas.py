"""Coefficients from tables of counts. One formula serves a value and its resamples: a stack of tables comes last.

A table of two is `k x k x ...`, the first one's labels in rows; what does not exist is NaN, and None as a result.
Sources: Cohen (1960, 1968), Scott (1955), Gwet (2008), Fleiss (1971), Krippendorff (2011), Wilson (1927), and for the
error of kappa Fleiss, Cohen and Everitt (1969).
"""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from .findings import Data

Z = 1.959963984540054  # the two-sided normal quantile of 95 %
ZERO = 1e-12
MOST_LABELS = 50  # no scale has more, and a forged one would take all memory
MOST_SETS = 2_000
NO_ENDS = (None, None)


def bounded(labels: list[str]) -> list[str]:
    """The labels; raises ValueError where no scale has so many."""
    if len(labels) > MOST_LABELS:
        raise ValueError(f"{len(labels)} labels, of which no scale has more than {MOST_LABELS}")
    return labels


def bounded_sets(labels: list[str]) -> list[str]:
    """The labels of a measure of annotators, which may be sets of options; bounded as those of judges are."""
    if len(labels) > MOST_SETS:
        raise ValueError(f"{len(labels)} labels, of which no measure has more than {MOST_SETS}")
    return labels


def plain(value: Any) -> float | None:
    """A number as a report has it: None where it does not exist."""
    return float(value) if np.isfinite(value) else None


def ratio(top: Any, bottom: Any) -> Any:
    exists = np.abs(bottom) > ZERO
    return np.where(exists, top / np.where(exists, bottom, 1.0), np.nan)


def beyond(observed: Any, expected: Any) -> Any:
    """Agreement beyond chance."""
    return ratio(observed - expected, 1 - expected)


def wilson(k: int, n: int) -> tuple[float | None, float | None]:
    """The 95 % interval of k/n."""
    if not n or not 0 <= k <= n:
        return NO_ENDS
    share, spread = k / n, Z * Z / n
    centre = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return (0.0 if k == 0 else centre - half), (1.0 if k == n else centre + half)


# ---------------------------------------------------------------- two


def weight_table(k: int, kind: str) -> Any:
    if kind == "none" or k == 1:
        return np.eye(k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return 1 - apart ** (1 if kind == "linear" else 2)


def agreed(tables: Any) -> Any:
    return ratio(np.einsum("ii...->...", tables), tables.sum(axis=(0, 1)))


def margins(tables: Any) -> tuple[Any, Any]:
    n = tables.sum(axis=(0, 1))
    return ratio(tables.sum(axis=1), n), ratio(tables.sum(axis=0), n)


def cohen(tables: Any, kind: str = "none") -> Any:
    weights, (rows, columns) = weight_table(len(tables), kind), margins(tables)
    observed = ratio(np.einsum("ij...,ij->...", tables, weights), tables.sum(axis=(0, 1)))
    return beyond(observed, (rows * np.tensordot(weights, columns, 1)).sum(axis=0))


def scott(tables: Any) -> Any:
    rows, columns = margins(tables)
    return beyond(agreed(tables), (((rows + columns) / 2) ** 2).sum(axis=0))


def gwet(tables: Any) -> Any:
    rows, columns = margins(tables)
    return gwet_of(agreed(tables), (rows + columns) / 2)


def gwet_of(observed: Any, shares: Any) -> Any:
    k = len(shares)
    if k == 1:
        return np.full(np.shape(observed), np.nan)
    return beyond(observed, (shares * (1 - shares)).sum(axis=0) / (k - 1))


def alpha_of_two(tables: Any) -> Any:
    return alpha(tables + np.swapaxes(tables, 0, 1))


def alpha(coincident: Any, metric: str = "nominal") -> Any:
    """Krippendorff's alpha from coincidences `k x k x ...`."""
    totals = coincident.sum(axis=1)
    if metric == "ordinal":  # labels are as far apart as the ranks between them
        ranks = np.cumsum(totals, axis=0) - totals / 2
        apart = (ranks[:, None] - ranks) ** 2
    else:
        apart = (1 - np.eye(len(totals))).reshape(len(totals), -1, *[1] * (coincident.ndim - 2))
    seen = (coincident * apart).sum(axis=(0, 1))
    by_chance = (apart * totals[:, None] * totals).sum(axis=(0, 1))
    return 1 - ratio((totals.sum(axis=0) - 1) * seen, by_chance)


def cohen_error(table: Any, kind: str = "none") -> float | None:
    """The large-sample error in its general form; None where it is 0."""
    n, weights = table.sum(), weight_table(len(table), kind)
    shares = table / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    expected = rows @ weights @ columns
    kappa = ((weights * shares).sum() - expected) / (1 - expected)
    means = np.add.outer(weights @ columns, rows @ weights)
    variance = (shares * (weights - means * (1 - kappa)) ** 2).sum()
    variance -= (kappa - expected * (1 - kappa)) ** 2
    return None if variance < ZERO else float(np.sqrt(variance / n) / (1 - expected))


OF_TWO: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("percent_agreement", "none"): agreed,
    ("cohen_kappa", "none"): cohen,
    ("cohen_kappa", "linear"): lambda tables: cohen(tables, "linear"),
    ("cohen_kappa", "quadratic"): lambda tables: cohen(tables, "quadratic"),
    ("scott_pi", "none"): scott,
    ("gwet_ac1", "none"): gwet,
    ("krippendorff_alpha_nominal", "none"): alpha_of_two,
}


def of_table(table: Any, name: str, weights: str) -> dict[str, Any]:
    """A coefficient of two: value, n, error and the interval that takes what is counted as independent."""
    n, value = int(table.sum()), plain(OF_TWO[name, weights](table))
    found = {"value": value, "n": n, "se": None, "low": None, "high": None}
    if value is None:
        return found
    if name == "percent_agreement":
        ends = wilson(int(np.trace(table)), n)
    elif name == "cohen_kappa":
        error = cohen_error(table, weights)
        found["se"], half = error or 0.0, Z * (error or 0.0)
        ends = (max(-1.0, value - half), min(1.0, value + half)) if error else NO_ENDS
    else:
        ends = NO_ENDS
    return {**found, "low": ends[0], "high": ends[1]}


def collapsed(tables: Any, place: int) -> Any:
    """One label against all others: 2 x 2 x ..."""
    both = tables[place, place]
    first, second = tables[place].sum(axis=0) - both, tables[:, place].sum(axis=0) - both
    rest = tables.sum(axis=(0, 1)) - both - first - second
    return np.stack([np.stack([both, first]), np.stack([second, rest])])


def specific(tables: Any, place: int) -> Any:
    used = tables[place].sum(axis=0) + tables[:, place].sum(axis=0)
    return ratio(2 * tables[place, place], used)


def of_label(table: Any, place: int) -> dict[str, Any]:
    """Agreement on one label, all others taken together."""
    (a, b), (c, d) = collapsed(table, place)
    used, n = 2 * a + b + c, table.sum()
    return {
        "kappa": plain(cohen(collapsed(table, place))) if used else None,
        "specific_agreement": plain(specific(table, place)),
        "prevalence": plain(ratio(a - d, n)),
        "bias": plain(ratio(b - c, n)),
    }


# ---------------------------------------------------------------- any number


def item_features(counts: Any) -> Any:
    """What each item of a matrix items x labels adds to the sums that `of_sums` takes apart."""
    k, raters = counts.shape[1], counts.sum(axis=1, keepdims=True)
    two = raters >= 2
    once = np.where(two, counts / np.maximum(raters - 1, 1), 0)
    coincident = once[:, :, None] * counts[:, None, :] - once[:, :, None] * np.eye(k)
    pairs = np.where(two, raters * (raters - 1), 1)
    same = np.where(two, (counts * (counts - 1)).sum(axis=1, keepdims=True) / pairs, 0)
    shares = counts / np.maximum(raters, 1)
    parts = [coincident.reshape(len(counts), k * k), same, np.where(two, shares, 0), shares]
    return np.hstack(parts)


def of_sums(sums: Any, k: int) -> dict[str, Any]:
    """Each coefficient of any number of judges, and the number of items that two or more labelled."""
    coincident, same, paired, rated = np.split(sums, [k * k, k * k + 1, k * k + 1 + k])
    coincident = coincident.reshape(k, k, *sums.shape[1:])
    items = paired.sum(axis=0)
    observed = ratio(same[0], items)
    return {
        "percent_agreement": observed,
        "fleiss_kappa": beyond(observed, (ratio(paired, items) ** 2).sum(axis=0)),
        "krippendorff_alpha_nominal": alpha(coincident),
        "krippendorff_alpha_ordinal": alpha(coincident, "ordinal"),
        "gwet_ac1": gwet_of(observed, ratio(rated, rated.sum(axis=0))),
        "items": items,
    }


def of_items(name: str, counts: Any, summed: Data) -> dict[str, Any]:
    """A coefficient over all, as a report has it; `summed` is what `of_sums` makes of the items' features."""
    raters = counts.sum(axis=1)
    used = raters[raters >= 2]
    found: dict[str, Any] = {"value": plain(summed[name]) if len(used) else None, "n": len(used)}
    found |= {"se": None, "low": None, "high": None}
    if name == "fleiss_kappa" and len(set(used.tolist())) != 1:
        found["value"] = None
    if name == "percent_agreement" and len(used) and (used == 2).all():
        same = int((counts[raters >= 2] == 2).any(axis=1).sum())
        found["low"], found["high"] = wilson(same, len(used))
    return found
