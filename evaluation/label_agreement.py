"""The agreement in a file of labels: every coefficient of each two raters and of all. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import alpha, measured
from evaluation.bootstrap import Plan, Resampled
from evaluation.coefficient import NO_ITEMS, ONE_RATER, Coefficient
from evaluation.labelfile import Ratings
from evaluation.measured import WEIGHTED, Groups, Measured, MeasuredClass
from evaluation.scale import Scale

Counts = NDArray[np.int64]

MOST_PAIRED = 20
# Cells of clusters x labels squared: 400 MB. More would be no file of this kind.
MOST_CELLS = 50_000_000
TOO_MANY_RATERS = f"There are more than {MOST_PAIRED} raters; each two are not compared."
TOO_LARGE = (
    "{labels} labels over {clusters:,} clusters are too many to resample. Resample by item, or set the number of "
    "resamples to 0."
)


class TooLarge(ValueError):
    """More than can be resampled; the message says what to do."""


@dataclass(frozen=True)
class Wanted:
    """`plan` None leaves resampling out; `by_cluster` draws the file's clusters, where it has them."""

    plan: Plan | None
    by_cluster: bool = True


def agreement_of(ratings: Ratings, scale: Scale, wanted: Wanted) -> dict[str, Any]:
    """The result as data: docs/researchers.md says what each part is."""
    counted = _Counted(ratings, scale, wanted)
    pairs = list(counted.pairs()) if len(ratings.rater_names) <= MOST_PAIRED else []
    rows = [row for pair, found in pairs for row in counted.pair_rows(pair, found)]
    if not pairs:
        rows = list(counted.no_pairs())
    rows += counted.over_all()
    classes = [counted.class_row(pair, one) for pair, found in pairs for one in found.classes]
    return {
        "n_items": ratings.item_count,
        "n_raters": len(ratings.rater_names),
        "n_labels": len(ratings.labels),
        "labels": list(scale.labels),
        "coefficients": rows,
        "per_class": classes,
    }


class _Counted:
    """A file's labels by their places on the scale."""

    def __init__(self, ratings: Ratings, scale: Scale, wanted: Wanted) -> None:
        self.ratings, self.scale, self.plan = ratings, scale, wanted.plan
        place = {label: index for index, label in enumerate(scale.labels)}
        moved = np.array([place[label] for label in ratings.label_names], dtype=np.int64)
        self.labels: Counts = moved[ratings.labels] if len(moved) else np.zeros(0, np.int64)
        self.clustered = wanted.by_cluster and ratings.clusters is not None
        self.cluster_of: Counts | None = None
        if self.clustered:
            assert ratings.clusters is not None
            self.cluster_of = np.zeros(ratings.item_count, dtype=np.int64)
            self.cluster_of[ratings.items] = ratings.clusters
            self._check(int(ratings.clusters.max(initial=0)) + 1)

    def _check(self, clusters: int) -> None:
        k = len(self.scale.labels)
        if self.plan is not None and clusters * k * k > MOST_CELLS:
            raise TooLarge(TOO_LARGE.format(labels=k, clusters=clusters))

    def pairs(self) -> Iterator[tuple[list[str], measured.Pair]]:
        """Each two raters in the order of their names, over the items that both labelled."""
        names = self.ratings.rater_names
        given = np.full((self.ratings.item_count, len(names)), -1, dtype=np.int16)
        given[self.ratings.items, self.ratings.raters] = self.labels
        for first, second in combinations(sorted(names), 2):
            both = given[:, [names.index(first), names.index(second)]]
            yield [first, second], self._pair(both)

    def _pair(self, both: NDArray[np.int16]) -> measured.Pair:
        shared = np.flatnonzero((both >= 0).all(axis=1))
        k = len(self.scale.labels)
        cells = both[shared, 0].astype(np.int64) * k + both[shared, 1]
        found = self._grouped(cells, shared)
        rows = np.column_stack([found.rows[:, 0] // k, found.rows[:, 0] % k])
        weights = () if self.scale.unordered else WEIGHTED
        return measured.of_two(replace(found, rows=rows), self.scale.labels, self.plan, weights)

    def _grouped(self, kinds: Counts, items: Counts) -> Groups:
        """Items of one kind (and cluster) together; a row of the groups is the kind."""
        if self.cluster_of is None:
            found, sizes = np.unique(kinds, return_counts=True)
            return Groups(found[:, None], sizes)
        most = int(kinds.max(initial=0)) + 1
        found, sizes = np.unique(self.cluster_of[items] * most + kinds, return_counts=True)
        _, clusters = np.unique(found // most, return_inverse=True)
        return Groups((found % most)[:, None], sizes, clusters)

    def pair_rows(self, pair: list[str], found: measured.Pair) -> list[dict[str, Any]]:
        rows = [self._row(one, pair) for one in found.coefficients]
        if self.scale.unordered:
            n = found.coefficients[0].coefficient.n
            missing = [self._unordered("cohen_kappa", weights, n) for weights in WEIGHTED]
            rows[2:2] = [self._row(Measured(one), pair) for one in missing]
        return rows

    def _unordered(self, name: str, weights: str, n: int) -> Coefficient:
        return Coefficient(name, None, n, weights=weights, reason=self.scale.unordered)

    def no_pairs(self) -> Iterator[dict[str, Any]]:
        """Why there is no coefficient of two raters."""
        raters = len(self.ratings.rater_names)
        why = ONE_RATER if raters == 1 else TOO_MANY_RATERS if raters else NO_ITEMS
        for weights in ("none", *WEIGHTED):
            yield self._row(
                Measured(Coefficient("cohen_kappa", None, 0, weights=weights, reason=why))
            )
        yield self._row(Measured(Coefficient("scott_pi", None, 0, reason=why)))

    def over_all(self) -> list[dict[str, Any]]:
        """The coefficients over all raters; those that the scale has no order or numbers for say so."""
        found = {one.coefficient.name: one for one in self._of_many()}
        n = found["percent_agreement"].coefficient.n
        for metric, why in (
            (alpha.ORDINAL, self.scale.unordered),
            (alpha.INTERVAL, self.scale.unnumbered),
        ):
            name = f"krippendorff_alpha_{metric}"
            if why and name not in found:
                found[name] = Measured(Coefficient(name, None, n, reason=why))
        return [self._row(found[name]) for name in ALL_NAMES]

    def _of_many(self) -> Sequence[Measured]:
        if len(self.ratings.rater_names) < 2:
            why = ONE_RATER if len(self.ratings.rater_names) else NO_ITEMS
            return [Measured(Coefficient(name, None, 0, reason=why)) for name in ALL_NAMES]
        k = len(self.scale.labels)
        flat = np.bincount(
            self.ratings.items * np.int64(k) + self.labels, minlength=self.ratings.item_count * k
        )
        items = flat.reshape(-1, k)
        kinds, place = _kinds(items)
        groups = self._grouped(place, np.arange(len(items)))
        metrics = [alpha.NOMINAL]
        metrics += [] if self.scale.unordered else [alpha.ORDINAL]
        metrics += [] if self.scale.unnumbered else [alpha.INTERVAL]
        rows = kinds[groups.rows[:, 0]]
        return measured.of_many(replace(groups, rows=rows), self.plan, metrics, self.scale.values)

    def class_row(self, pair: list[str], one: MeasuredClass) -> dict[str, Any]:
        row = self._row(Measured(one.agreement.kappa, one.kappa))
        said = ("value", "se", "low", "high", "n", "method", "reason")
        return {
            "pair": pair,
            "label": one.agreement.label,
            "kappa": row["value"],
            **{name: row[name] for name in said if name != "value"},
            "specific_agreement": one.agreement.specific,
            "prevalence": one.agreement.prevalence,
            "bias": one.agreement.bias,
        }

    def _row(self, found: Measured, pair: list[str] | None = None) -> dict[str, Any]:
        """One interval for each: the clustered one where clusters are drawn, else the closed form's if any."""
        one, drawn = found.coefficient, found.clustered
        if drawn is not None and one.value is not None and (self.clustered or one.low is None):
            one = replace(
                one,
                se=drawn.se,
                low=drawn.low,
                high=drawn.high,
                method=self._method(drawn),
                reason=drawn.reason,
            )
        said = ("weights", "value", "se", "low", "high", "n", "method", "reason")
        return {"name": one.name, "pair": pair, **{name: getattr(one, name) for name in said}}

    def _method(self, drawn: Resampled) -> str:
        if drawn.low is None:
            return ""
        what = "clusters" if self.clustered else "items"
        undefined = f", {drawn.undefined} undefined" if drawn.undefined else ""
        return (
            f"{drawn.method}: {drawn.clusters} {what}, {drawn.resamples} resamples, seed {drawn.seed} "
            f"(PCG64){undefined}"
        )


ALL_NAMES = (
    "percent_agreement",
    "fleiss_kappa",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "gwet_ac1",
)


def _kinds(items: Counts) -> tuple[Counts, Counts]:
    """The different rows, and each row's place among them; rows are read as numbers where they fit into one."""
    base, k = int(items.max(initial=0)) + 1, items.shape[1]
    if base**k >= 2**62:
        kinds, place = np.unique(items, axis=0, return_inverse=True)
        return kinds, place.ravel()
    keys = items @ (base ** np.arange(k, dtype=np.int64))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return items[first], place
