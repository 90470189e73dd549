"""Tables of scores from sums over clusters: shares, means, ratios, their margins, and intervals by resampling. Pure.

Every figure is a top over a bottom: of a share the responses with a label over the finished ones, of a mean the sum
over how many, of a ratio the first label's over both. Sums are arrays of lines x columns of values x measures x 2
(top, bottom), with clusters or resamples as a further dimension.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict

import numpy as np

from .bootstrap import FEWEST_CLUSTERS, Resampled, ResamplePlan, intervals, too_few
from .chance import Floats, ratio
from .entries import clustered_entry
from .measures import SKIPPED, Asked

VALUE, MEAN, POOLED, DIFFERENCE = "value", "mean", "pooled", "difference"


class ScoreColumn(TypedDict):
    """A column by the `values` of the table's column axes, None where it is over all of an axis.

    `parts` are places: of a value or pooled column among the values, whose counts are added; of a mean among them, and
    of a difference (first less second) among all columns. `of` is the kind of what a difference is between.
    """

    kind: str
    of: str
    values: list[str | None]
    parts: list[int]


def columns_of(table: Mapping[str, Any], values: Sequence[Sequence[str]]) -> list[ScoreColumn]:
    """The columns of a table as declared: those of its values, then its margins, then differences."""
    columns: list[ScoreColumn] = [_column(VALUE, one, [n]) for n, one in enumerate(values)]
    for kind in (MEAN, POOLED):
        if kind in table:
            place = table["columns"].index(table[kind])
            groups: dict[tuple[str | None, ...], list[int]] = {}
            for n, one in enumerate(values):
                groups.setdefault((*one[:place], None, *one[place + 1 :]), []).append(n)
            columns += [_column(kind, one, parts) for one, parts in groups.items()]
    return columns + _differences(table.get(DIFFERENCE), columns)


def _column(kind: str, values: Sequence[str | None], parts: list[int], of: str = "") -> ScoreColumn:
    return {"kind": kind, "of": of, "values": list(values), "parts": parts}


def _differences(less: str | None, columns: Sequence[ScoreColumn]) -> list[ScoreColumn]:
    """Each column of another value of the first axis, less the one that has `less` there and is like it."""
    places = {(column["kind"], *column["values"]): n for n, column in enumerate(columns)}
    found = []
    for n, column in enumerate(columns):
        first, *others = column["values"]
        other = places.get((column["kind"], less, *others))
        if first not in (None, less) and other is not None:
            found.append(_column(DIFFERENCE, column["values"], [n, other], column["kind"]))
    return found


def _in_columns(
    sums: Floats,
    columns: Sequence[ScoreColumn],
    of_sums: Callable[[Floats, Floats], Any],
    of_parts: Mapping[str, Callable[[list[Any]], Any]],
) -> Any:
    """lines x columns x measures x ...: `of_sums` of the top and the bottom of each, or `of_parts` of other columns."""
    found: list[Any] = []
    for column in columns:
        if column["kind"] in of_parts:
            parts = [found[part] for part in column["parts"]]
            found.append(of_parts[column["kind"]](parts))
        else:
            added = sums[:, column["parts"]].sum(axis=1)
            found.append(of_sums(added[:, :, 0], added[:, :, 1]))
    return np.stack(found, axis=1)


def _values(sums: Floats, columns: Sequence[ScoreColumn]) -> Floats:
    """NaN where undefined; a mean is where any of its parts is."""
    parts = {MEAN: lambda of: np.mean(of, axis=0), DIFFERENCE: lambda of: of[0] - of[1]}
    found: Floats = _in_columns(sums, columns, ratio, parts)
    return found


def values_of(
    by_cluster: Floats, skipped: Any, measures: Sequence[Asked], columns: Sequence[ScoreColumn]
) -> list[tuple[float | None, float | None]]:
    """The value of each figure, by line, column and measure, and that without skipped responses; None where undefined.

    `by_cluster` has clusters as its first dimension. `skipped` counts them (lines x values x measures); they have
    nothing in a top.
    """
    sums = by_cluster.sum(axis=0)
    counted = skipped * [of.has_skipped for of in measures]
    less = sums - np.stack([np.zeros_like(counted), counted], axis=-1)
    both = [_values(some, columns).ravel().tolist() for some in (sums, less)]
    found = [[None if np.isnan(value) else value for value in values] for values in both]
    return list(zip(*found, strict=True))


def ends_of(
    by_cluster: Floats, columns: Sequence[ScoreColumn], plan: ResamplePlan
) -> list[Resampled]:
    """The interval of each figure, in the order of `values_of`; all share their draws.

    `by_cluster` has clusters as its first dimension. A mean or a difference has an interval where each of its parts
    comes from enough clusters.
    """
    shape = by_cluster.shape[1:]
    some = dict.fromkeys((MEAN, DIFFERENCE), partial(np.any, axis=0))

    def statistic(flat: Floats) -> Floats:
        sums = flat.reshape(*shape, *flat.shape[1:])
        return _values(sums, columns).reshape(-1, *flat.shape[1:])

    def held(flat: Floats) -> Any:
        sums = flat.reshape(*shape, flat.shape[1])
        of = _in_columns(sums, columns, lambda _, n: n > 0, some)
        return of.reshape(int(np.prod(of.shape[:3])), flat.shape[1])

    found = intervals(by_cluster.reshape(len(by_cluster), -1), statistic, plan, sources=held)
    least = dict.fromkeys((MEAN, DIFFERENCE), partial(np.min, axis=0))
    last = np.moveaxis(by_cluster, 0, -1)
    fewest = _in_columns(last, columns, lambda _, n: (n > 0).sum(axis=-1), least)
    return [
        too_few(int(of), plan) if of < FEWEST_CLUSTERS else one
        for one, of in zip(found, fewest.ravel(), strict=True)
    ]


def figures_anew(
    table: Mapping[str, Any],
    sums: Floats,
    states: Any,
    asked: Sequence[Asked],
    plan: ResamplePlan,
) -> list[dict[str, Any]]:
    """The figures of a reported table from sums by cluster and counted states, as the script of a zip has them.

    `states` are counters by line, column of values and measure.
    """
    columns, made = table["columns_shown"], list[dict[str, Any]]()
    skipped = np.array([counts[SKIPPED] for counts in states.flat]).reshape(states.shape)
    both, ends = values_of(sums, skipped, asked, columns), ends_of(sums, columns, plan)
    for figure, (value, less), interval in zip(table["figures"], both, ends, strict=True):
        column, n = columns[figure["column"]], table["cells"].index(figure["measure"])
        at = (figure["line"], column["parts"], n)
        known = {"value": value, "states": {}, **clustered_entry(interval)}
        if column["kind"] != DIFFERENCE:
            counts = states[at].sum()
            known["states"] = dict(+counts)
            if asked[n].has_skipped and counts[SKIPPED]:
                known["without_skipped"] = less
        if column["kind"] in (VALUE, POOLED):
            known["k"], known["n"] = sums[:, *at].sum(axis=(0, 1)).tolist()
        made.append(known if figure["k"] is not None else {**known, "k": None})
    return made
