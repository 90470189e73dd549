"""Agreement between any number of raters, who may change from item to item. Pure.

From a matrix items x labels of how many raters gave an item which label. What the coefficients need is a sum
over items (Sums), so that bootstrap.py can draw clusters of items.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import alpha
from .bootstrap import ResamplePlan
from .chance import UNWEIGHTED, Floats, ac1_of, agreement_weights, beyond, ratio
from .coefficient import (
    NO_ITEMS,
    ONE_CATEGORY,
    ONE_LABEL,
    UNEQUAL,
    Coefficient,
    coefficient,
    measured,
)
from .groups import Counts, Groups, kinds
from .wilson import METHOD as WILSON
from .wilson import wilson


@dataclass(frozen=True)
class Sums:
    """Sums over items, a stack of them last (`...`), k being the number of labels.

    `coincident` are Krippendorff's coincidences, `agreed` the shares of agreeing pairs of raters, `paired` the
    shares of the labels within each item that two or more raters labelled, `rated` within each labelled item.
    """

    coincident: Floats
    agreed: Floats
    paired: Floats
    rated: Floats

    @classmethod
    def unpacked(cls, features: Floats, k: int) -> "Sums":
        coincident, agreed, paired, rated = np.split(features, [k * k, k * k + 1, k * k + 1 + k])
        return cls(coincident.reshape(k, k, *features.shape[1:]), agreed[0], paired, rated)

    @property
    def agreement(self) -> Floats:
        return ratio(self.agreed, self.paired.sum(axis=0))

    def fleiss(self, weights: str = UNWEIGHTED, places: Sequence[int] | None = None) -> Floats:
        shares = ratio(self.paired, self.paired.sum(axis=0))
        if weights == UNWEIGHTED:
            return beyond(self.agreement, (shares**2).sum(axis=0))
        weight = agreement_weights(places or range(len(shares)), weights)
        met = self.coincident.sum(axis=(0, 1))
        agreed = ratio(np.einsum("ij...,ij->...", self.coincident, weight), met)
        return beyond(agreed, (shares * np.tensordot(weight, shares, 1)).sum(axis=0))

    @property
    def ac1(self) -> Floats:
        return ac1_of(self.agreement, ratio(self.rated, self.rated.sum(axis=0)))


def all_entries(
    labels: Sequence[str],
    responses: Groups,
    plan: ResamplePlan | None,
    is_ordered: bool = True,
    headline: str = UNWEIGHTED,
    places: Sequence[int] | None = None,
) -> list[Coefficient]:
    """The coefficients over all judges of some responses, as a report holds them; as pair_entry."""
    has_distances = len(labels) > 2 and is_ordered
    metrics = dict.fromkeys((*alphas_of(headline), *([alpha.ORDINAL] if has_distances else [])))
    weights = dict.fromkeys((headline, UNWEIGHTED))
    return list(of_many(responses, plan, [*metrics], weights=[*weights], places=places))


def alphas_of(headline: str) -> tuple[str, ...]:
    """The alphas next to a kappa of these weights, first the one that is put forward."""
    return (alpha.NOMINAL,) if headline == UNWEIGHTED else (alpha.ORDINAL, alpha.NOMINAL)


def of_many(
    groups: Groups,
    plan: ResamplePlan | None,
    metrics: Sequence[str],
    values: Sequence[float] | None = None,
    weights: Sequence[str] = (UNWEIGHTED,),
    places: Sequence[int] | None = None,
) -> tuple[Coefficient, ...]:
    """Any number of raters; `metrics` name the alphas that make sense, `values` are the labels' numbers.

    `weights` are those of Fleiss' kappas, over labels at these places of a scale.
    """
    k = groups.rows.shape[1]
    items = np.repeat(groups.rows, groups.sizes, axis=0)
    coefficients = [
        pairwise_agreement(items),
        *(fleiss_kappa(items, kind, places) for kind in weights),
        *(krippendorff_alpha(items, metric, values) for metric in metrics),
        gwet_ac1(items),
    ]

    def statistic(sums: Floats) -> Floats:
        part = Sums.unpacked(sums, k)
        alphas = [alpha.value_of(part.coincident, metric, values) for metric in metrics]
        kappas = [part.fleiss(kind, places) for kind in weights]
        return np.stack([part.agreement, *kappas, *alphas, part.ac1])

    def sources(sums: Floats) -> NDArray[np.bool_]:
        """Clusters with an item that two raters labelled: the others say nothing about agreement."""
        compared = Sums.unpacked(sums, k).paired.sum(axis=0) > 0
        return np.tile(compared, (len(coefficients), 1))

    drawn = groups.resampled(features(groups.rows), statistic, plan, (len(coefficients), sources))
    return tuple(map(measured, coefficients, drawn))


def features(items: ArrayLike) -> Floats:
    """What each item adds to the sums: items x (k * k + 1 + 2 * k), to be unpacked by Sums."""
    counts = checked(items).astype(np.float64)
    raters = counts.sum(axis=1, keepdims=True)
    two = raters >= 2
    shares = ratio(counts, raters)
    shares[raters[:, 0] == 0] = 0
    pairs = np.where(two, raters * (raters - 1), 1)
    agreed = np.where(two, (counts * (counts - 1)).sum(axis=1, keepdims=True) / pairs, 0)
    coincident = alpha.coincidences_of_each(counts).reshape(len(counts), counts.shape[1] ** 2)
    return np.hstack([coincident, agreed, np.where(two, shares, 0), shares])


def checked(items: ArrayLike) -> Counts:
    """The matrix as whole numbers; raises ValueError when it is none."""
    counts = np.asarray(items, dtype=np.int64)
    if counts.size == 0:
        return np.zeros((0, counts.shape[1] if counts.ndim == 2 else 1), dtype=np.int64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("Labels are counted in a matrix items x labels, none below 0.")
    return counts


def paired(items: ArrayLike) -> Counts:
    """The items that two or more raters labelled."""
    counts = checked(items)
    return counts[counts.sum(axis=1) >= 2]


def pairwise_agreement(items: ArrayLike) -> Coefficient:
    """The share of pairs of raters that agree, averaged over items (0..1).

    The Wilson interval is given where every item has two raters: pairs within an item are no separate trials.
    """
    counts = paired(items)
    n = len(counts)
    if n == 0:
        return coefficient("percent_agreement", None, 0, reason=NO_ITEMS)
    value = float(_sums(counts).agreement)
    if (counts.sum(axis=1) != 2).any():
        return coefficient("percent_agreement", value, n)
    interval = wilson(int((counts == 2).sum()), n)
    return coefficient("percent_agreement", value, n, ends=interval, method=WILSON)


def fleiss_kappa(
    items: ArrayLike, weights: str = UNWEIGHTED, places: Sequence[int] | None = None
) -> Coefficient:
    """Fleiss' kappa (1971), weighted as in Gwet (2014) where `weights` is linear or quadratic.

    Every item that counts needs the same number of raters.
    """
    counts = paired(items)
    n, raters = len(counts), set(counts.sum(axis=1).tolist())
    why = ""
    if len(raters) != 1:
        why = UNEQUAL if raters else NO_ITEMS
    elif (counts.sum(axis=0) == counts.sum()).any():
        why = ONE_CATEGORY
    value = None if why else float(_sums(counts).fleiss(weights, places))
    return coefficient("fleiss_kappa", value, n, weights=weights, reason=why)


def gwet_ac1(items: ArrayLike) -> Coefficient:
    """Gwet's AC1 (2008); items with one label count towards how often each label is used, as in the source."""
    counts = checked(items)
    n = len(paired(counts))
    if n == 0 or counts.shape[1] == 1:
        return coefficient("gwet_ac1", None, n, reason=NO_ITEMS if n == 0 else ONE_LABEL)
    return coefficient("gwet_ac1", float(_sums(counts).ac1), n)


def krippendorff_alpha(
    items: ArrayLike, metric: str = alpha.NOMINAL, values: Sequence[float] | None = None
) -> Coefficient:
    """Krippendorff's alpha (2011); labels in order for ordinal, with their numbers for interval.

    Items with fewer than two labels say nothing about agreement and are left out; n counts the others.
    """
    counts = paired(items)
    name, n = f"krippendorff_alpha_{metric}", len(counts)
    if n == 0:
        return coefficient(name, None, 0, reason=NO_ITEMS)
    value = float(alpha.value_of(_sums(counts).coincident, metric, values))
    if np.isnan(value):
        return coefficient(name, None, n, reason=ONE_CATEGORY)
    return coefficient(name, value, n)


def krippendorff_alpha_nominal(items: ArrayLike) -> Coefficient:
    return krippendorff_alpha(items)


def _sums(counts: Counts) -> Sums:
    # Items labelled alike add the same; there are few kinds of them, however many items.
    alike, place = kinds(counts)
    return Sums.unpacked(np.bincount(place) @ features(alike), counts.shape[1])
