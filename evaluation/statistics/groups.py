"""Items that count alike, by cluster, and a coefficient with its interval by resampling these clusters. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.bootstrap import Plan, Resampled, Sources, intervals
from evaluation.statistics.chance import Floats
from evaluation.statistics.coefficient import Coefficient

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

    def resampled(
        self,
        features: Floats,
        statistic: Callable[[Floats], Floats],
        plan: Plan | None,
        numbers: tuple[int, Sources],
    ) -> Sequence[Resampled | None]:
        """The intervals of so many numbers of these items; `numbers` also says which clusters each comes from."""
        count, sources = numbers
        if plan is None:
            return [None] * count
        clusters, sizes = self.summed(features)
        return intervals(clusters, statistic, plan, sizes, sources)


@dataclass(frozen=True)
class Measured:
    """A coefficient, with the interval by resampling where one was asked for."""

    coefficient: Coefficient
    clustered: Resampled | None = None


def measured(coefficient: Coefficient, resampled: Resampled | None) -> Measured:
    """An undefined coefficient repeats its reason in place of an interval."""
    if resampled is not None and coefficient.value is None:
        resampled = replace(resampled, low=None, high=None, se=None, reason=coefficient.reason)
    return Measured(coefficient, resampled)
