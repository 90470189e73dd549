"""Agreement of annotators on many measures of the same tags, resampled together. Pure.

Whole articles are drawn once for all measures, and each number is computed anew from the sums over the drawn ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from . import many_raters, two_raters
from .bootstrap import Plan
from .chance import Floats, ac1_of, beyond, ratio
from .coefficient import NO_ITEMS, Coefficient, coefficient, measured
from .groups import Counts, Groups
from .many_raters import fleiss_kappa, krippendorff_alpha_nominal, pairwise_agreement
from .two_raters import cohen_kappa, percent_agreement


@dataclass(frozen=True)
class Block:
    """Coefficients that one formula computes from sums over tags: `features` is tags x f, its `formula` takes the sums
    `f x ...` to `m x ...` for the m coefficients. A tag that they do not use has zeros.
    """

    coefficients: tuple[Coefficient, ...]
    features: Floats
    formula: Callable[[Floats], Floats]


def over_all(counts: Counts) -> Block:
    """Any number of annotators: the share of agreeing pairs, Fleiss' kappa, AC1, Krippendorff's alpha.

    `counts` (tags x labels) is how many gave each label to a tag that two or more labelled; else zeros.
    """
    k = counts.shape[1]
    given = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    others = np.maximum(given - 1, 1)
    agreeing = (counts * (counts - 1)).sum(axis=1, keepdims=True)
    parts = [agreeing / (given * others), agreeing / others, counts / given, counts]

    def formula(sums: Floats) -> Floats:
        agreed, met, shares, totals = np.split(sums, [1, 2, 2 + k])
        tags, n = shares.sum(axis=0), totals.sum(axis=0)
        share, by_label = ratio(agreed[0], tags), ratio(shares, tags)
        # Krippendorff's alpha: `met` are the coincidences of equal labels, `totals` those of each label.
        alpha = 1 - ratio((n - 1) * (n - met[0]), n**2 - (totals**2).sum(axis=0))
        fleiss = beyond(share, (by_label**2).sum(axis=0))
        return np.stack([share, fleiss, ac1_of(share, by_label), alpha])

    found = (pairwise_agreement, fleiss_kappa, many_raters.gwet_ac1, krippendorff_alpha_nominal)
    return Block(tuple(each(counts) for each in found), np.hstack(parts), formula)


def of_pair(given: Counts, k: int) -> tuple[Counts, Block]:
    """Two annotators: their table k x k, percent agreement, Cohen's kappa and AC1.

    `given` (tags x 2) are the places of both labels on the scale, -1 on a tag that the measure does not apply to.
    """
    table = np.zeros((k, k), dtype=np.int64)
    features = np.zeros((len(given), 1 + 2 * k))
    for row in np.flatnonzero((given >= 0).all(axis=1)):
        i, j = given[row]
        table[i, j] += 1
        features[row, [0, 1 + i, 1 + k + j]] = (i == j, 1, 1)

    def formula(sums: Floats) -> Floats:
        agreed, rows, columns = np.split(sums, [1, 1 + k])
        n = rows.sum(axis=0)
        share, first, second = ratio(agreed[0], n), ratio(rows, n), ratio(columns, n)
        kappa = beyond(share, (first * second).sum(axis=0))
        return np.stack([share, kappa, ac1_of(share, (first + second) / 2)])

    found = (percent_agreement(table), cohen_kappa(table), two_raters.gwet_ac1(table))
    return table, Block(found, features, formula)


def mean_of(values: Sequence[Sequence[float]]) -> Block:
    """The mean over tags of the mean of each tag's values, over the tags that have any."""
    means = np.array([(float(np.mean(of)), 1.0) if of else (0.0, 0.0) for of in values])
    means = means.reshape(-1, 2)
    n = int(means[:, 1].sum())
    value = float(means[:, 0].sum() / n) if n else None
    found = coefficient("mean_overlap", value, n, reason="" if n else NO_ITEMS)
    return Block((found,), means, lambda summed: ratio(summed[0], summed[1])[None])


def resampled(
    blocks: Sequence[Block], clusters: Counts, plan: Plan | None
) -> list[list[Coefficient]]:
    """Each block's coefficients with their intervals; `clusters` is each tag's article, by number."""
    ends = np.cumsum([block.features.shape[1] for block in blocks])[:-1]
    tags = len(clusters)
    groups = Groups(np.zeros((tags, 1), np.int64), np.ones(tags, np.int64), clusters)
    count = sum(len(block.coefficients) for block in blocks)
    drawn = iter(
        groups.resampled(
            np.hstack([block.features for block in blocks]),
            partial(_values, blocks, ends),
            plan,
            (count, partial(_sources, blocks, ends)),
        )
    )
    return [[measured(one, next(drawn)) for one in block.coefficients] for block in blocks]


def _values(blocks: Sequence[Block], ends: Counts, sums: Floats) -> Floats:
    parts = np.split(sums, ends)
    return np.concatenate([b.formula(part) for b, part in zip(blocks, parts, strict=True)])


def _sources(blocks: Sequence[Block], ends: Counts, sums: Floats) -> NDArray[np.bool_]:
    """Which clusters hold a tag that a block's numbers use."""
    parts = np.split(sums, ends)
    used = [
        np.tile((part != 0).any(axis=0), (len(b.coefficients), 1))
        for b, part in zip(blocks, parts, strict=True)
    ]
    return np.concatenate(used)
