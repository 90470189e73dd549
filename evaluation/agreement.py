"""Agreement between two raters beyond chance, from a table of counts. Pure.

A k x k table of whole numbers, rows the first rater's labels, columns the second's, in the same order. More
raters, or changing ones: manyraters.py and alpha.py.

A coefficient that does not exist (one category only, no items) has the value None and a reason: it is never
made 0, 1 or NaN. docs/researchers.md gives every formula with its source.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation import stacked
from evaluation.coefficient import (
    NO_ERROR,
    NO_ITEMS,
    ONE_CATEGORY,
    ONE_LABEL,
    UNUSED,
    ClassAgreement,
    Coefficient,
)
from evaluation.intervals import wilson, z_value
from evaluation.stacked import agreement_weights

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

CLOSED_FORM = "closed form (Fleiss, Cohen and Everitt 1969)"


def count_table(pairs: Iterable[tuple[str, str]], labels: Sequence[str]) -> Counts:
    """The k x k table of (first rater's label, second's), in the order of `labels`.

    Raises ValueError for a label that stands twice, or that is not among them.
    """
    place = {label: index for index, label in enumerate(labels)}
    if len(place) < len(labels):
        raise ValueError("A label stands twice.")
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for first, second in pairs:
        try:
            table[place[first], place[second]] += 1
        except KeyError as error:
            raise ValueError(f"The label {error.args[0]!r} is not one of {list(labels)}.") from None
    return table


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
        return Coefficient("percent_agreement", None, 0, reason=NO_ITEMS)
    return Coefficient(
        "percent_agreement", same / n, n, low=interval.low, high=interval.high, method="Wilson"
    )


def cohen_kappa(table: ArrayLike, weights: str = "none") -> Coefficient:
    """Cohen's kappa (1960), weighted (1968) where `weights` is linear or quadratic.

    The standard error is the large-sample one of Fleiss, Cohen and Everitt (1969), formula 10 for weighted and
    13 for plain kappa; the interval is kappa +- 1.96 errors, cut at -1 and 1.
    """
    counts = checked(table)
    n = int(counts.sum())
    if why := _undefined(counts):
        return Coefficient("cohen_kappa", None, n, weights=weights, reason=why)
    kappa = float(stacked.kappa(counts.astype(float), weights))
    error = _closed_form_error(counts / n, agreement_weights(len(counts), weights), kappa, n)
    if error is None:
        return Coefficient("cohen_kappa", kappa, n, se=0.0, weights=weights, reason=NO_ERROR)
    half = z_value() * error
    return Coefficient(
        "cohen_kappa",
        kappa,
        n,
        se=error,
        low=max(-1.0, kappa - half),
        high=min(1.0, kappa + half),
        weights=weights,
        method=CLOSED_FORM,
    )


def _closed_form_error(shares: Floats, weight: Floats, kappa: float, n: int) -> float | None:
    """The standard error, or None where it is 0 (as for complete agreement)."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    expected = float(rows @ weight @ columns)
    # The mean weight of each row under the columns' margins, and of each column under the rows'.
    means = np.add.outer(weight @ columns, rows @ weight)
    variance = (shares * (weight - means * (1 - kappa)) ** 2).sum() - (
        kappa - expected * (1 - kappa)
    ) ** 2
    if variance < 1e-12:
        return None
    return float(np.sqrt(variance / n) / (1 - expected))


def scott_pi(table: ArrayLike) -> Coefficient:
    """Scott's pi (1955): chance agreement from the two raters' pooled labels."""
    counts = checked(table)
    n = int(counts.sum())
    if why := _undefined(counts):
        return Coefficient("scott_pi", None, n, reason=why)
    return Coefficient("scott_pi", float(stacked.pi(counts.astype(float))), n)


def gwet_ac1(table: ArrayLike) -> Coefficient:
    """Gwet's AC1 (2008), which keeps near percent agreement where one category prevails.

    It is defined where both raters used one category of several, unlike kappa.
    """
    counts = checked(table)
    n, k = int(counts.sum()), len(counts)
    if n == 0 or k == 1:
        return Coefficient("gwet_ac1", None, n, reason=NO_ITEMS if n == 0 else ONE_LABEL)
    return Coefficient("gwet_ac1", float(stacked.ac1(counts.astype(float))), n)


def per_class(table: ArrayLike, labels: Sequence[str]) -> list[ClassAgreement]:
    """Agreement on each label, all others taken together."""
    counts = checked(table)
    if len(labels) != len(counts):
        raise ValueError(f"{len(labels)} labels for a table of {len(counts)}.")
    return [_one_class(counts, index, label) for index, label in enumerate(labels)]


def _one_class(counts: Counts, index: int, label: str) -> ClassAgreement:
    small = stacked.collapsed(counts.astype(float), index)
    (both, first_only), (second_only, neither) = small.tolist()
    n = int(counts.sum())
    kappa = cohen_kappa(small)
    used = 2 * both + first_only + second_only
    if n and not used:
        kappa = Coefficient("cohen_kappa", None, n, reason=UNUSED)
    return ClassAgreement(
        label=label,
        kappa=kappa,
        specific=2 * both / used if used else None,
        prevalence=(both - neither) / n if n else None,
        bias=(first_only - second_only) / n if n else None,
    )


def paradox_warning(agreement: Coefficient, kappa: Coefficient) -> str:
    """A sentence where kappa is low although the raters mostly agree; empty otherwise.

    Source: Feinstein and Cicchetti (1990), High agreement but low kappa.
    """
    if (
        agreement.value is None
        or kappa.value is None
        or kappa.value >= 0.4
        or agreement.value <= 0.8
    ):
        return ""
    return (
        "The raters agree on most items, yet kappa is low: one label prevails, so much agreement is expected by "
        "chance. Read kappa beside percent agreement, AC1 and the agreement on each label."
    )


def items_of(table: ArrayLike) -> Counts:
    """A two-rater table as a matrix items x labels, for the coefficients that take any number of raters."""
    counts = checked(table)
    first, second = np.nonzero(counts)
    identity = np.eye(len(counts), dtype=np.int64)
    return np.repeat(identity[first] + identity[second], counts[first, second], axis=0)


def _undefined(counts: Counts) -> str:
    """Why a chance-corrected coefficient does not exist for this table; empty where it does."""
    n = int(counts.sum())
    if n == 0:
        return NO_ITEMS
    # Chance agreement is 1 exactly when all items lie in one diagonal cell.
    return ONE_CATEGORY if int(counts.diagonal().max()) == n else ""
