"""Items that count alike, by cluster, and the intervals of what is computed from them. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Resampled, ResamplePlan, Sources, intervals
from .chance import Floats

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

    @property
    def count(self) -> int:
        """How many clusters there are."""
        if self.clusters is None:
            return int(self.sizes.sum())
        return len(np.unique(self.clusters[self.sizes > 0]))

    def summed(self, features: Floats) -> tuple[Floats, Counts]:
        """What each cluster adds to the sums, from what one item of each row adds; and how many add the same."""
        if self.clusters is None:
            return features, self.sizes
        of_rows = (features * self.sizes[:, None]).T
        total = np.array([np.bincount(self.clusters, weights=feature) for feature in of_rows]).T
        return total, np.ones(len(total), dtype=np.int64)

    def resampled(
        self,
        features: Floats,
        statistic: Callable[[Floats], Floats],
        plan: ResamplePlan | None,
        numbers: tuple[int, Sources],
    ) -> Sequence[Resampled | None]:
        """The intervals of so many numbers of these items; `numbers` also says which clusters each comes from."""
        count, sources = numbers
        if plan is None:
            return [None] * count
        clusters, sizes = self.summed(features)
        return intervals(clusters, statistic, plan, sizes, sources)


def kinds(rows: Counts) -> tuple[Counts, Counts]:
    """The different rows, and each row's place among them."""
    base, k = int(rows.max(initial=0)) + 1, rows.shape[1]
    if base**k >= 2**62:
        different, place = np.unique(rows, axis=0, return_inverse=True)
        return different, place.ravel()
    # Rows as numbers of as many digits: ten times as fast to sort as rows.
    _, first, place = np.unique(rows @ base ** np.arange(k), return_index=True, return_inverse=True)
    return rows[first], place
