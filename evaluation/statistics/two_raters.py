"""Agreement between two raters beyond chance, from a table of counts, with every interval. Pure.

A table is k x k whole numbers, rows the first rater's labels, columns the second's, in the same order; `k x k x ...`
is a stack of tables. More raters, or changing ones: many_raters.py and alpha.py.

A coefficient that does not exist (one category only, no items) has the value None and a reason: it is never
made 0, 1 or NaN. docs/researchers-reference.md gives every formula with its source.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import alpha
from .bootstrap import ResamplePlan
from .chance import UNWEIGHTED, Floats, ac1_of, agreement_weights, beyond, kappas_of, ratio
from .coefficient import (
    NO_ERROR,
    NO_ITEMS,
    ONE_CATEGORY,
    ONE_LABEL,
    UNUSED,
    ClassAgreement,
    ClassCoefficients,
    Coefficient,
    PairTable,
    coefficient,
    measured,
)
from .groups import Counts, Groups
from .many_raters import alphas_of, krippendorff_alpha
from .wilson import METHOD as WILSON
from .wilson import Z, wilson

# Cluster, first label, second label, how many.
PairCell = tuple[Any, str, str, int]
CLOSED_FORM = "closed form (Fleiss, Cohen and Everitt 1969)"


@dataclass(frozen=True)
class TwoRaters:
    """Two raters: their table (rows the first one's labels), all coefficients, and each label's."""

    table: Counts
    coefficients: tuple[Coefficient, ...]
    classes: tuple[ClassCoefficients, ...]


def pair_entry(
    judges: Sequence[str],
    labels: Sequence[str],
    cells: Sequence[PairCell],
    plan: ResamplePlan | None,
    places: Sequence[int] | None = None,
    is_ordered: bool = True,
    headline: str = UNWEIGHTED,
) -> PairTable:
    """The table of two judges as a report holds it, with all that is computed from it.

    `places` are those of the labels on their scale, None where the labels are the whole scale; `headline` names the
    weights of the kappa that is put forward.
    """
    weights = kappas_of(len(labels), headline, is_ordered=is_ordered)
    pair = of_two(_groups(labels, cells), labels, plan, weights, places)
    return {
        "labels": list(labels),
        "table": pair.table.tolist(),
        "coefficients": [
            {**coefficient, "pair": list(judges)} for coefficient in pair.coefficients
        ],
        "per_class": [_class_entry(row) for row in pair.classes],
        "warning": paradox_warning(*pair.coefficients[:2]),
    }


def _groups(labels: Sequence[str], cells: Sequence[PairCell]) -> Groups:
    place = {label: n for n, label in enumerate(labels)}
    numbered: dict[Any, int] = {}
    clusters = [numbered.setdefault(cell[0], len(numbered)) for cell in cells]
    rows = [(place[first], place[second]) for _, first, second, _ in cells]
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    sizes = np.array([cell[-1] for cell in cells], dtype=np.int64)
    return Groups(table, sizes, np.array(clusters, dtype=np.int64))


def _class_entry(row: ClassCoefficients) -> ClassAgreement:
    kappa, specific = row.kappa, row.specific
    return {
        "label": row.label,
        "kappa": kappa["value"],
        "reason": kappa["reason"] if kappa["value"] is None else "",
        "specific_agreement": specific["value"],
        "prevalence": row.prevalence,
        "bias": row.bias,
        "clustered": {"kappa": kappa["clustered"], "specific_agreement": specific["clustered"]},
    }


def of_two(
    groups: Groups,
    labels: Sequence[str],
    plan: ResamplePlan | None,
    weights: Sequence[str] = (UNWEIGHTED,),
    places: Sequence[int] | None = None,
) -> TwoRaters:
    """Two raters over a scale, or over the labels at these places of it.

    `weights` name the kappas that make sense on it, first the one that is put forward. Where that is weighted, so is
    alpha: it is ordinal, with the nominal one after it.
    """
    k = len(labels)
    cells = groups.rows[:, 0] * k + groups.rows[:, 1] if len(groups.rows) else np.zeros(0, int)
    table = np.bincount(cells, weights=groups.sizes, minlength=k * k).astype(np.int64).reshape(k, k)
    kinds: list[Callable[[Floats], Floats]] = [observed]
    coefficients = [percent_agreement(table)]
    for kind in weights:
        kinds.append(partial(kappa, weights=kind, places=places))
        coefficients.append(cohen_kappa(table, kind, places))
    kinds += [pi, ac1]
    coefficients += [scott_pi(table), gwet_ac1(table)]
    for metric in alphas_of(weights[0]):
        kinds.append(partial(_alpha, metric=metric))
        coefficients.append(krippendorff_alpha(items_of(table), metric))
    classes = per_class(table, labels)

    def statistic(sums: Floats) -> Floats:
        tables = sums.reshape(k, k, *sums.shape[1:])
        by_label = [kappa(collapsed(tables, place)) for place in range(k)]
        by_label += [specific(tables, place) for place in range(k)]
        return np.stack([kind(tables) for kind in kinds] + by_label)

    def sources(sums: Floats) -> NDArray[np.bool_]:
        """All clusters, but for a label's specific agreement those in which somebody used it."""
        tables = sums.reshape(k, k, *sums.shape[1:])
        used = tables.sum(axis=1) + tables.sum(axis=0) > 0
        return np.concatenate([np.ones((len(kinds) + k, sums.shape[1]), dtype=bool), used])

    drawn = groups.resampled(np.eye(k * k)[cells], statistic, plan, (len(kinds) + 2 * k, sources))
    coefficients += [of_label.kappa for of_label in classes] + [
        of_label.specific for of_label in classes
    ]
    every = tuple(map(measured, coefficients, drawn, repeat(groups.count)))
    kappas, specifics = every[len(kinds) : len(kinds) + k], every[len(kinds) + k :]
    return TwoRaters(
        table,
        every[: len(kinds)],
        tuple(
            replace(of_label, kappa=kappa, specific=agreed)
            for of_label, kappa, agreed in zip(classes, kappas, specifics, strict=True)
        ),
    )


def _alpha(tables: Floats, metric: str) -> Floats:
    return alpha.value_of(alpha.of_two_raters(tables), metric)


# ---------------------------------------------------------------- one coefficient each


def checked(table: ArrayLike) -> Counts:
    """The table as whole numbers; raises ValueError when it is no square table of counts."""
    given = np.asarray(table)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.shape[0] == 0:
        raise ValueError(f"A table of counts is square, not {given.shape}.")
    counts = given.astype(np.int64)
    if (counts != given).any() or (counts < 0).any():
        raise ValueError("A table of counts holds whole numbers, none below 0.")
    return counts


def percent_agreement(table: ArrayLike) -> Coefficient:
    """The share of items on which both raters agree (0..1), with its Wilson interval."""
    counts = checked(table)
    n, same = int(counts.sum()), int(np.trace(counts))
    interval = wilson(same, n)
    if interval is None:
        return coefficient("percent_agreement", None, 0, reason=NO_ITEMS)
    return coefficient("percent_agreement", same / n, n, ends=interval, method=WILSON)


def cohen_kappa(
    table: ArrayLike, weights: str = "none", places: Sequence[int] | None = None
) -> Coefficient:
    """Cohen's kappa (1960), weighted (1968) where `weights` is linear or quadratic.

    The standard error is the large-sample one of Fleiss, Cohen and Everitt (1969), formula 10 for weighted and
    13 for plain kappa. The interval is kappa +- 1.96 errors, cut at -1 and 1; coefficient.measured keeps it
    where there are enough clusters.
    """
    counts = checked(table)
    n = int(counts.sum())
    if why := undefined(counts):
        return coefficient("cohen_kappa", None, n, weights=weights, reason=why)
    value = float(kappa(counts.astype(float), weights, places))
    weight = agreement_weights(places or range(len(counts)), weights)
    error = _closed_form_error(counts / n, weight, value, n)
    if error is None:
        return coefficient("cohen_kappa", value, n, se=0.0, weights=weights, reason=NO_ERROR)
    half = Z * error
    return coefficient(
        "cohen_kappa",
        value,
        n,
        se=error,
        ends=(max(-1.0, value - half), min(1.0, value + half)),
        weights=weights,
        method=CLOSED_FORM,
    )


def _closed_form_error(shares: Floats, weight: Floats, value: float, n: int) -> float | None:
    """The standard error, or None where it is 0 (as for complete agreement)."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    # The mean weight of each row under the columns' margins, and of each column under the rows'. Not by `@`, whose last
    # digit differs between processors.
    of_rows, of_columns = (weight * columns).sum(axis=1), (weight.T * rows).sum(axis=1)
    expected = float((rows * of_rows).sum())
    means = np.add.outer(of_rows, of_columns)
    variance = (shares * (weight - means * (1 - value)) ** 2).sum() - (
        value - expected * (1 - value)
    ) ** 2
    if variance < 1e-12:
        return None
    return float(np.sqrt(variance / n) / (1 - expected))


def scott_pi(table: ArrayLike) -> Coefficient:
    """Scott's pi (1955): chance agreement from the two raters' pooled labels."""
    counts = checked(table)
    n = int(counts.sum())
    if why := undefined(counts):
        return coefficient("scott_pi", None, n, reason=why)
    return coefficient("scott_pi", float(pi(counts.astype(float))), n)


def gwet_ac1(table: ArrayLike) -> Coefficient:
    """Gwet's AC1 (2008), which keeps near percent agreement where one category prevails.

    It is defined where both raters used one category of several, unlike kappa.
    """
    counts = checked(table)
    n, k = int(counts.sum()), len(counts)
    if n == 0 or k == 1:
        return coefficient("gwet_ac1", None, n, reason=NO_ITEMS if n == 0 else ONE_LABEL)
    return coefficient("gwet_ac1", float(ac1(counts.astype(float))), n)


def per_class(table: ArrayLike, labels: Sequence[str]) -> list[ClassCoefficients]:
    """Agreement on each label, all others taken together."""
    counts = checked(table)
    if len(labels) != len(counts):
        raise ValueError(f"{len(labels)} labels for a table of {len(counts)}.")
    return [_one_class(counts, index, label) for index, label in enumerate(labels)]


def _one_class(counts: Counts, index: int, label: str) -> ClassCoefficients:
    small = collapsed(counts.astype(float), index)
    (both, first_only), (second_only, neither) = small.tolist()
    n = int(counts.sum())
    of_label = cohen_kappa(small)
    used = 2 * both + first_only + second_only
    if n and not used:
        of_label = coefficient("cohen_kappa", None, n, reason=UNUSED)
    reason = "" if used else of_label["reason"]
    return ClassCoefficients(
        label=label,
        kappa=of_label,
        specific=coefficient(
            "specific_agreement", 2 * both / used if used else None, n, reason=reason
        ),
        prevalence=(both - neither) / n if n else None,
        bias=(first_only - second_only) / n if n else None,
    )


def paradox_warning(agreed: Coefficient, cohen: Coefficient) -> str:
    """A sentence where kappa is low although the raters mostly agree; empty otherwise.

    Source: Feinstein and Cicchetti (1990), High agreement but low kappa.
    """
    if agreed["value"] is None or cohen["value"] is None:
        return ""
    if cohen["value"] >= 0.4 or agreed["value"] <= 0.8:
        return ""
    return (
        "The raters agree on most items, yet kappa is low: one label prevails, so much agreement is expected by "
        "chance. Read kappa next to percent agreement, AC1 and the agreement on each label."
    )


def items_of(table: ArrayLike) -> Counts:
    """A two-rater table as a matrix items x labels, for the coefficients that take any number of raters."""
    counts = checked(table)
    first, second = np.nonzero(counts)
    identity = np.eye(len(counts), dtype=np.int64)
    return np.repeat(identity[first] + identity[second], counts[first, second], axis=0)


def undefined(counts: Counts) -> str:
    """Why a chance-corrected coefficient does not exist for this table; empty where it does."""
    n = int(counts.sum())
    if n == 0:
        return NO_ITEMS
    # Chance agreement is 1 exactly when all items lie in one diagonal cell.
    return ONE_CATEGORY if int(counts.diagonal().max()) == n else ""


# ---------------------------------------------------------------- formulas, on stacks of tables


def observed(tables: Floats) -> Floats:
    """The share of items on which both raters agree."""
    return ratio(np.einsum("ii...->...", tables), tables.sum(axis=(0, 1)))


def margins(tables: Floats) -> tuple[Floats, Floats]:
    """The shares of each label, of the first rater and of the second: `k x ...` each."""
    n = tables.sum(axis=(0, 1))
    return ratio(tables.sum(axis=1), n), ratio(tables.sum(axis=0), n)


def kappa(tables: Floats, weights: str = UNWEIGHTED, places: Sequence[int] | None = None) -> Floats:
    """Cohen's kappa (1960), weighted (1968) where `weights` is linear or quadratic."""
    weight = agreement_weights(places or range(len(tables)), weights)
    rows, columns = margins(tables)
    agreed = ratio(np.einsum("ij...,ij->...", tables, weight), tables.sum(axis=(0, 1)))
    return beyond(agreed, (rows * np.tensordot(weight, columns, 1)).sum(axis=0))


def pi(tables: Floats) -> Floats:
    """Scott's pi (1955): chance agreement from the two raters' pooled labels."""
    rows, columns = margins(tables)
    return beyond(observed(tables), (((rows + columns) / 2) ** 2).sum(axis=0))


def ac1(tables: Floats) -> Floats:
    """Gwet's AC1 (2008) of two raters."""
    rows, columns = margins(tables)
    return ac1_of(observed(tables), (rows + columns) / 2)


def collapsed(tables: Floats, index: int) -> Floats:
    """One label against all others: `2 x 2 x ...`."""
    both = tables[index, index]
    first_only = tables[index].sum(axis=0) - both
    second_only = tables[:, index].sum(axis=0) - both
    neither = tables.sum(axis=(0, 1)) - both - first_only - second_only
    return np.stack([np.stack([both, first_only]), np.stack([second_only, neither])])


def specific(tables: Floats, index: int) -> Floats:
    """2a / (2a + b + c): of the uses of one label, the share in which both raters used it."""
    used = tables[index].sum(axis=0) + tables[:, index].sum(axis=0)
    return ratio(2 * tables[index, index], used)
