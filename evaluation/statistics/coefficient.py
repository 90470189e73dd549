"""A coefficient of agreement as a result: its value, its interval, or why there is none. Pure."""

from dataclasses import dataclass
from typing import TypedDict

from .bootstrap import Resampled, why_few

NO_ITEMS = "No item was labelled by two raters."
ONE_CATEGORY = (
    "Both raters used one category only, so there is no disagreement to expect by chance."
)
ONE_LABEL = "The scale has one label only."
UNUSED = "Neither rater used this label."
NO_ERROR = "The closed-form standard error is 0 for this table."
UNEQUAL = "The number of raters differs from item to item."


class PlainCoefficient(TypedDict):
    """One number of two raters (`pair`) or of all (None), with what is needed to read it.

    `value` is None where undefined, and `reason` then says why; `low` and `high` are the ends of the 95 %
    interval by `method`, None where there is none (and `reason` says why where one was tried).
    """

    pair: list[str] | None
    name: str
    value: float | None
    n: int
    se: float | None
    low: float | None
    high: float | None
    weights: str
    method: str
    reason: str


class Coefficient(PlainCoefficient):
    """A coefficient with Wilson's or the closed form's interval, and next to it the one by resampling clusters."""

    clustered: Resampled | None


class ClassIntervals(TypedDict):
    """The intervals of two numbers of a label; the other two have none."""

    kappa: Resampled | None
    specific_agreement: Resampled | None


class ClassAgreement(TypedDict):
    """The agreement of two judges on one label, all others taken together."""

    label: str
    kappa: float | None
    reason: str
    specific_agreement: float | None
    prevalence: float | None
    bias: float | None
    clustered: ClassIntervals


class PairTable(TypedDict):
    """The table of two judges (rows the first one's verdicts), and all that is computed from it."""

    labels: list[str]
    table: list[list[int]]
    coefficients: list[Coefficient]
    per_class: list[ClassAgreement]
    warning: str


@dataclass(frozen=True)
class ClassCoefficients:
    """Agreement on one label against all others.

    `kappa` on the collapsed 2 x 2 table; `specific` is 2a / (2a + b + c), the share of its uses in which both
    used it; `prevalence` (a - d) / n and `bias` (b - c) / n after Byrt, Bishop and Carlin (1993).
    """

    label: str
    kappa: Coefficient
    specific: Coefficient
    prevalence: float | None
    bias: float | None


def coefficient(
    name: str,
    value: float | None,
    n: int,
    *,
    se: float | None = None,
    ends: tuple[float, float] | None = None,
    weights: str = "none",
    method: str = "",
    reason: str = "",
) -> Coefficient:
    """A coefficient that is not resampled, and does not name its raters."""
    low, high = ends or (None, None)
    return {
        "pair": None,
        "name": name,
        "value": value,
        "n": n,
        "se": se,
        "low": low,
        "high": high,
        "weights": weights,
        "method": method,
        "reason": reason,
        "clustered": None,
    }


def measured(
    plain: Coefficient, clustered: Resampled | None, clusters: int | None = None
) -> Coefficient:
    """The coefficient with its interval by resampling; an undefined one repeats its reason in place of the interval.

    `clusters` counts the clusters where nothing was resampled; by default each item is one. A standard error needs
    enough of them too (bootstrap.FEWEST_CLUSTERS).
    """
    if clustered is not None and plain["value"] is None:
        clustered = {**clustered, "low": None, "high": None, "se": None, "reason": plain["reason"]}
    known = clustered["clusters"] if clustered else plain["n"] if clusters is None else clusters
    if plain["se"] is not None and (why := why_few(known)):
        plain = {**plain, "se": None, "low": None, "high": None, "method": "", "reason": why}
    return {**plain, "clustered": clustered}
