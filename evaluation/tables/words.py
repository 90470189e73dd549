"""Numbers as text: the one place that chooses their digits, signs and units. Pure."""

from enum import StrEnum
from typing import NamedTuple

MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


class Unit(StrEnum):
    """What the value of a figure is in. Shares and differences of shares are values from -1 to 1."""

    COUNT = "count"
    SHARE = "share"
    SCORE = "score"
    COEFFICIENT = "coefficient"
    BITS = "bits"
    POINTS = "points"
    SCORE_POINTS = "points of a score"
    MORE_BITS = "more bits"
    P = "p"
    TEXT = "text"


class Form(NamedTuple):
    """How a unit is shown: times `times`, with so many `places`, the `sign` after it, and `between` two ends.

    A `signed` one has a plus too.
    """

    times: int
    places: int
    sign: str
    between: str
    signed: bool = False


FORMS = {
    Unit.SHARE: Form(100, 1, " %", DASH),
    Unit.SCORE: Form(100, 2, "", " to "),
    Unit.COEFFICIENT: Form(1, 3, "", " to "),
    Unit.BITS: Form(1, 2, "", " to "),
    Unit.POINTS: Form(100, 1, "", " to ", signed=True),
    Unit.SCORE_POINTS: Form(100, 2, "", " to ", signed=True),
    Unit.MORE_BITS: Form(1, 2, "", " to ", signed=True),
}
# What a difference of two values is in.
DIFFERENCES = {
    Unit.SHARE: Unit.POINTS,
    Unit.SCORE: Unit.SCORE_POINTS,
    Unit.BITS: Unit.MORE_BITS,
}


def counted(n: int, unit: str, several: str = "") -> str:
    """A number with its unit: "1 tag", "1,204 tags"; `several` where that is not the unit with an s."""
    return f"{n:,} {unit if n == 1 else several or unit + 's'}"


def in_unit(value: float | None, unit: Unit) -> str:
    """A value with its unit; a dash for none."""
    if unit == Unit.P:
        return p_value(value)
    if value is None:
        return DASH
    form = FORMS[unit]
    return number(form.times * value, form.places, signed=form.signed) + form.sign


def ends_in_unit(low: float, high: float, unit: Unit) -> str:
    """The two ends of an interval, for a narrow column: those of a share have no sign."""
    form = FORMS[unit]
    ends = (number(form.times * end, form.places, signed=form.signed) for end in (low, high))
    return form.between.join(ends)


def number(value: float | None, places: int = 3, *, signed: bool = False) -> str:
    """A coefficient with fixed places and a true minus sign, and a plus if `signed`; a dash for none."""
    if value is None:
        return DASH
    # "-0.000" would claim a sign that the rounding has lost, and a difference of nothing has none.
    shown = round(value, places) + 0.0
    return f"{shown:{'+' if signed and shown else ''}.{places}f}".replace("-", MINUS)


def percent(value: float | None) -> str:
    """A share 0..1 in per cent with one decimal; a dash for none."""
    return in_unit(value, Unit.SHARE)


def share(k: int, n: int) -> str:
    return percent(k / n) if n else DASH


def interval(low: float | None, high: float | None, places: int = 3) -> str:
    """The two ends of a coefficient's interval, or nothing."""
    return "" if low is None or high is None else f"{number(low, places)} to {number(high, places)}"


def percent_interval(low: float | None, high: float | None) -> str:
    """The two ends of a share's interval in per cent, or nothing."""
    return "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    return in_unit(value, Unit.POINTS)


def point_ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else ends_in_unit(low, high, Unit.POINTS)


def p_value(p: float | None) -> str:
    """A p with three places; a dash for none."""
    if p is None:
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_in_words(p: float | None) -> str:
    return f"p {p_value(p)}" if p is not None and p < 0.001 else f"p = {p_value(p)}"
