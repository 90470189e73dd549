"""Intervals from a seed: whole clusters drawn with replacement, BCa ends at levels widened for few clusters.

Efron (1987) for the bias correction and the acceleration, from leaving out one cluster at a time; Hesterberg (2015)
for the levels of Student's t with a degree of freedom less than there are clusters, widened by sqrt(C / (C - 1)).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from math import atan, cos, isfinite, pi, sin, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from .findings import Data

FEWEST_CLUSTERS = 8
MOST_CLUSTERS = 200
MOST_UNDEFINED = 0.1
MOST_RESAMPLES = 100_000
CHUNK = 200_000
TIE = 1e-12
# Sums f x ... to numbers m x ..., NaN where undefined; or to whether a cluster holds any of what a number is of.
Statistic = Callable[[Any], Any]
ENDS = ("low", "high", "se", "clusters", "resamples", "undefined", "seed")


@dataclass(frozen=True)
class Plan:
    """The seed of PCG64 and how often clusters are drawn."""

    seed: int
    resamples: int

    @classmethod
    def of(cls, made: Data) -> "Plan":
        if not 0 < made["resamples"] <= MOST_RESAMPLES or made["seed"] < 0:
            raise ValueError(f"no report has {made['resamples']} resamples from {made['seed']}")
        return cls(made["seed"], made["resamples"])


def intervals(
    clusters: Any, statistic: Statistic, plan: Plan, sources: Statistic | None = None
) -> list[dict[str, Any]]:
    """The interval of each number of `statistic`, as ENDS; `clusters` is C x f, what each cluster adds to the sums."""
    kept = np.round(clusters[np.any(clusters != 0, axis=1)], 12)
    rows, sizes = np.unique(kept, axis=0, return_counts=True)
    count = len(kept)
    held = np.atleast_1d(sources(rows.T)) @ sizes if sources else None
    if count > MOST_CLUSTERS:
        rows, sizes = pooled(rows, sizes, plan), np.ones(MOST_CLUSTERS, dtype=int)
    total = sizes @ rows
    values = np.atleast_1d(statistic(total))
    counts = [count] * len(values) if held is None else [int(number) for number in held]
    if count < FEWEST_CLUSTERS:
        return [too_few(number, plan) for number in counts]
    drawn = np.concatenate([statistic(rows.T @ some.T) for some in draws(sizes, plan)], axis=1)
    without = statistic((total - rows).T)
    each = zip(values, drawn, without, counts, strict=True)
    return [interval_of(v, d, w, sizes, plan, n) for v, d, w, n in each]


def pooled(rows: Any, sizes: Any, plan: Plan) -> Any:
    """More clusters than MOST_CLUSTERS are put together at random, and the groups are drawn."""
    rng = np.random.Generator(np.random.PCG64(plan.seed).jumped())
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    starts = np.arange(MOST_CLUSTERS) * len(owner) // MOST_CLUSTERS
    return np.add.reduceat(rows[owner], starts, axis=0)


def draws(sizes: Any, plan: Plan) -> Iterator[Any]:
    """How often each kind of cluster is drawn, in parts: a row is a resample."""
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    total, kinds = int(sizes.sum()), len(sizes)
    owner = np.repeat(np.arange(kinds), sizes)
    step = max(1, CHUNK // total)
    for start in range(0, plan.resamples, step):
        number = min(step, plan.resamples - start)
        picked = owner[rng.integers(0, total, size=(number, total))]
        picked += np.arange(number)[:, None] * kinds
        yield np.bincount(picked.ravel(), minlength=number * kinds).reshape(number, kinds) * 1.0


def too_few(clusters: int, plan: Plan) -> dict[str, Any]:
    return {**ended(clusters, plan), "resamples": 0}


def ended(clusters: int, plan: Plan, **ends: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(ENDS) | {"undefined": 0}
    made = {"clusters": clusters, "resamples": plan.resamples, "seed": plan.seed}
    return {**nothing, **made, **ends}


def interval_of(
    value: float, drawn: Any, without: Any, sizes: Any, plan: Plan, clusters: int
) -> dict[str, Any]:
    if clusters < FEWEST_CLUSTERS:
        return too_few(clusters, plan)
    defined = drawn[np.isfinite(drawn)]
    undefined = len(drawn) - len(defined)
    if not isfinite(value) or undefined > MOST_UNDEFINED * plan.resamples:
        return ended(clusters, plan, undefined=undefined)
    if np.ptp(defined) <= TIE:
        return ended(clusters, plan, undefined=undefined, se=0.0)
    levels = bca_levels(value, defined, without, sizes, min(clusters, int(sizes.sum())))
    low, high = (round(float(end), 10) for end in np.quantile(defined, levels))
    se = round(float(defined.std(ddof=1)), 10)
    return ended(clusters, plan, undefined=undefined, low=low, high=high, se=se)


def bca_levels(value: float, drawn: Any, without: Any, sizes: Any, clusters: int) -> list[float]:
    """The quantiles of the resamples that are the ends of the interval."""
    normal = NormalDist()
    ties = np.abs(drawn - value) <= TIE
    below = float((drawn < value - TIE).mean() + ties.mean() / 2)
    edge = 1 / (2 * len(drawn))
    bias = normal.inv_cdf(min(max(below, edge), 1 - edge))
    speed = acceleration(without, sizes)
    t = t_quantile(0.975, clusters - 1) * sqrt(clusters / (clusters - 1))
    levels = []
    for z in (-t, t):
        room = 1 - speed * (bias + z)
        beyond = float(bias + z > 0)
        levels.append(normal.cdf(bias + (bias + z) / room) if room > 0 else beyond)
    return levels


def acceleration(without: Any, sizes: Any) -> float:
    kept = np.isfinite(without)
    values, weight = without[kept], sizes[kept]
    if not weight.sum():
        return 0.0
    apart = np.average(values, weights=weight) - values
    spread = float((weight * apart**2).sum())
    return float((weight * apart**3).sum()) / (6 * spread**1.5) if spread > TIE**2 else 0.0


# ---------------------------------------------------------------- Student's t


def t_within(t: float, df: int) -> float:
    """P(-t < T < t) of Student's t with whole degrees of freedom.

    Abramowitz and Stegun (1964), 26.7.3 and 26.7.4.
    """
    angle = atan(t / sqrt(df))
    square = cos(angle) ** 2
    term = total = 1.0 if df % 2 == 0 else cos(angle)
    for n in range(3 if df % 2 else 2, df, 2):
        term *= square * (n - 1) / n
        total += term
    if df % 2 == 0:
        return sin(angle) * total
    return 2 / pi * (angle + (sin(angle) * total if df > 1 else 0.0))


@cache
def t_quantile(share: float, df: int) -> float:
    """The t below which `share` of the distribution lies, for a share above a half."""
    low, high = 0.0, 1.0
    while (1 + t_within(high, df)) / 2 < share:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 + t_within(middle, df)) / 2 < share else (low, middle)
    return (low + high) / 2


def p_value(value: float, interval: Data, clusters: int) -> float | None:
    """Two-sided, from the standard error of the resamples, widened as the intervals are."""
    if not interval["se"] or interval["low"] is None:
        return None
    error = interval["se"] * sqrt(clusters / (clusters - 1))
    return 1 - t_within(abs(value / error), clusters - 1)
