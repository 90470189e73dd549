"""{{convert}}: a number with its unit, and in the unit that it asks for. Pure.

units.json has the usual units as Module:Convert of the English Wikipedia calls them, each with its size in the unit
whose size is 1. Rounding is that module's: as precise as the number given, or two figures.
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10
from pathlib import Path

from wikifetch.wikitext.templates.arguments import Arguments

_SIZES: dict[str, dict[str, float]] = json.loads(
    Path(__file__).with_name("units.json").read_text(encoding="utf-8")
)
_KIND = {unit: kind for kind, sizes in _SIZES.items() for unit in sizes}
_ZERO = {"C": 273.15, "F": 459.67}  # degrees from absolute zero
_MORE_PRECISE = {"ft", "foot", "lb"}
_OTHER_NAMES = {
    "acres": "acre", "hectare": "ha", "kph": "km/h", "kmh": "km/h", "knot": "kn", "knots": "kn", "l": "L", "ml": "mL",
    "cc": "cm3", "sqkm": "km2", "sqm": "m2", "sqcm": "cm2", "ft2": "sqft", "mi2": "sqmi", "ft3": "cuft", "in3": "cuin",
    "miles": "mi", "mile": "mi", "feet": "ft", "inch": "in", "inches": "in", "metre": "m", "meter": "m", "metres": "m",
    "meters": "m", "kilometre": "km", "kilometer": "km", "yard": "yd", "tonne": "t", "tonnes": "t", "MT": "t",
    "long ton": "LT", "short ton": "ST", "lbs": "lb", "kgs": "kg", "usgal": "USgal", "U.S.gal": "USgal", "°C": "C",
    "°F": "F", "N.m": "Nm", "N·m": "Nm", "lb.ft": "lbft", "lb·ft": "lbft", "lbf.ft": "lbft", "lb-ft": "lbft",
    "ft.lbf": "lbft", "PD/sqkm": "/km2", "PD/km2": "/km2", "/sqkm": "/km2", "PD/sqmi": "/sqmi", "acreft": "acre.ft",
    "lb/in2": "psi", "Btu": "BTU", "USfloz": "USoz", "impfloz": "impoz",
    "mpg-us": "mpgus", "mpg-imp": "mpgimp", "acre-ft": "acre.ft",
}  # fmt: skip
_SHOWN = {
    "C": "°C", "F": "°F", "acre": "acres", "sqmi": "sq mi", "sqft": "sq ft", "sqyd": "sq yd", "sqin": "sq in",
    "cuft": "cu ft", "cuin": "cu in", "cuyd": "cu yd", "cumi": "cu mi", "cuft/s": "cu ft/s",
    "impgal": "imp gal", "USgal": "US gal", "USqt": "US qt", "USpt": "US pt", "impqt": "imp qt", "imppt": "imp pt",
    "USoz": "US fl oz", "impoz": "imp fl oz", "lb/cuft": "lb/cu ft", "lb/cuin": "lb/cu in",
    "ST": "short tons", "LT": "long tons", "lbft": "lb⋅ft", "Nm": "N⋅m", "oilbbl": "bbl", "acre.ft": "acre⋅ft",
    "/sqmi": "/sq mi", "mpgus": "mpg‑US", "mpgimp": "mpg‑imp",
}  # fmt: skip
_FUDGE, _NOTHING = 1e-14, 1e-8  # of numbers that are not exact
_POWERS = {"3": "thousand", "6": "million", "9": "billion", "12": "trillion"}
_POWER = re.compile(r"e(3|6|9|12)(?=\D)")
_NUMBER = re.compile(r"[+\-−]?[\d.,+/⁄]*\d")
_PLAIN = re.compile(r"-?\d{0,15}(?:\.\d{0,10})?")
_RANGES = {"to": " to ", "-": "–", "–": "–", "and": " and ", "or": " or ", "by": " by ", "x": " × "}
_RANGES |= {"×": " × ", "*": " × ", "+": " + ", "to(-)": " to ", "and(-)": " and ", "by(x)": " by "}
_RANGES |= {"&": " & ", ",": ", ", "+/-": " ± ", "±": " ± "}


@dataclass(frozen=True)
class _Quantity:
    """A number as it is written, and its unit; `in_parts` is that of 6 ft 2 in, as inches."""

    written: str
    unit: str
    in_parts: bool = False

    @cached_property
    def number(self) -> float | None:
        return _number(self.written)

    def in_unit(self, unit: str) -> float | None:
        """The number in another unit; None where one of the units is not known."""
        own, own_size = _size(self.unit)
        name, size = _size(unit)
        if self.number is None or not size or _KIND.get(own) != _KIND.get(name):
            return None
        return (self.number + _ZERO.get(own, 0)) * own_size / size - _ZERO.get(name, 0)

    def places(self, unit: str, value: float) -> int:
        """Decimal places of `value`, in that unit; -1 are whole tens. As Module:Convert chooses them."""
        own, own_size = _size(self.unit)
        name, size = _size(unit)
        number = self.number or 0.0
        plain = self.written.replace(",", "")
        decimals, zeros = re.search(r"\.(\d+)$", plain), re.search(r"\d(0*)$", plain)
        if re.search("[/⁄]", plain):
            places = 1
        else:
            places = len(decimals[1]) if decimals else -len(zeros[1]) if zeros and number else 0
        if _KIND[own] == "temperature":
            kelvin = abs((number + _ZERO.get(own, 0)) * own_size)
            return max(places, 2 - _magnitude(kelvin) if kelvin > _NOTHING else 2)
        if not number or not value:
            return 0
        if self.in_parts:
            shift = log10(size) + 2
        elif name in _MORE_PRECISE and number == int(number):
            shift = -log10(own_size)
        else:
            shift = log10(abs(number / value))
        return max(floor(places + shift + log10(2)), 1 - _magnitude(value))


def convert(a: Arguments) -> str:
    """{{convert|10|to|20|km|mi}}: 10 to 20 km (6.2 to 12.4 mi)"""
    values = a.positional()
    if not values:
        return ""
    numbers, between, at = [values[0]], [""], 1
    while at + 1 < len(values) and values[at] in _RANGES:
        between.append(_RANGES[values[at]])
        numbers.append(values[at + 1])
        at += 2
    written = "".join(map("".join, zip(between, numbers, strict=True)))
    if at == len(values):
        return written
    unit = values[at]
    written, at = f"{written} {_shown(unit)}", at + 1
    parts = [_Quantity(numbers[0], unit)]
    while (
        at + 1 < len(values)
        and _NUMBER.fullmatch(values[at])
        and not _NUMBER.fullmatch(values[at + 1])
    ):
        written += f" {values[at]} {_shown(values[at + 1])}"
        parts.append(_Quantity(values[at], values[at + 1]))
        at += 2
    given = _joined(parts) if len(parts) > 1 else [_Quantity(n, unit) for n in numbers]
    targets, rounded, *_ = [*values[at:], "", ""]
    in_others = (
        _converted(given, between, target, rounded, a["sigfig"]) for target in targets.split()
    )
    other = "; ".join(filter(None, in_others))
    if not other:
        return written
    if a["disp"] in {"out", "output only"}:
        return other
    if "flip" in (a["order"], a["disp"]):
        written, other = other, written
    return f"{written} or {other}" if a["disp"] == "or" else f"{written} ({other})"


def _shown(unit: str) -> str:
    """“million acres” of e6acre."""
    power = _POWER.match(unit)
    name = unit[power.end() :] if power else unit
    name = _SHOWN.get(_OTHER_NAMES.get(name, name), name)
    return f"{_POWERS[power[1]]} {name}" if power else name


def _size(unit: str) -> tuple[str, float]:
    """Its name without a power of ten, and its size; 0 of an unknown one."""
    power = _POWER.match(unit)
    name = unit[power.end() :] if power else unit
    name = _OTHER_NAMES.get(name, name)
    size = _SIZES.get(_KIND.get(name, ""), {}).get(name, 0.0)
    return name, size * 10 ** int(power[1]) if power else size


def _number(written: str) -> float | None:
    plain = written.replace(",", "").replace("−", "-").removeprefix("+")
    if mixed := re.fullmatch(r"(-?)(?:(\d{1,9})\+)?(\d{1,9})[/⁄](\d{1,9})", plain):
        sign, whole, upper, lower = mixed.groups()
        value = int(whole or 0) + int(upper) / int(lower) if int(lower) else None
        return -value if value and sign else value
    return float(plain) if _PLAIN.fullmatch(plain) and re.search(r"\d", plain) else None


def _joined(parts: list[_Quantity]) -> list[_Quantity]:
    """6 ft 2 in, as inches; none where a unit is not known."""
    unit = parts[-1].unit
    found = [value for part in parts if (value := part.in_unit(unit)) is not None]
    return [_Quantity(f"{sum(found):.10g}", unit, True)] if len(found) == len(parts) else []


def _converted(
    given: list[_Quantity], between: list[str], target: str, rounded: str, figures: str
) -> str:
    """The numbers in another unit; "" where one of the units is not known."""
    unit = "in" if target == "ftin" else target
    values = [value for quantity in given if (value := quantity.in_unit(unit)) is not None]
    if not values or len(values) < len(given):
        return ""
    places = max(q.places(unit, value) for q, value in zip(given, values, strict=True))
    if re.fullmatch(r"-?\d{1,2}", rounded):
        places = int(rounded)
    elif re.fullmatch(r"[1-9]", figures) and values[0]:
        places = int(figures) - 1 - _magnitude(values[0])
    if target == "ftin":
        words = [f"{n // 12} ft {n % 12} in" for n in map(round, values)]
        shown = ""
    else:
        words = [f"{round(v, places):,.{max(0, places)}f}".replace("-", "−") for v in values]
        shown = _shown(target) if target.startswith("/") else f" {_shown(target)}"
    return "".join(b + w for b, w in zip(between, words, strict=False)) + shown


def _magnitude(value: float) -> int:
    """3 of 1,000."""
    return floor(log10(abs(value)) + _FUDGE)
