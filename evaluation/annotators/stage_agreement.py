"""Agreement of annotators beyond chance, on every measure, from their annotations of the same tags. Pure.

All numbers of a population are resampled together: whole articles are drawn once, and each number is computed anew from
the sums over the drawn articles, as in evaluation/statistics.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evaluation.annotators.measures import (
    LABELLED,
    MEASURES,
    OPTION,
    OVERLAP,
    OVERLAPS,
    Entered,
    Measure,
    TagComparison,
    by_tag,
    comparisons,
    given_to,
    labels_of,
)
from evaluation.shapes.annotator_agreement import AnnotatorPair, MeasureAgreement, StageAgreement
from evaluation.statistics import many_raters, two_raters
from evaluation.statistics.bootstrap import ResamplePlan
from evaluation.statistics.chance import Floats, ac1_of, beyond, ratio
from evaluation.statistics.coefficient import NO_ITEMS, Coefficient, coefficient, measured
from evaluation.statistics.groups import Counts, Groups
from evaluation.statistics.many_raters import (
    fleiss_kappa,
    krippendorff_alpha_nominal,
    pairwise_agreement,
)
from evaluation.statistics.two_raters import cohen_kappa, percent_agreement
from pages.memory import FIGURES

BEFORE, BLIND, AFTER = "before", "blind", "after"
# With more pairs of people than this, options are given over all annotators only.
MOST_PAIRS = 10


@dataclass(frozen=True)
class CoefficientBlock:
    """m coefficients that one formula computes from sums over tags.

    `features` is tags x f, with zeros for a tag that they do not use; `formula` takes sums `f x ...` to `m x ...`.
    """

    coefficients: tuple[Coefficient, ...]
    features: Floats
    formula: Callable[[Floats], Floats]


@FIGURES.remembers
def stage_agreement(
    stage: str, annotations: Sequence[Entered], plan: ResamplePlan | None
) -> StageAgreement:
    """Agreement on every measure among the annotations of one population of one round."""
    items, pairs = by_tag(annotations), comparisons(annotations)
    names = sorted({entered.annotator for item in items for entered in item})
    met = sorted({(pair.first.annotator, pair.second.annotator) for pair in pairs})
    return {
        "stage": stage,
        "tags": len(items),
        "comparisons": len(pairs),
        "after_seeing": sum(pair.after_seeing for pair in pairs),
        "annotators": names,
        "measures": _measures(items, pairs, met, plan) if items else [],
    }


def _measures(
    items: Sequence[Sequence[Entered]],
    pairs: Sequence[TagComparison],
    met: Sequence[tuple[str, str]],
    plan: ResamplePlan | None,
) -> list[MeasureAgreement]:
    """Every measure over all annotators, then of each two who met."""
    entries: list[MeasureAgreement] = []
    blocks = []
    for measure in LABELLED:
        labels = labels_of(measure, items)
        counts = label_counts(measure, labels, items)
        entries.append(_entry(measure.key, measure.kind, labels, counts.sum(axis=0).tolist()))
        blocks.append(over_all(counts))
    for place, key in enumerate(OVERLAPS):
        entries.append(_entry(key, OVERLAP))
        blocks.append(mean_overlap(place, items, pairs))
    for entry, coefficients in zip(entries, _resampled(blocks, items, plan), strict=True):
        entry["all"] = coefficients
    of_pairs = [entry for entry in entries if len(met) <= MOST_PAIRS or entry["kind"] != OPTION]
    of_two: dict[tuple[str, str], list[TagComparison]] = {}
    for pair in pairs:
        of_two.setdefault((pair.first.annotator, pair.second.annotator), []).append(pair)
    for two in met:
        for entry, of_two_people in _of_two(two, of_pairs, of_two[two], plan):
            entry["pairs"].append(of_two_people)
    return entries


def _entry(
    key: str, kind: str, labels: Sequence[str] = (), counts: Sequence[int] = ()
) -> MeasureAgreement:
    return {
        "key": key,
        "kind": kind,
        "labels": list(labels),
        "counts": list(counts),
        "all": [],
        "pairs": [],
    }


def _of_two(
    two: tuple[str, str],
    entries: Sequence[MeasureAgreement],
    theirs: Sequence[TagComparison],
    plan: ResamplePlan | None,
) -> list[tuple[MeasureAgreement, AnnotatorPair]]:
    """The agreement of two annotators on each measure that is given for them."""
    own = [[pair.first, pair.second] for pair in theirs]
    used, tables, blocks = [], [], []
    for entry in entries:
        labels: Sequence[str] = ()
        if entry["kind"] == OVERLAP:
            table = np.zeros((0, 0), dtype=np.int64)
            block = mean_overlap(OVERLAPS.index(entry["key"]), own, theirs)
        else:
            measure = MEASURES[entry["key"]]
            labels = labels_of(measure, own)
            table, block = pair_block(measure, labels, own)
        used.append(labels)
        tables.append(table)
        blocks.append(block)
    return [
        (
            entry,
            {
                "annotators": list(two),
                "labels": list(labels),
                "table": table.tolist(),
                "coefficients": [
                    {**coefficient, "pair": list(two)} for coefficient in coefficients
                ],
            },
        )
        for entry, labels, table, coefficients in zip(
            entries, used, tables, _resampled(blocks, own, plan), strict=True
        )
    ]


# ---------------------------------------------------------------- blocks


def label_counts(
    measure: Measure, labels: Sequence[str], items: Sequence[Sequence[Entered]]
) -> Counts:
    """How many annotators gave each label to each tag that two or more labelled, tags x labels; else zeros."""
    place = {label: index for index, label in enumerate(labels)}
    counts = np.zeros((len(items), max(1, len(labels))), dtype=np.int64)
    for row, item in enumerate(items):
        for label in given_to(measure, item):
            counts[row, place[label]] += 1
    return counts


def over_all(counts: Counts) -> CoefficientBlock:
    """Any number of annotators: the share of agreeing pairs, Fleiss' kappa, AC1, Krippendorff's alpha."""
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

    formulas = (pairwise_agreement, fleiss_kappa, many_raters.gwet_ac1, krippendorff_alpha_nominal)
    found = tuple(compute(counts) for compute in formulas)
    return CoefficientBlock(found, np.hstack(parts), formula)


def pair_block(
    measure: Measure, labels: Sequence[str], items: Sequence[Sequence[Entered]]
) -> tuple[Counts, CoefficientBlock]:
    """Two annotators: their table, percent agreement, Cohen's kappa and AC1."""
    k, place = max(1, len(labels)), {label: index for index, label in enumerate(labels)}
    table = np.zeros((k, k), dtype=np.int64)
    features = np.zeros((len(items), 1 + 2 * k))
    for row, item in enumerate(items):
        if both := given_to(measure, item):
            i, j = (place[label] for label in both)
            table[i, j] += 1
            features[row, [0, 1 + i, 1 + k + j]] = (i == j, 1, 1)

    def formula(sums: Floats) -> Floats:
        agreed, rows, columns = np.split(sums, [1, 1 + k])
        n = rows.sum(axis=0)
        share, first, second = ratio(agreed[0], n), ratio(rows, n), ratio(columns, n)
        kappa = beyond(share, (first * second).sum(axis=0))
        return np.stack([share, kappa, ac1_of(share, (first + second) / 2)])

    coefficients = (percent_agreement(table), cohen_kappa(table), two_raters.gwet_ac1(table))
    return table, CoefficientBlock(coefficients, features, formula)


def mean_overlap(
    which: int, items: Sequence[Sequence[Entered]], pairs: Sequence[TagComparison]
) -> CoefficientBlock:
    """The mean over tags of the mean overlap of each two annotations of the tag."""
    row_of = {(item[0].round, item[0].tag): row for row, item in enumerate(items)}
    sums = np.zeros((len(items), 2))
    for pair in pairs:
        value = pair.overlaps[which]
        if value is not None:
            sums[row_of[pair.first.round, pair.first.tag]] += (value, 1)
    used = sums[:, 1] > 0
    means = np.zeros((len(items), 2))
    means[used, 0] = sums[used, 0] / sums[used, 1]
    means[used, 1] = 1
    n = int(used.sum())
    value = float(means[:, 0].sum() / n) if n else None
    found = coefficient("mean_overlap", value, n, reason="" if n else NO_ITEMS)
    return CoefficientBlock((found,), means, lambda summed: ratio(summed[0], summed[1])[None])


# ---------------------------------------------------------------- intervals


def _resampled(
    blocks: Sequence[CoefficientBlock],
    items: Sequence[Sequence[Entered]],
    plan: ResamplePlan | None,
) -> list[list[Coefficient]]:
    """Each block's coefficients with their intervals by resampling articles."""
    numbered: dict[str, int] = {}
    clusters = np.array(
        [numbered.setdefault(item[0].article, len(numbered)) for item in items], dtype=np.int64
    )
    ends = np.cumsum([block.features.shape[1] for block in blocks])
    groups = Groups(np.zeros((len(items), 1), np.int64), np.ones(len(items), np.int64), clusters)
    count = sum(len(block.coefficients) for block in blocks)
    drawn = iter(
        groups.resampled(
            np.hstack([block.features for block in blocks]),
            partial(_values, blocks, ends[:-1]),
            plan,
            (count, partial(_sources, blocks, ends[:-1])),
        )
    )
    return [[measured(plain, next(drawn)) for plain in block.coefficients] for block in blocks]


def _values(blocks: Sequence[CoefficientBlock], ends: Counts, sums: Floats) -> Floats:
    parts = np.split(sums, ends)
    return np.concatenate([b.formula(part) for b, part in zip(blocks, parts, strict=True)])


def _sources(blocks: Sequence[CoefficientBlock], ends: Counts, sums: Floats) -> NDArray[np.bool_]:
    """Which clusters hold a tag that a block's numbers use."""
    parts = np.split(sums, ends)
    used = [
        np.tile((part != 0).any(axis=0), (len(b.coefficients), 1))
        for b, part in zip(blocks, parts, strict=True)
    ]
    return np.concatenate(used)
