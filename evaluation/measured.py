"""Every coefficient of two raters, or of many, with its intervals. Pure.

Counts come by cluster, so that the same numbers serve the value, its closed form and its resamples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evaluation import agreement, alpha, manyraters, stacked
from evaluation.bootstrap import Behind, Plan, Resampled, intervals
from evaluation.coefficient import ClassAgreement, Coefficient
from evaluation.manyraters import Sums
from evaluation.stacked import LINEAR, QUADRATIC, UNWEIGHTED, Floats

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Groups:
    """Equal items together: `rows[i]` describes each of `sizes[i]` items, all in cluster `clusters[i]`.

    Of two raters a row is (first rater's label, second's) by place on the scale; of many it is how many raters
    gave each label. `clusters` None makes each item a cluster of its own.
    """

    rows: Counts
    sizes: Counts
    clusters: Counts | None = None

    def summed(self, features: Floats) -> tuple[Floats, Counts]:
        """What each cluster adds to the sums, from what one item of each row adds; and how many add the same."""
        if self.clusters is None:
            return features, self.sizes
        total = np.zeros((int(self.clusters.max(initial=-1)) + 1, features.shape[1]))
        np.add.at(total, self.clusters, features * self.sizes[:, None])
        return total, np.ones(len(total), dtype=np.int64)


@dataclass(frozen=True)
class Measured:
    """A coefficient, with the interval by resampling where one was asked for."""

    coefficient: Coefficient
    clustered: Resampled | None = None


@dataclass(frozen=True)
class MeasuredClass:
    """The agreement on one label, with the intervals of its kappa and of its specific agreement."""

    agreement: ClassAgreement
    kappa: Resampled | None = None
    specific: Resampled | None = None


@dataclass(frozen=True)
class Pair:
    """Two raters: their table (rows the first one's labels), all coefficients, and each label's."""

    table: Counts
    coefficients: tuple[Measured, ...]
    classes: tuple[MeasuredClass, ...]


def of_two(
    groups: Groups, labels: Sequence[str], plan: Plan | None, weights: Sequence[str] = ()
) -> Pair:
    """Two raters over a scale; `weights` (linear, quadratic) name the weighted kappas that make sense on it."""
    k = len(labels)
    cells = groups.rows[:, 0] * k + groups.rows[:, 1] if len(groups.rows) else np.zeros(0, int)
    table = np.bincount(cells, weights=groups.sizes, minlength=k * k).astype(np.int64).reshape(k, k)
    kinds: list[Callable[[Floats], Floats]] = [stacked.observed]
    found = [agreement.percent_agreement(table)]
    for kind in (UNWEIGHTED, *weights):
        kinds.append(partial(stacked.kappa, weights=kind))
        found.append(agreement.cohen_kappa(table, kind))
    kinds += [stacked.pi, stacked.ac1, lambda tables: alpha.value_of(alpha.of_two_raters(tables))]
    found += [agreement.scott_pi(table), agreement.gwet_ac1(table)]
    found.append(manyraters.krippendorff_alpha_nominal(agreement.items_of(table)))
    classes = agreement.per_class(table, labels)

    def statistic(sums: Floats) -> Floats:
        tables = sums.reshape(k, k, *sums.shape[1:])
        by_label = [stacked.kappa(stacked.collapsed(tables, place)) for place in range(k)]
        by_label += [stacked.specific(tables, place) for place in range(k)]
        return np.stack([kind(tables) for kind in kinds] + by_label)

    def behind(sums: Floats) -> NDArray[np.bool_]:
        """All clusters, but for a label's specific agreement those in which somebody used it."""
        tables = sums.reshape(k, k, *sums.shape[1:])
        used = tables.sum(axis=1) + tables.sum(axis=0) > 0
        return np.concatenate([np.ones((len(kinds) + k, sums.shape[1]), dtype=bool), used])

    drawn = _drawn(groups, np.eye(k * k)[cells], statistic, plan, (len(kinds) + 2 * k, behind))
    return Pair(
        table,
        tuple(map(_measured, found, drawn)),
        tuple(
            MeasuredClass(one, *_of_class(one, drawn[len(kinds) + i], drawn[len(kinds) + k + i]))
            for i, one in enumerate(classes)
        ),
    )


def of_many(
    groups: Groups, plan: Plan | None, metrics: Sequence[str], values: Sequence[float] | None = None
) -> tuple[Measured, ...]:
    """Any number of raters; `metrics` name the alphas that make sense, `values` are the labels' numbers."""
    k = groups.rows.shape[1]
    items = np.repeat(groups.rows, groups.sizes, axis=0)
    found = [
        manyraters.pairwise_agreement(items),
        manyraters.fleiss_kappa(items),
        *(manyraters.krippendorff_alpha(items, metric, values) for metric in metrics),
        manyraters.gwet_ac1(items),
    ]

    def statistic(sums: Floats) -> Floats:
        part = Sums.unpacked(sums, k)
        alphas = [alpha.value_of(part.coincident, metric, values) for metric in metrics]
        return np.stack([part.agreement, part.fleiss, *alphas, part.ac1])

    def behind(sums: Floats) -> NDArray[np.bool_]:
        """Clusters with an item that two raters labelled: the others say nothing about agreement."""
        compared = Sums.unpacked(sums, k).paired.sum(axis=0) > 0
        return np.tile(compared, (len(found), 1))

    features = manyraters.features(groups.rows)
    drawn = _drawn(groups, features, statistic, plan, (len(found), behind))
    return tuple(map(_measured, found, drawn))


def _drawn(
    groups: Groups,
    features: Floats,
    statistic: Callable[[Floats], Floats],
    plan: Plan | None,
    numbers: tuple[int, Behind],
) -> Sequence[Resampled | None]:
    """The intervals of so many numbers, and which clusters each comes from."""
    count, behind = numbers
    if plan is None:
        return [None] * count
    clusters, sizes = groups.summed(features)
    return intervals(clusters, statistic, plan, sizes, behind)


def _measured(coefficient: Coefficient, drawn: Resampled | None) -> Measured:
    """An undefined coefficient says why once more where its interval would stand."""
    if drawn is not None and coefficient.value is None:
        drawn = replace(drawn, low=None, high=None, se=None, reason=coefficient.reason)
    return Measured(coefficient, drawn)


def _of_class(
    one: ClassAgreement, kappa: Resampled | None, specific: Resampled | None
) -> tuple[Resampled | None, Resampled | None]:
    kappa = _measured(one.kappa, kappa).clustered
    known = Coefficient("specific_agreement", one.specific, one.kappa.n, reason=one.kappa.reason)
    return kappa, _measured(known, specific).clustered


WEIGHTED = (LINEAR, QUADRATIC)
