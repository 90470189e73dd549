"""A coefficient of agreement as a result: its value, its interval, or why there is none. Pure."""

from dataclasses import dataclass

NO_ITEMS = "No item was labelled by two raters."
ONE_RATER = "There is one rater only, so there is nobody to agree with."
ONE_CATEGORY = (
    "Both raters used one category only, so there is no disagreement to expect by chance."
)
ONE_LABEL = "The scale has one label only."
UNUSED = "Neither rater used this label."
NO_ERROR = "The closed-form standard error is 0 for this table."
UNEQUAL = "The number of raters differs from item to item."


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
