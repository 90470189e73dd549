"""Agreement between raters beyond chance, from counts. Pure.

Two raters: a k x k table of whole numbers, rows the first rater's labels, columns the second's, in the same
order. More raters, or changing ones: a matrix items x labels of how many raters gave which label.

A coefficient that does not exist (one category only, no items) has the value None and a reason: it is never
made 0, 1 or NaN. docs/researchers.md gives every formula with its source.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.intervals import wilson, z_value

Counts = NDArray[np.int64]
Weights = NDArray[np.float64]

NO_ITEMS = "No item was labelled by two raters."
ONE_CATEGORY = (
    "Both raters used one category only, so there is no disagreement to expect by chance."
)
ONE_LABEL = "The scale has one label only."
UNUSED = "Neither rater used this label."
NO_ERROR = "The closed-form standard error is 0 for this table."
UNEQUAL = "The number of raters differs from item to item."

CLOSED_FORM = "closed form (Fleiss, Cohen and Everitt 1969)"


@dataclass(frozen=True)
class Coefficient:
    """One number with what is needed to read it.

    `value` is None where undefined, and `reason` then says why; `low` and `high` are the ends of the 95 %
    interval by `method`, None where there is none (and `reason` says why where one was tried).
    """

    name: str
    value: float | None
    n: int
    se: float | None = None
    low: float | None = None
    high: float | None = None
    weights: str = "none"
    method: str = ""
    reason: str = ""

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class ClassAgreement:
    """Agreement on one label against all others.

    `kappa` on the collapsed 2 x 2 table; `specific` is 2a / (2a + b + c), the share of its uses in which both
    used it; `prevalence` (a - d) / n and `bias` (b - c) / n after Byrt, Bishop and Carlin (1993).
    """

    label: str
    kappa: Coefficient
    specific: float | None
    prevalence: float | None
    bias: float | None


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


def agreement_weights(k: int, kind: str = "none") -> Weights:
    """How much two labels of an ordered scale agree, 1 for equal ones: k x k.

    none: 0 unless equal; linear: 1 - |i - j| / (k - 1); quadratic: 1 - (i - j)^2 / (k - 1)^2.
    """
    if kind == "none" or k == 1:
        return np.eye(k)
    power = {"linear": 1, "quadratic": 2}.get(kind)
    if power is None:
        raise ValueError(f"{kind!r} is none of the weights none, linear, quadratic.")
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / (k - 1)
    return 1 - apart**power


def cohen_kappa(table: ArrayLike, weights: str = "none") -> Coefficient:
    """Cohen's kappa (1960), weighted (1968) where `weights` is linear or quadratic.

    The standard error is the large-sample one of Fleiss, Cohen and Everitt (1969), formula 10 for weighted and
    13 for plain kappa; the interval is kappa +- 1.96 errors, cut at -1 and 1.
    """
    counts = checked(table)
    n = int(counts.sum())
    if why := _undefined(counts):
        return Coefficient("cohen_kappa", None, n, weights=weights, reason=why)
    weight = agreement_weights(len(counts), weights)
    shares = counts / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    expected = float(rows @ weight @ columns)
    kappa = (float((weight * shares).sum()) - expected) / (1 - expected)
    error = _closed_form_error(shares, weight, expected, kappa, n)
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


def _closed_form_error(
    shares: Weights, weight: Weights, expected: float, kappa: float, n: int
) -> float | None:
    """The standard error, or None where it is 0 (as for complete agreement)."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
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
    pooled = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * n)
    return Coefficient("scott_pi", _beyond(np.trace(counts) / n, pooled @ pooled), n)


def gwet_ac1(table: ArrayLike) -> Coefficient:
    """Gwet's AC1 (2008), which keeps near percent agreement where one category prevails.

    It is defined where both raters used one category of several, unlike kappa.
    """
    counts = checked(table)
    n, k = int(counts.sum()), len(counts)
    if n == 0 or k == 1:
        return Coefficient("gwet_ac1", None, n, reason=NO_ITEMS if n == 0 else ONE_LABEL)
    pooled = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * n)
    return Coefficient(
        "gwet_ac1", _beyond(np.trace(counts) / n, (pooled * (1 - pooled)).sum() / (k - 1)), n
    )


def per_class(table: ArrayLike, labels: Sequence[str]) -> list[ClassAgreement]:
    """Agreement on each label, all others taken together."""
    counts = checked(table)
    if len(labels) != len(counts):
        raise ValueError(f"{len(labels)} labels for a table of {len(counts)}.")
    return [_one_class(counts, index, label) for index, label in enumerate(labels)]


def _one_class(counts: Counts, index: int, label: str) -> ClassAgreement:
    both = int(counts[index, index])
    first_only = int(counts[index].sum()) - both
    second_only = int(counts[:, index].sum()) - both
    n = int(counts.sum())
    neither = n - both - first_only - second_only
    kappa = cohen_kappa([[both, first_only], [second_only, neither]])
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


def pairwise_agreement(items: ArrayLike) -> Coefficient:
    """The share of pairs of raters that agree, averaged over items (0..1), from a matrix items x labels.

    The Wilson interval is given where every item has two raters: pairs within an item are no separate trials.
    """
    counts = _paired(items)
    n = len(counts)
    if n == 0:
        return Coefficient("percent_agreement", None, 0, reason=NO_ITEMS)
    raters = counts.sum(axis=1)
    shares = (counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))
    interval = wilson(int(shares.sum()), n) if (raters == 2).all() else None
    if interval is None:
        return Coefficient("percent_agreement", float(shares.mean()), n)
    return Coefficient(
        "percent_agreement",
        float(shares.mean()),
        n,
        low=interval.low,
        high=interval.high,
        method="Wilson",
    )


def krippendorff_alpha_nominal(items: ArrayLike) -> Coefficient:
    """Krippendorff's alpha (2011, nominal metric) from a matrix items x labels of how many raters gave which.

    Items with fewer than two labels say nothing about agreement and are left out; n counts the others.
    """
    counts = _paired(items)
    n = len(counts)
    if n == 0:
        return Coefficient("krippendorff_alpha_nominal", None, 0, reason=NO_ITEMS)
    raters = counts.sum(axis=1, keepdims=True)
    # Pairs of equal labels within an item, each item weighing as many labels as it has.
    observed = float((counts * (counts - 1) / (raters - 1)).sum())
    totals = counts.sum(axis=0)
    total = int(totals.sum())
    if totals.max() == total:
        return Coefficient("krippendorff_alpha_nominal", None, n, reason=ONE_CATEGORY)
    expected = float((totals * (totals - 1)).sum()) / (total * (total - 1))
    return Coefficient("krippendorff_alpha_nominal", _beyond(observed / total, expected), n)


def fleiss_kappa(items: ArrayLike) -> Coefficient:
    """Fleiss' kappa (1971) from a matrix items x labels; every item needs the same number of raters."""
    counts = _paired(items)
    n = len(counts)
    raters = set(counts.sum(axis=1).tolist())
    if len(raters) != 1:
        return Coefficient("fleiss_kappa", None, n, reason=UNEQUAL if raters else NO_ITEMS)
    (m,) = raters
    shares = counts.sum(axis=0) / counts.sum()
    if (counts.sum(axis=0) == counts.sum()).any():
        return Coefficient("fleiss_kappa", None, n, reason=ONE_CATEGORY)
    observed = float((counts * (counts - 1)).sum()) / (n * m * (m - 1))
    return Coefficient("fleiss_kappa", _beyond(observed, shares @ shares), n)


def items_of(table: ArrayLike) -> Counts:
    """A two-rater table as a matrix items x labels, for the coefficients that take any number of raters."""
    counts = checked(table)
    first, second = np.nonzero(counts)
    identity = np.eye(len(counts), dtype=np.int64)
    return np.repeat(identity[first] + identity[second], counts[first, second], axis=0)


def _paired(items: ArrayLike) -> Counts:
    counts = np.asarray(items, dtype=np.int64)
    if counts.size == 0:
        return np.zeros((0, 1), dtype=np.int64)
    if counts.ndim != 2 or (counts < 0).any():
        raise ValueError("Labels are counted in a matrix items x labels, none below 0.")
    return counts[counts.sum(axis=1) >= 2]


def _undefined(counts: Counts) -> str:
    """Why a chance-corrected coefficient does not exist for this table; empty where it does."""
    n = int(counts.sum())
    if n == 0:
        return NO_ITEMS
    # Chance agreement is 1 exactly when all items lie in one diagonal cell.
    return ONE_CATEGORY if int(counts.diagonal().max()) == n else ""


def _beyond(observed: float, expected: float) -> float:
    return float((observed - expected) / (1 - expected))
