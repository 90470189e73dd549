"""Agreement of annotators beyond chance, on every measure, from their annotations of the same tags. Pure.

All numbers of a population are resampled together (evaluation/statistics/blocks.py).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.annotators import shapes
from evaluation.annotators.measures import (
    LABELLED,
    MEASURES,
    OPTION,
    OVERLAP,
    OVERLAPS,
    Comparison,
    Entered,
    Measure,
    by_tag,
    comparisons,
    given_to,
    labels_of,
)
from evaluation.statistics.blocks import Block, mean_of, of_pair, over_all, resampled
from evaluation.statistics.bootstrap import Plan
from evaluation.statistics.coefficient import Coefficient
from pages.memory import FIGURES

Counts = NDArray[np.int64]

BEFORE, BLIND, AFTER = "before", "blind", "after"
# With more pairs of people than this, options are given over all annotators only.
MOST_PAIRS = 10


@FIGURES.remembers
def stage_agreement(stage: str, annotations: Sequence[Entered], plan: Plan | None) -> shapes.Stage:
    """Agreement on every measure among the annotations of one population of one round."""
    items, pairs = by_tag(annotations), comparisons(annotations)
    names = sorted({one.annotator for item in items for one in item})
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
    pairs: Sequence[Comparison],
    met: Sequence[tuple[str, str]],
    plan: Plan | None,
) -> list[shapes.MeasureAgreement]:
    """Every measure over all annotators, then of each two who met."""
    entries: list[shapes.MeasureAgreement] = []
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
    each = [one for one in entries if len(met) <= MOST_PAIRS or one["kind"] != OPTION]
    of_two: dict[tuple[str, str], list[Comparison]] = {}
    for pair in pairs:
        of_two.setdefault((pair.first.annotator, pair.second.annotator), []).append(pair)
    for two in met:
        for entry, one in _of_two(two, each, of_two[two], plan):
            entry["pairs"].append(one)
    return entries


def _entry(
    key: str, kind: str, labels: Sequence[str] = (), counts: Sequence[int] = ()
) -> shapes.MeasureAgreement:
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
    entries: Sequence[shapes.MeasureAgreement],
    theirs: Sequence[Comparison],
    plan: Plan | None,
) -> list[tuple[shapes.MeasureAgreement, shapes.Two]]:
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
                "coefficients": [{**one, "pair": list(two)} for one in coefficients],
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


def pair_block(
    measure: Measure, labels: Sequence[str], items: Sequence[Sequence[Entered]]
) -> tuple[Counts, Block]:
    """Two annotators: their table, percent agreement, Cohen's kappa and AC1."""
    place = {label: index for index, label in enumerate(labels)}
    given = np.full((len(items), 2), -1, dtype=np.int64)
    for row, item in enumerate(items):
        if both := given_to(measure, item):
            given[row] = [place[label] for label in both]
    return of_pair(given, max(1, len(labels)))


def mean_overlap(
    which: int, items: Sequence[Sequence[Entered]], pairs: Sequence[Comparison]
) -> Block:
    """The mean over tags of the mean overlap of each two annotations of the tag."""
    row_of = {(item[0].round, item[0].tag): row for row, item in enumerate(items)}
    overlaps: list[list[float]] = [[] for _ in items]
    for pair in pairs:
        value = pair.overlaps[which]
        if value is not None:
            overlaps[row_of[pair.first.round, pair.first.tag]].append(value)
    return mean_of(overlaps)


# ---------------------------------------------------------------- intervals


def _resampled(
    blocks: Sequence[Block], items: Sequence[Sequence[Entered]], plan: Plan | None
) -> list[list[Coefficient]]:
    """Each block's coefficients with their intervals by resampling articles."""
    numbered: dict[str, int] = {}
    clusters = [numbered.setdefault(item[0].article, len(numbered)) for item in items]
    return resampled(blocks, np.array(clusters, dtype=np.int64), plan)
