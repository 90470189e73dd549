"""The agreement in a file of labels: every coefficient of each two raters and of all. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from evaluation.labels.file import Ratings
from evaluation.labels.scale import LabelScale
from evaluation.statistics import alpha, wilson
from evaluation.statistics.bootstrap import Resampled, ResamplePlan
from evaluation.statistics.chance import UNWEIGHTED, WEIGHTED
from evaluation.statistics.coefficient import (
    NO_ITEMS,
    ONE_RATER,
    ClassCoefficients,
    Coefficient,
    PlainCoefficient,
    coefficient,
)
from evaluation.statistics.groups import Counts, Groups, kinds
from evaluation.statistics.many_raters import of_many
from evaluation.statistics.two_raters import TwoRaters, of_two

MOST_PAIRED = 20
# Cells of clusters x labels squared: 400 MB. More would be no file of this kind.
MOST_CELLS = 50_000_000
TOO_MANY_RATERS = f"There are more than {MOST_PAIRED} raters; each two are not compared."
TOO_LARGE = (
    "{labels} labels over {clusters:,} clusters are too many to resample. Resample by item, or set the number of "
    "resamples to 0."
)


class TooManyLabels(ValueError):
    """Too many clusters and labels to resample; the message says what to do."""


@dataclass(frozen=True)
class LabelsPlan:
    """`plan` None leaves resampling out; `by_cluster` draws the file's clusters, where it has them."""

    plan: ResamplePlan | None
    by_cluster: bool = True


class LabelAgreement(TypedDict):
    """Kappa on one label (with its interval) and its other shares, of two raters."""

    pair: list[str]
    label: str
    kappa: float | None
    se: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: str
    specific_agreement: float | None
    prevalence: float | None
    bias: float | None


class LabelsAgreement(TypedDict):
    """The agreement in a file, as data: docs/researchers.md says what each part is."""

    n_items: int
    n_raters: int
    n_labels: int
    n_left_out: int
    left_out: dict[str, int]
    notices: list[str]
    labels: list[str]
    weights: str
    coefficients: list[PlainCoefficient]
    per_class: list[LabelAgreement]


def agreement_of(ratings: Ratings, scale: LabelScale, wanted: LabelsPlan) -> LabelsAgreement:
    """Every coefficient of each two raters and of all, with its interval."""
    counted = _Counted(ratings, scale, wanted)
    pairs = list(counted.pairs()) if len(ratings.rater_names) <= MOST_PAIRED else []
    rows = [row for pair, agreement in pairs for row in counted.pair_rows(pair, agreement)]
    if not pairs:
        rows = list(counted.no_pairs())
    rows += counted.over_all()
    classes = [
        counted.class_row(pair, label) for pair, agreement in pairs for label in agreement.classes
    ]
    return {
        "n_items": ratings.item_count,
        "n_raters": len(ratings.rater_names),
        "n_labels": len(ratings.labels),
        "n_left_out": sum(ratings.left_out.values()),
        "left_out": ratings.left_out,
        "notices": ratings.notices,
        "labels": list(scale.labels),
        "weights": scale.weights,
        "coefficients": rows,
        "per_class": classes,
    }


class _Counted:
    """A file's labels by their places on the scale."""

    def __init__(self, ratings: Ratings, scale: LabelScale, wanted: LabelsPlan) -> None:
        self.ratings, self.scale, self.plan = ratings, scale, wanted.plan
        every = () if scale.unordered else (UNWEIGHTED, *WEIGHTED)
        self.weights = tuple(dict.fromkeys((scale.weights, *every)))
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
            raise TooManyLabels(TOO_LARGE.format(labels=k, clusters=clusters))

    def pairs(self) -> Iterator[tuple[list[str], TwoRaters]]:
        """Each two raters in the order of their names, over the items that both labelled."""
        names = self.ratings.rater_names
        given = np.full((self.ratings.item_count, len(names)), -1, dtype=np.int16)
        given[self.ratings.items, self.ratings.raters] = self.labels
        for first, second in combinations(sorted(names), 2):
            both = given[:, [names.index(first), names.index(second)]]
            yield [first, second], self._pair(both)

    def _pair(self, both: NDArray[np.int16]) -> TwoRaters:
        shared = np.flatnonzero((both >= 0).all(axis=1))
        k = len(self.scale.labels)
        cells = both[shared, 0].astype(np.int64) * k + both[shared, 1]
        groups = self._grouped(cells, shared)
        rows = np.column_stack([groups.rows[:, 0] // k, groups.rows[:, 0] % k])
        return of_two(replace(groups, rows=rows), self.scale.labels, self.plan, self.weights)

    def _grouped(self, kind_of: Counts, items: Counts) -> Groups:
        """Items of one kind (and cluster) together; a row of the groups is the kind."""
        if self.cluster_of is None:
            keys, sizes = np.unique(kind_of, return_counts=True)
            return Groups(keys[:, None], sizes)
        most = int(kind_of.max(initial=0)) + 1
        keys, sizes = np.unique(self.cluster_of[items] * most + kind_of, return_counts=True)
        _, clusters = np.unique(keys // most, return_inverse=True)
        return Groups((keys % most)[:, None], sizes, clusters)

    def pair_rows(self, pair: list[str], measured: TwoRaters) -> list[PlainCoefficient]:
        rows = [self._row(coefficient, pair) for coefficient in measured.coefficients]
        if why := self.scale.unordered:
            missing = partial(coefficient, "cohen_kappa", None, rows[0]["n"], reason=why)
            rows[2:2] = [self._row(missing(weights=weights), pair) for weights in WEIGHTED]
        return rows

    def no_pairs(self) -> Iterator[PlainCoefficient]:
        """Why there is no coefficient of two raters."""
        raters = len(self.ratings.rater_names)
        why = ONE_RATER if raters == 1 else TOO_MANY_RATERS if raters else NO_ITEMS
        for weights in dict.fromkeys((*self.weights, *WEIGHTED)):
            yield self._row(coefficient("cohen_kappa", None, 0, weights=weights, reason=why))
        yield self._row(coefficient("scott_pi", None, 0, reason=why))

    def over_all(self) -> list[PlainCoefficient]:
        """The coefficients over all raters; those that the scale has no order or numbers for say so."""
        found = self._of_many()
        names, n = {one["name"] for one in found}, found[0]["n"]
        lacking = [
            coefficient(name, None, n, reason=why)
            for metric, why in (
                (alpha.ORDINAL, self.scale.unordered),
                (alpha.INTERVAL, self.scale.unnumbered),
            )
            if why and (name := f"krippendorff_alpha_{metric}") not in names
        ]
        return [self._row(one) for one in sorted([*found, *lacking], key=_place)]

    def _of_many(self) -> Sequence[Coefficient]:
        if len(self.ratings.rater_names) < 2:
            why = ONE_RATER if len(self.ratings.rater_names) else NO_ITEMS
            return [coefficient(name, None, 0, reason=why) for name in ALL_NAMES]
        k = len(self.scale.labels)
        flat = np.bincount(
            self.ratings.items * np.int64(k) + self.labels, minlength=self.ratings.item_count * k
        )
        items = flat.reshape(-1, k)
        alike, place = kinds(items)
        groups = self._grouped(place, np.arange(len(items)))
        metrics = [alpha.NOMINAL]
        metrics += [] if self.scale.unordered else [alpha.ORDINAL]
        metrics += [] if self.scale.unnumbered else [alpha.INTERVAL]
        rows = alike[groups.rows[:, 0]]
        weights = [*dict.fromkeys((self.scale.weights, UNWEIGHTED))]
        return of_many(replace(groups, rows=rows), self.plan, metrics, self.scale.values, weights)

    def class_row(self, pair: list[str], of_label: ClassCoefficients) -> LabelAgreement:
        row = self._row(of_label.kappa)
        return {
            "pair": pair,
            "label": of_label.label,
            "kappa": row["value"],
            "se": row["se"],
            "low": row["low"],
            "high": row["high"],
            "n": row["n"],
            "method": row["method"],
            "reason": row["reason"],
            "specific_agreement": of_label.specific["value"],
            "prevalence": of_label.prevalence,
            "bias": of_label.bias,
        }

    def _row(self, coefficient: Coefficient, pair: list[str] | None = None) -> PlainCoefficient:
        """One interval for each: the clustered one where clusters are drawn, else the closed form's if any.

        A share that cannot be resampled keeps Wilson's.
        """
        row: PlainCoefficient = {
            "name": coefficient["name"],
            "pair": pair,
            "weights": coefficient["weights"],
            "value": coefficient["value"],
            "se": coefficient["se"],
            "low": coefficient["low"],
            "high": coefficient["high"],
            "n": coefficient["n"],
            "method": coefficient["method"],
            "reason": coefficient["reason"],
        }
        drawn = coefficient["clustered"]
        if (
            drawn is None
            or coefficient["value"] is None
            or not (self.clustered or coefficient["low"] is None)
        ):
            return row
        if drawn["low"] is None and row["method"] == wilson.METHOD:
            return row
        return {
            **row,
            "se": drawn["se"],
            "low": drawn["low"],
            "high": drawn["high"],
            "method": self._method(drawn),
            "reason": drawn["reason"],
        }

    def _method(self, drawn: Resampled) -> str:
        if drawn["low"] is None:
            return ""
        what = "clusters" if self.clustered else "items"
        undefined = f", {drawn['undefined']} undefined" if drawn["undefined"] else ""
        return (
            f"{drawn['method']}: {drawn['clusters']} {what}, {drawn['resamples']} resamples, seed {drawn['seed']} "
            f"(PCG64){undefined}"
        )


ALL_NAMES = (
    "percent_agreement",
    "fleiss_kappa",
    *(f"krippendorff_alpha_{metric}" for metric in alpha.METRICS),
    "gwet_ac1",
)


def _place(of_all: Coefficient) -> int:
    return ALL_NAMES.index(of_all["name"])
