"""The agreement in a file of labels: every coefficient of each two raters and of all. Pure."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any, TypedDict, cast

import numpy as np

from evaluation.labels.file import Ratings
from evaluation.labels.scale import LabelScale
from evaluation.statistics import alpha, wilson
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.chance import UNWEIGHTED, WEIGHTED
from evaluation.statistics.coefficient import Coefficient, PlainCoefficient, coefficient
from evaluation.statistics.groups import Counts, Groups, kinds
from evaluation.statistics.many_raters import of_many
from evaluation.statistics.two_raters import TwoRaters, of_two
from leases.refusal import Refusal

MOST_PAIRED = 20
# Cells of clusters x labels squared: 400 MB. More would be no file of this kind.
MOST_CELLS = 50_000_000
NOBODY = "Fewer than two raters gave labels, so there is nobody to agree with."
TOO_MANY_RATERS = f"There are more than {MOST_PAIRED} raters; each two are not compared."


class LabelsAgreement(TypedDict):
    """The agreement in a file, as data: docs/researchers-reference.md says what each part is."""

    n_items: int
    n_raters: int
    n_labels: int
    n_left_out: int
    left_out: dict[str, int]
    notices: list[str]
    labels: list[str]
    weights: str
    coefficients: list[PlainCoefficient]
    per_class: list[dict[str, Any]]


def agreement_of(
    ratings: Ratings, scale: LabelScale, plan: ResamplePlan | None, *, by_cluster: bool = True
) -> LabelsAgreement:
    """Every coefficient of each two raters and of all, with its interval.

    `plan` None leaves resampling out; `by_cluster` draws the file's clusters, where it has them. Raises Refusal for
    labels of fewer than two raters, and for too many clusters and labels.
    """
    raters = len(ratings.rater_names)
    if raters < 2:
        raise Refusal(NOBODY)
    counted = _Counted(ratings, scale, plan, by_cluster=by_cluster)
    pairs = list(counted.pairs()) if raters <= MOST_PAIRED else []
    return {
        "n_items": ratings.item_count,
        "n_raters": raters,
        "n_labels": len(ratings.labels),
        "n_left_out": sum(ratings.left_out.values()),
        "left_out": ratings.left_out,
        "notices": [*ratings.notices, *([] if pairs else [TOO_MANY_RATERS])],
        "labels": list(scale.labels),
        "weights": scale.weights,
        "coefficients": [row for pair in pairs for row in counted.pair_rows(*pair)]
        + counted.over_all(),
        "per_class": [row for pair in pairs for row in counted.class_rows(*pair)],
    }


class _Counted:
    """A file's labels by their places on the scale."""

    def __init__(
        self, ratings: Ratings, scale: LabelScale, plan: ResamplePlan | None, *, by_cluster: bool
    ) -> None:
        self.ratings, self.scale, self.plan = ratings, scale, plan
        every = () if scale.unordered else (UNWEIGHTED, *WEIGHTED)
        self.weights = tuple(dict.fromkeys((scale.weights, *every)))
        place = {label: index for index, label in enumerate(scale.labels)}
        moved = np.array([place[label] for label in ratings.label_names], dtype=np.int64)
        self.labels: Counts = moved[ratings.labels]
        self.k = len(scale.labels)
        self.cluster_of: Counts | None = None
        if by_cluster and ratings.clusters is not None:
            self.cluster_of = np.zeros(ratings.item_count, dtype=np.int64)
            self.cluster_of[ratings.items] = ratings.clusters
            clusters = int(ratings.clusters.max()) + 1
            if plan is not None and clusters * self.k**2 > MOST_CELLS:
                raise Refusal(
                    f"{self.k} labels over {clusters:,} clusters are too many to resample. Resample by item, or set "
                    "the number of resamples to 0."
                )

    def pairs(self) -> Iterator[tuple[list[str], TwoRaters]]:
        """Each two raters in the order of their names, over the items that both labelled."""
        names, k = self.ratings.rater_names, self.k
        given = np.full((self.ratings.item_count, len(names)), -1, dtype=np.int16)
        given[self.ratings.items, self.ratings.raters] = self.labels
        for pair in combinations(sorted(names), 2):
            both = given[:, [*map(names.index, pair)]]
            shared = np.flatnonzero((both >= 0).all(axis=1))
            groups = self._grouped(both[shared, 0].astype(np.int64) * k + both[shared, 1], shared)
            rows = np.column_stack([groups.rows[:, 0] // k, groups.rows[:, 0] % k])
            groups = replace(groups, rows=rows)
            yield [*pair], of_two(groups, self.scale.labels, self.plan, self.weights)

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
        rows = [self._row(one, pair) for one in measured.coefficients]
        if why := self.scale.unordered:
            rows[2:2] = [
                self._row(
                    coefficient("cohen_kappa", None, rows[0]["n"], weights=kind, reason=why), pair
                )
                for kind in WEIGHTED
            ]
        return rows

    def class_rows(self, pair: list[str], measured: TwoRaters) -> Iterator[dict[str, Any]]:
        """Kappa on each label, all others taken together, and the label's shares."""
        for of_label in measured.classes:
            row: dict[str, Any] = {**self._row(of_label.kappa, pair)}
            del row["name"], row["weights"]
            yield {
                "label": of_label.label,
                "kappa": row.pop("value"),
                **row,
                "specific_agreement": of_label.specific["value"],
                "prevalence": of_label.prevalence,
                "bias": of_label.bias,
            }

    def over_all(self) -> list[PlainCoefficient]:
        """The coefficients over all raters; those that the scale has no order or numbers for say so."""
        flat = np.bincount(
            self.ratings.items * np.int64(self.k) + self.labels,
            minlength=self.ratings.item_count * self.k,
        )
        alike, place = kinds(flat.reshape(-1, self.k))
        groups = self._grouped(place, np.arange(self.ratings.item_count))
        groups = replace(groups, rows=alike[groups.rows[:, 0]])
        lacking = {alpha.ORDINAL: self.scale.unordered, alpha.INTERVAL: self.scale.unnumbered}
        metrics = [metric for metric in alpha.METRICS if not lacking.get(metric)]
        weights = [*dict.fromkeys((self.scale.weights, UNWEIGHTED))]
        found = [*of_many(groups, self.plan, metrics, self.scale.values, weights)]
        found[-1:-1] = [
            coefficient(f"krippendorff_alpha_{metric}", None, found[0]["n"], reason=why)
            for metric, why in lacking.items()
            if why
        ]
        return [self._row(one) for one in found]

    def _row(self, one: Coefficient, pair: list[str] | None = None) -> PlainCoefficient:
        """One interval for each: the clustered one where clusters are drawn, else the closed form's if any.

        A share that cannot be resampled keeps Wilson's.
        """
        row: dict[str, Any] = {**one, "pair": pair}
        drawn = row.pop("clustered")
        keeps_its_own = drawn is None or (drawn["low"] is None and row["method"] == wilson.METHOD)
        has_closed_form = self.cluster_of is None and row["low"] is not None
        if row["value"] is not None and not keeps_its_own and not has_closed_form:
            what = "items" if self.cluster_of is None else "clusters"
            undefined = f", {drawn['undefined']} undefined" if drawn["undefined"] else ""
            method = (
                f"{drawn['method']}: {drawn['clusters']} {what}, {drawn['resamples']} resamples, seed {drawn['seed']} "
                f"(PCG64){undefined}"
            )
            row |= {name: drawn[name] for name in ("se", "low", "high", "reason")}
            row["method"] = "" if drawn["low"] is None else method
        return cast(PlainCoefficient, row)
