"""Confidence intervals by resampling clusters: the BCa interval at levels widened for few clusters. Pure.

Verdicts within an article are not independent, articles are. So whole articles are drawn with replacement, as
often as there are articles, and each number is computed anew on every draw. A number is a function of sums over
clusters; hence a draw is a row of how often each cluster was drawn, and its sums are a matrix product.

The ends are the bias-corrected and accelerated ones (Efron 1987) with the acceleration from leaving out one
cluster at a time. Their levels are those of Student's t with C - 1 degrees of freedom for C clusters, widened by
sqrt(C / (C - 1)) (Hesterberg 2015), because a resample varies too little by that factor.
docs/researchers-reference.md says which methods were tried and how often each held the true value.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from . import student
from .chance import Floats

Statistic = Callable[[Floats], Floats]
# Sums of clusters `features x C` to `m x C`: whether a cluster holds any of what number i is a share of.
Sources = Callable[[Floats], NDArray[np.bool_]]

RESAMPLES = 10_000
MOST_RESAMPLES = 100_000
LEVEL = 0.95
# The one rule for every interval. An interval whose width is estimated from the data, by resampling or by an
# asymptotic standard error, is given from this many independent clusters on. With fewer the estimate of the width is
# too unsteady, and both methods hold the truth less often than they say (Cameron, Gelbach and Miller 2008, on few
# clusters; Fleiss, Cohen and Everitt 1969 derive their error for large samples). With 8, intervals held it in 92 to
# 99 % of simulated studies. Below there is none, and its reason stands in its place. Items of which nothing says how
# they cluster are clusters of their own.
# Wilson's interval of a share estimates no width: it holds the shares that a binomial test would not reject, for any n
# (Brown, Cai and DasGupta 2001 advise it for n up to 40). So a share that cannot be resampled has Wilson's, marked,
# since it takes responses as independent.
FEWEST_CLUSTERS = 8
# With a larger share of undefined resamples there is no interval: the others speak for another coefficient.
MOST_UNDEFINED = 0.1
MOST_CLUSTERS = 200
CHUNK_CELLS = 200_000
# Rounded: machines sum in different orders, and clusters that add the same are one kind.
DIGITS = 10
SUM_DIGITS = 12
TIE = 1e-12

METHOD = "cluster bootstrap, BCa with t levels"
SAME_EVERYWHERE = "Every resample gives the same value."
FEW_CLUSTERS = "Fewer than {fewest} clusters ({clusters}): too few for an interval."
OFTEN_UNDEFINED = "Undefined in {undefined} of {resamples} resamples."


@dataclass(frozen=True)
class ResamplePlan:
    """How to resample: the seed of PCG64 and how often."""

    seed: int = 0
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError("A seed is a whole number, 0 or above.")
        if not 100 <= self.resamples <= MOST_RESAMPLES:
            raise ValueError(f"The number of resamples lies between 100 and {MOST_RESAMPLES:,}.")


class Resampled(TypedDict):
    """The 95 % interval of one number; `low` and `high` None with a `reason` where there is none.

    `undefined` of `resamples` draws gave no value, and the interval is of the others; `se` is their standard
    deviation.
    """

    low: float | None
    high: float | None
    se: float | None
    clusters: int
    resamples: int
    undefined: int
    seed: int
    reason: str
    method: str


class Resampling(TypedDict):
    """How the intervals of agreement were computed."""

    cluster: str
    method: str
    resamples: int
    generator: str
    seed: int


def intervals(
    clusters: Floats,
    statistic: Statistic,
    plan: ResamplePlan,
    sizes: NDArray[np.int64] | None = None,
    sources: Sources | None = None,
) -> list[Resampled]:
    """The interval of each number that `statistic` computes.

    `clusters` is C x features, a cluster's contribution to the sums in each row; a row without any stays out,
    and counts as `sizes` equal clusters where they are given. `statistic` takes sums `features x ...` to
    numbers `m x ...`, NaN where undefined. `sources` says which clusters each number comes from, where they
    differ: its degrees of freedom follow from them. The draw depends on the seed and on the clusters' counts alone,
    not on their order or names.
    """
    rows, sizes = _kinds(clusters, np.ones(len(clusters), int) if sizes is None else sizes)
    count = int(sizes.sum())
    held = np.atleast_1d(sources(rows.T)) @ sizes if sources else None
    pooled = count > MOST_CLUSTERS
    if pooled:
        rows = _pooled(rows, sizes, plan)
        sizes = np.ones(MOST_CLUSTERS, dtype=np.int64)
    total = sizes @ rows
    values = np.atleast_1d(statistic(total))
    counts = [count] * len(values) if held is None else [int(number) for number in held]
    if count < FEWEST_CLUSTERS:
        return [too_few(number, plan) for number in counts]
    chunks = draws_of_groups(plan) if pooled else draws(sizes, plan)
    drawn = np.concatenate([statistic(rows.T @ chunk.T) for chunk in chunks], axis=1)
    without_one = statistic((total - rows).T)
    return [
        _interval(values[i], drawn[i], without_one[i], sizes, (counts[i], plan))
        for i in range(len(values))
    ]


def too_few(clusters: int, plan: ResamplePlan) -> Resampled:
    """No interval: a number from so few clusters has none."""
    return {**_endless(clusters, plan, 0), "resamples": 0, "reason": why_few(clusters)}


def why_few(clusters: int) -> str:
    """Why a number from so many clusters has no interval; empty where they are enough for one."""
    few = clusters < FEWEST_CLUSTERS
    return FEW_CLUSTERS.format(fewest=FEWEST_CLUSTERS, clusters=clusters) if few else ""


def _endless(clusters: int, plan: ResamplePlan, undefined: int) -> Resampled:
    """What is known of an interval before its ends."""
    return {
        "low": None,
        "high": None,
        "se": None,
        "clusters": clusters,
        "resamples": plan.resamples,
        "undefined": undefined,
        "seed": plan.seed,
        "reason": "",
        "method": METHOD,
    }


def _kinds(clusters: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """The different rows in order, and how many clusters each counts for."""
    kept = np.any(clusters != 0, axis=1) & (sizes > 0)
    summed = np.round(clusters[kept], SUM_DIGITS)
    rows, place = np.unique(summed, axis=0, return_inverse=True)
    return rows, np.bincount(place, weights=sizes[kept], minlength=len(rows)).astype(np.int64)


def _pooled(rows: Floats, sizes: NDArray[np.int64], plan: ResamplePlan) -> Floats:
    """The clusters put together at random into MOST_CLUSTERS groups, which are drawn instead.

    Groups of independent clusters are independent, and a few hundred of them say as much of the spread.
    """
    rng = np.random.Generator(np.random.PCG64(plan.seed).jumped())  # apart from what is drawn
    owner = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    starts = np.arange(MOST_CLUSTERS) * len(owner) // MOST_CLUSTERS
    return np.add.reduceat(rows[owner], starts, axis=0)


def draws(sizes: NDArray[np.int64], plan: ResamplePlan) -> Iterator[Floats]:
    """How often each kind of cluster is drawn, `sizes` being how many there are of it: rows are resamples."""
    rng = np.random.Generator(np.random.PCG64(plan.seed))
    total, kinds = int(sizes.sum()), len(sizes)
    step = max(1, CHUNK_CELLS // total)
    owner = np.repeat(np.arange(kinds), sizes)
    for start in range(0, plan.resamples, step):
        rows = min(step, plan.resamples - start)
        picked = owner[rng.integers(0, total, size=(rows, total))]
        picked += np.arange(rows)[:, None] * kinds
        counted = np.bincount(picked.ravel(), minlength=rows * kinds)
        yield counted.reshape(rows, kinds).astype(np.float64)


def draws_of_groups(plan: ResamplePlan) -> Iterator[Floats]:
    """As `draws` for MOST_CLUSTERS single clusters. Every pooled statistic of a plan needs the same ones."""
    counted = _kept_draws(plan)
    step = CHUNK_CELLS // MOST_CLUSTERS
    for start in range(0, len(counted), step):
        yield counted[start : start + step].astype(np.float64)


@lru_cache(maxsize=1)
def _kept_draws(plan: ResamplePlan) -> NDArray[np.uint8]:
    """All draws of a plan in a byte each: 2 MB for 10,000 resamples. A count is at most MOST_CLUSTERS."""
    return np.vstack(
        [chunk.astype(np.uint8) for chunk in draws(np.ones(MOST_CLUSTERS, dtype=np.int64), plan)]
    )


def _interval(
    value: float,
    drawn: Floats,
    without_one: Floats,
    sizes: NDArray[np.int64],
    made_of: tuple[int, ResamplePlan],
) -> Resampled:
    clusters, plan = made_of
    if clusters < FEWEST_CLUSTERS:
        return too_few(clusters, plan)
    defined = drawn[np.isfinite(drawn)]
    undefined = len(drawn) - len(defined)
    made = _endless(clusters, plan, undefined)
    if not np.isfinite(value) or undefined > MOST_UNDEFINED * plan.resamples:
        why = OFTEN_UNDEFINED.format(undefined=undefined, resamples=plan.resamples)
        return {**made, "reason": why}
    if np.ptp(defined) <= TIE:
        return {**made, "se": 0.0, "reason": SAME_EVERYWHERE}
    low, high = _bca_ends(value, defined, without_one, sizes, min(clusters, int(sizes.sum())))
    se = round(float(defined.std(ddof=1)), DIGITS)
    return {**made, "low": round(low, DIGITS), "high": round(high, DIGITS), "se": se}


def _bca_ends(
    value: float, drawn: Floats, without_one: Floats, sizes: NDArray[np.int64], clusters: int
) -> tuple[float, float]:
    normal = NormalDist()
    ties = np.abs(drawn - value) <= TIE
    below = float((drawn < value - TIE).mean() + ties.mean() / 2)
    edge = 1 / (2 * len(drawn))
    bias = normal.inv_cdf(min(max(below, edge), 1 - edge))
    speed = _acceleration(without_one, sizes)
    t = student.quantile((1 + LEVEL) / 2, clusters - 1) * sqrt(clusters / (clusters - 1))
    levels = [_level(bias, speed, z, normal) for z in (-t, t)]
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)


def _level(bias: float, speed: float, z: float, normal: NormalDist) -> float:
    """The level at which the end for z lies among the resamples; the last one at or past the pole of BCa."""
    shifted = bias + z
    room = 1 - speed * shifted
    if room <= 0:
        return float(shifted > 0)
    return normal.cdf(bias + shifted / room)


def _acceleration(without_one: Floats, sizes: NDArray[np.int64]) -> float:
    """Efron's a from the values with one cluster left out; clusters whose absence undefines it stay out."""
    kept = np.isfinite(without_one)
    values, weight = without_one[kept], sizes[kept]
    if not weight.sum():
        return 0.0
    apart = np.average(values, weights=weight) - values
    spread = float((weight * apart**2).sum())
    return float((weight * apart**3).sum()) / (6 * spread**1.5) if spread > TIE**2 else 0.0
