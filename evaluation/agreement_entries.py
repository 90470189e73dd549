"""Agreement as a report's data: entries of coefficients, pairs, and parts of the work. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from evaluation import alpha, measured
from evaluation.agreement import paradox_warning
from evaluation.bootstrap import Plan, Resampled
from evaluation.measured import Groups, Measured, MeasuredClass
from evaluation.remembering import remembered

Cell = tuple[str | int, str, str, int]  # cluster, first verdict, second verdict, count
Item = tuple[str | int, Sequence[int], int]  # cluster, how many gave each label, count


@remembered
def pair_entry(
    judges: Sequence[str], labels: Sequence[str], cells: Sequence[Cell], plan: Plan | None
) -> dict[str, Any]:
    """The table of two judges (rows the first one's verdicts) with all that is computed from it."""
    pair = measured.of_two(cell_groups(cells, labels), labels, plan, weights_for(labels))
    agreed, kappa = (found.coefficient for found in pair.coefficients[:2])
    return {
        "judges": list(judges),
        "labels": list(labels),
        "table": pair.table.tolist(),
        "coefficients": [coefficient_entry(found, judges) for found in pair.coefficients],
        "per_class": [class_entry(row) for row in pair.classes],
        "warning": paradox_warning(agreed, kappa),
    }


@remembered
def all_entries(labels: Sequence[str], items: Sequence[Item], plan: Plan | None) -> list[Any]:
    """The coefficients over all judges of some responses."""
    metrics = (alpha.NOMINAL, alpha.ORDINAL) if len(labels) > 2 else (alpha.NOMINAL,)
    found = measured.of_many(item_groups(items, len(labels)), plan, metrics)
    return [coefficient_entry(one, None) for one in found]


def weights_for(labels: Sequence[str]) -> tuple[str, ...]:
    """Two labels have one distance, so weights would say the same again."""
    return measured.WEIGHTED if len(labels) > 2 else ()


def cell_groups(cells: Iterable[Cell], labels: Sequence[str]) -> Groups:
    place = {label: index for index, label in enumerate(labels)}
    given = list(cells)
    rows = [(place[first], place[second]) for _, first, second, _ in given]
    return _groups(rows, 2, [cell[0] for cell in given], [cell[3] for cell in given])


def item_groups(items: Iterable[Item], k: int) -> Groups:
    given = list(items)
    return _groups([item[1] for item in given], k, [i[0] for i in given], [i[2] for i in given])


def _groups(
    rows: Sequence[Sequence[int]], width: int, clusters: Sequence[str | int], sizes: Sequence[int]
) -> Groups:
    numbered: dict[str | int, int] = {}
    places = [numbered.setdefault(cluster, len(numbered)) for cluster in clusters]
    table = np.array(rows, dtype=np.int64).reshape(-1, width)
    return Groups(table, np.array(sizes, dtype=np.int64), np.array(places, dtype=np.int64))


def by_pair(cells: Iterable[tuple[tuple[str, str], Cell]]) -> Mapping[tuple[str, str], list[Cell]]:
    """The cells of each two judges, in the order of their names."""
    ordered = sorted(cells, key=lambda cell: cell[0])
    return {
        both: [cell for _, cell in found]
        for both, found in groupby(ordered, key=lambda cell: cell[0])
    }


def coefficient_entry(found: Measured, judges: Sequence[str] | None) -> dict[str, Any]:
    """A coefficient with its closed form; `clustered` is the interval by resampling clusters."""
    return {
        "pair": list(judges) if judges else None,
        **found.coefficient.as_data(),
        "clustered": _resampled(found.clustered),
    }


def class_entry(row: MeasuredClass) -> dict[str, Any]:
    one = row.agreement
    return {
        "label": one.label,
        "kappa": one.kappa.value,
        "reason": one.kappa.reason if one.kappa.value is None else "",
        "specific_agreement": one.specific,
        "prevalence": one.prevalence,
        "bias": one.bias,
        "clustered": {
            "kappa": _resampled(row.kappa),
            "specific_agreement": _resampled(row.specific),
        },
    }


def _resampled(found: Resampled | None) -> dict[str, Any] | None:
    return found.as_data() if found else None
