"""Responses with their scores counted: the populations and the tables that a protocol declares. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.scorers.language import listed
from evaluation.statistics.bootstrap import Resampled, ResamplePlan
from evaluation.statistics.chance import Floats
from evaluation.statistics.columns import Column, Mask, Places, combined
from evaluation.statistics.entries import clustered_entry
from evaluation.statistics.measures import (
    ABSENT,
    EXCLUDED,
    FINISHED,
    SKIPPED,
    STATES,
    UNJUDGED,
    WITHOUT_GOLD,
    Asked,
    asked,
)
from evaluation.statistics.score_tables import (
    DIFFERENCE,
    MEAN,
    ScoreColumn,
    columns_of,
    ends_of,
    values_of,
)
from evaluation.statistics.wilson import wilson

Data = Mapping[str, Any]
Ends = Callable[[Floats, Sequence[ScoreColumn], ResamplePlan], list[Resampled]]
EMPTY = "Nothing here is in the population."
NOT_READ = "The scorer reads no response here."
NO_RESPONSE = "No finished response here."
NO_GOLD = "No record here has an answer to compare with."
NO_VERDICT = "No verdict stands here."
NEITHER = "No response here is {} or {}."
NONE_RETURNED = "No response here has the probabilities of all options."
ABSENCES = {WITHOUT_GOLD: NO_GOLD, UNJUDGED: NO_VERDICT}
UNDEFINED = "Undefined, because one of the values that it is made of is."


@dataclass(frozen=True, eq=False)
class ScoreRows:
    """The responses that are scored, and those that are expected and absent, column by column.

    `axes` has the values of each axis in the order of tables, None for none, "" for a tag that a prompt lacks. `unit`
    is the model, question and sample.
    By scorer, `labels` has the label or the state of each, None where it does not read such responses, and `numbers`
    what a mean is of, NaN where that is not known.
    """

    axes: Mapping[str, Column]
    unit: Places
    cluster: Places
    excluded: Mask
    labels: Mapping[str, Column]
    numbers: Mapping[str, Floats]
    populations: Mapping[str, Data]
    measures: Mapping[str, Data]

    def fitting(self, where: Mapping[str, str | list[str]]) -> Mask:
        """Those with these values on these axes."""
        fits = [self.axes[axis].among(listed(given)) for axis, given in where.items()]
        return np.logical_and.reduce([np.ones(len(self.unit), dtype=bool), *fits])

    def read(self, scorer: str) -> Mask:
        """The responses that the scorer has a label or a state for."""
        return ~self.labels[scorer].among({None})

    def finished(self, scorer: str) -> Mask:
        return ~self.labels[scorer].among({*ABSENT, None})

    @cached_property
    def units(self) -> int:
        return int(self.unit.max(initial=-1)) + 1

    @cached_property
    def members(self) -> dict[str, tuple[Mask, Mask]]:
        """By population: which units are in it, and which have a finished response for each of its conditions.

        Every finished response that fits a condition has its label, and there is one.
        """
        return {name: self._members(one["all"]) for name, one in self.populations.items()}

    def _members(self, conditions: Sequence[Data]) -> tuple[Mask, Mask]:
        inside = complete = np.ones(self.units, dtype=bool)
        for condition in conditions:
            scorer = condition["scorer"]
            rows = self.fitting(condition["tags"]) & self.finished(scorer)
            right = rows & self.labels[scorer].among({condition["label"]})
            there, hits = (np.bincount(self.unit[of], minlength=self.units) for of in (rows, right))
            complete = complete & (there > 0)
            inside = inside & (there > 0) & (there == hits)
        return inside, complete

    def within(self, population: str | None) -> Mask:
        """The responses of the units of a population; all without one."""
        if population is None:
            return np.ones(len(self.unit), dtype=bool)
        return self.members[population][0][self.unit]

    def parts_of(self, measure: str) -> tuple[Asked, Mask, Floats, Mask]:
        """What a measure is of, the responses that it is over, and each one's part of its top and its bottom."""
        of = asked(self.measures, measure)
        labels = self.labels[of.scorer]
        within = self.within(of.population) & self.read(of.scorer)
        bottom = within & ~self.excluded & self.finished(of.scorer)
        if of.label is None:
            numbers = self.numbers[of.scorer]
            bottom &= ~np.isnan(numbers)
            return of, within, np.where(bottom, numbers, 0.0), bottom
        if of.among:
            bottom &= labels.among(of.among)
        return of, within, (bottom & labels.among({of.label})).astype(float), bottom


def in_order(column: Column, order: Sequence[str]) -> Column:
    """The column as an axis: its values in this order, None for any other."""
    at = column.on(order)
    return Column([*order, None], np.where(at < 0, len(order), at))


def population_entries(rows: ScoreRows) -> list[dict[str, Any]]:
    """Each population, model by model: k units of the n that have all the responses that it asks for."""
    first = np.unique(rows.unit, return_index=True)[1]
    models, excluded = rows.axes["model"][first], rows.excluded[first]
    found = []
    for name, (inside, complete) in rows.members.items():
        of_models = []
        for n, model in enumerate(models.values):
            mine = models.at == n
            kept = mine & ~excluded
            counts = (kept & inside, kept & complete, kept & ~complete, mine & excluded)
            named = zip(("k", "n", "incomplete", EXCLUDED), counts, strict=True)
            if mine.any():
                of_models.append({"model": model, **{key: int(of.sum()) for key, of in named}})
        found.append({**rows.populations[name], "models": of_models})
    return found


def table_entry(
    table: Data, rows: ScoreRows, plan: ResamplePlan, ends: Ends = ends_of
) -> dict[str, Any]:
    """A table as declared, with its lines, columns and figures; `outside` counts what fits it and is in no column."""
    measures = [asked(rows.measures, measure) for measure in table["cells"]]
    read = [rows.read(of.scorer) for of in measures]
    fits = rows.fitting(table.get("where", {})) & np.logical_or.reduce(read)
    lines, line = _combinations([rows.axes[axis] for axis in table["rows"]], fits)
    values, value = _combinations([rows.axes[axis] for axis in table["columns"]], fits)
    columns = columns_of(table, values)
    made = {**table, "outside": int((fits & ((line < 0) | (value < 0))).sum())}
    made |= {"lines": [list(one) for one in lines], "columns_shown": columns}
    placed, size = (line >= 0) & (value >= 0), len(lines) * len(values)
    if not placed.any():
        return {**made, "figures": []}
    place = line * len(values) + value
    shape, clusters = (len(lines), len(values)), int(rows.cluster.max()) + 1
    sums = np.zeros((clusters, *shape, len(table["cells"]), 2))
    states = np.zeros((*shape, len(table["cells"]), 2 + len(STATES)), dtype=np.int64)
    for n, measure in enumerate(table["cells"]):
        of, within, top, bottom = rows.parts_of(measure)
        at = (rows.cluster * size + place)[placed]
        for side, weights in enumerate((top, bottom)):
            added = np.bincount(at, weights=weights[placed], minlength=clusters * size)
            sums[..., n, side] = added.reshape(clusters, *shape)
        for m, which in enumerate(_states(rows, of, within & placed)):
            states[..., n, m] = np.bincount(place[which], minlength=size).reshape(shape)
    both = values_of(sums, states[..., 2 + STATES.index(SKIPPED)], measures, columns)
    found = zip(both, ends(sums, columns, plan), strict=True)
    places = product(range(len(lines)), range(len(columns)), range(len(table["cells"])))
    whole = sums.sum(axis=0)
    return made | {
        "figures": [
            _figure(rows, made, whole, states, at, *of_figure)
            for at, of_figure in zip(places, found, strict=True)
        ]
    }


def _combinations(axes: Sequence[Column], fits: Mask) -> tuple[list[tuple[str, ...]], Places]:
    """The values that occur together, in the order of the axes' values, and the place of each row's, -1 for none."""
    known = fits & np.logical_and.reduce([~axis.among({None}) for axis in axes])
    codes, at = np.unique(combined(*(axis[known] for axis in axes)), return_inverse=True)
    place = np.full(len(known), -1)
    place[known] = at
    parts = np.unravel_index(codes, [max(1, len(axis.values)) for axis in axes])
    values = [Column(axis.values, part) for axis, part in zip(axes, parts, strict=True)]
    return list(zip(*values, strict=True)), place


def _states(rows: ScoreRows, of: Asked, within: Mask) -> list[Mask]:
    """Which rows are in the population, which of them are finished, and which are in each of STATES."""
    labels, finished = rows.labels[of.scorer], within & rows.finished(of.scorer)
    kept = within & ~rows.excluded
    unreturned = kept & finished & np.isnan(rows.numbers[of.scorer]) & (of.label is None)
    counted = [kept & labels.among({state}) for state in (*FINISHED, *ABSENT)]
    return [kept, kept & finished, *counted, finished & rows.excluded, unreturned]


def _figure(
    rows: ScoreRows,
    table: Data,
    sums: Floats,
    states: NDArray[np.int64],
    at: tuple[int, int, int],
    both: tuple[float | None, float | None],
    interval: Resampled,
) -> dict[str, Any]:
    line, n, m = at
    value, without_skipped = both
    column: ScoreColumn = table["columns_shown"][n]
    measure = table["cells"][m]
    made: dict[str, Any] = {"line": line, "column": n, "measure": measure, "value": value}
    made |= {"k": None, "n": None, "low": None, "high": None, "reason": "", "states": {}}
    made |= clustered_entry(interval)
    if column["kind"] == DIFFERENCE:
        return made | {"reason": "" if value is not None else UNDEFINED}
    counts = states[line, column["parts"], m].sum(axis=0)
    made["states"] = {name: int(k) for name, k in zip(STATES, counts[2:], strict=True) if k}
    of = asked(rows.measures, measure)
    if of.has_skipped and SKIPPED in made["states"]:
        made["without_skipped"] = without_skipped
    if column["kind"] == MEAN:
        return made | {"reason": "" if value is not None else UNDEFINED}
    top, bottom = sums[line, column["parts"], m].sum(axis=0)
    made["n"] = int(bottom)
    if of.label is not None:
        low, high = wilson(int(top), int(bottom)) or (None, None)
        made |= {"k": int(top), "low": low, "high": high}
    if value is None:
        why = NEITHER.format(*of.among) if of.among else NONE_RETURNED
        found = (why for state, why in ABSENCES.items() if state in made["states"])
        nothing = EMPTY if of.population or made["states"] else NOT_READ
        made["reason"] = (
            nothing if not counts[0] else why if counts[1] else next(found, NO_RESPONSE)
        )
    return made
