"""Differences between shares: paired, unpaired, and of gains; with resampled intervals and corrected p. Pure.

Arrays are one entry a response (or a pair of them): `hits` whether it has the verdict in question, `clusters` the
place of its article from 0. A p-value that does not exist is None with a reason.

Sources: exact McNemar test, McNemar (1947) with the binomial tail; step-down correction, Holm (1979);
equivalence by an interval inside a margin, Schuirmann (1987), here with the 95 % interval, which is the stricter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from . import student
from .bootstrap import FEWEST_CLUSTERS, Resampled, ResamplePlan, Statistic, intervals, too_few
from .chance import Floats, ratio

Hits = NDArray[np.bool_]
Places = NDArray[np.int64]

NO_PAIRS = "No question has a verdict on both sides."
ONE_SIDE = "One of the two groups has no verdicts."
NO_DISCORDANT = "Both sides agree on every question, so there is nothing to test."
# How p-values are corrected over a family, by name.
CORRECTION = "Holm"
EQUIVALENT, DIFFERENT, UNDECIDED = "equivalent", "different", "undecided"


@dataclass(frozen=True)
class Difference:
    """`second` less `first` as shares 0..1, each side (k, n); `value` None where a side is empty.

    `only_first` and `only_second` count the discordant pairs of a paired comparison. `p_exact` is McNemar's,
    which takes questions as independent. `p_clustered` comes from the spread of the resamples, by Student's t; its
    degrees of freedom are the articles less one, of two groups those of the smaller.
    """

    value: float | None
    first: tuple[int, int]
    second: tuple[int, int]
    interval: Resampled | None
    only_first: int | None = None
    only_second: int | None = None
    p_exact: float | None = None
    p_clustered: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class GainDifference:
    """The gain from the first prompt to the second in one group, less the same gain in the other."""

    value: float | None
    gain: Difference
    other_gain: Difference
    interval: Resampled | None
    p_clustered: float | None = None
    reason: str = ""


def paired(first: Hits, second: Hits, clusters: Places, plan: ResamplePlan) -> Difference:
    """Two verdicts on each question: is the second right where the first is not?"""
    n, k_1, k_2 = len(first), int(first.sum()), int(second.sum())
    if not n:
        return Difference(None, (0, 0), (0, 0), None, 0, 0, reason=NO_PAIRS)
    features = np.stack([np.ones(n), second.astype(float) - first], axis=1)
    interval = _resampled(
        _by_cluster(features, clusters), lambda sums: ratio(sums[1], sums[0])[None], plan
    )
    value = (k_2 - k_1) / n
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    return Difference(
        value,
        (k_1, n),
        (k_2, n),
        interval,
        only_first,
        only_second,
        p_exact=mcnemar(only_first, only_second),
        p_clustered=_p(value, interval),
        reason="" if only_first + only_second else NO_DISCORDANT,
    )


def unpaired(
    first: Hits, first_clusters: Places, second: Hits, second_clusters: Places, plan: ResamplePlan
) -> Difference:
    """Two groups of different questions, which may share articles."""
    sides = (int(first.sum()), len(first)), (int(second.sum()), len(second))
    if not len(first) or not len(second):
        return Difference(None, *sides, None, reason=ONE_SIDE)
    hits = np.concatenate([first, second]).astype(float)
    is_second = np.arange(len(hits)) >= len(first)
    both = np.concatenate([first_clusters, second_clusters])
    interval, fewest = _of_two_groups(hits, is_second, both, _share_difference, plan)
    value = sides[1][0] / sides[1][1] - sides[0][0] / sides[0][1]
    return Difference(value, *sides, interval, p_clustered=_p(value, interval, fewest))


def gain_difference(
    first: Hits, second: Hits, clusters: Places, other: Hits, plan: ResamplePlan
) -> GainDifference:
    """Whether the gain from first to second differs between the group `other` and the rest.

    The value is the rest's gain less the other's. Arrays run over pairs, as in `paired`.
    """
    rest = ~other
    gain, other_gain = (
        paired(first[chosen], second[chosen], clusters[chosen], plan) for chosen in (rest, other)
    )
    if not rest.any() or not other.any():
        return GainDifference(None, gain, other_gain, None, reason=ONE_SIDE)
    moved = second.astype(float) - first
    interval, fewest = _of_two_groups(
        moved, other, clusters, lambda sums: -_share_difference(sums), plan
    )
    value = float(moved[rest].mean() - moved[other].mean())
    return GainDifference(value, gain, other_gain, interval, _p(value, interval, fewest))


def mcnemar(only_first: int, only_second: int) -> float | None:
    """The exact two-sided p of as uneven a split of the discordant pairs; None where there are none."""
    n = only_first + only_second
    if not n:
        return None
    # Each binomial coefficient from the one before: computing thousands of them anew takes minutes.
    tail = ways = 1
    for i in range(min(only_first, only_second)):
        ways = ways * (n - i) // (i + 1)
        tail += ways
    return min(1.0, 2 * tail / 2**n)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Each p as corrected over the family of those that exist (Holm 1979); the order is kept."""
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - rank)))
        corrected[place] = highest
    return corrected


def equivalence(low: float | None, high: float | None, margin: float) -> str:
    """Whether an interval lies inside -margin..margin, wholly outside, or neither ("" without an interval)."""
    if not 0 < margin < 1:
        raise ValueError(f"A margin lies between 0 and 1, not {margin}.")
    if low is None or high is None:
        return ""
    if -margin < low and high < margin:
        return EQUIVALENT
    return DIFFERENT if high <= -margin or low >= margin else UNDECIDED


def _by_cluster(features: Floats, clusters: Places) -> Floats:
    """The sum of each cluster's rows."""
    sums = np.zeros((int(clusters.max()) + 1, features.shape[1]))
    np.add.at(sums, clusters, features)
    return sums


def _resampled(sums: Floats, statistic: Statistic, plan: ResamplePlan) -> Resampled:
    (interval,) = intervals(sums, statistic, plan)
    return interval


def _of_two_groups(
    values: Floats, other: Hits, clusters: Places, statistic: Statistic, plan: ResamplePlan
) -> tuple[Resampled, int]:
    """As `_resampled`, where both groups come from enough clusters; and how many the smaller one comes from."""
    features = np.stack([~other, ~other * values, other, other * values], axis=1).astype(float)
    sums = _by_cluster(features, clusters)
    fewest = min(int((sums[:, place] > 0).sum()) for place in (0, 2))
    few = fewest < FEWEST_CLUSTERS
    return too_few(fewest, plan) if few else _resampled(sums, statistic, plan), fewest


def _share_difference(sums: Floats) -> Floats:
    """The second group's share less the first's."""
    return (ratio(sums[3], sums[2]) - ratio(sums[1], sums[0]))[None]


def _p(value: float, interval: Resampled, clusters: int | None = None) -> float | None:
    """Two-sided, from the resamples' standard error; None where that is 0 or was not to be had.

    Resamples vary too little by sqrt(C / (C - 1)). Of two groups, C (`clusters`) is that of the smaller, whose spread
    is known worst.
    """
    if not interval["se"] or interval["low"] is None:
        return None
    clusters = interval["clusters"] if clusters is None else clusters
    error = interval["se"] * sqrt(clusters / (clusters - 1))
    return student.two_sided(value / error, clusters - 1)
