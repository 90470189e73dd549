"""The four dimensions by which a contradiction is classified, as ordered data.

Source: WikiContradict (Hou et al. 2024), section 3.2 and Appendix A. The values are the strings of the
published data, byte for byte: two of them end in a blank, and none may be stripped on the way in or out.
"""

import json
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data" / "taxonomy.json"


@dataclass(frozen=True)
class Option:
    """One choice of a dimension: `value` as exported, `label` and `help` for people."""

    value: str
    label: str
    help: str
    group: str = ""


@dataclass(frozen=True)
class Dimension:
    """One dimension: `key` as exported, `short` the roman numeral, `options` in the form's order."""

    key: str
    short: str
    title: str
    question: str
    options: tuple[Option, ...]

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(choice.value for choice in self.options)


def _read() -> tuple[Dimension, ...]:
    kept = json.loads(DATA.read_text(encoding="utf-8"))["dimensions"]
    return tuple(
        Dimension(**{**entry, "options": tuple(Option(**choice) for choice in entry["options"])})
        for entry in kept
    )


DIMENSIONS: tuple[Dimension, ...] = _read()
_, TYPE_II, TYPE_III, TYPE_IV = DIMENSIONS
EXPLICIT, IMPLICIT = TYPE_IV.values

_DIMENSION_OF_KEY = {dimension.key: dimension for dimension in DIMENSIONS}
_PLACE_OF_VALUE = {
    choice.value: (dimension, choice) for dimension in DIMENSIONS for choice in dimension.options
}


def dimension(key: str) -> Dimension | None:
    """The dimension of that key ("Contradict type I"), or None."""
    return _DIMENSION_OF_KEY.get(key)


def option(value: str) -> Option | None:
    """The option of exactly that value, blanks included, or None. No value is in two dimensions."""
    place = _PLACE_OF_VALUE.get(value)
    return place[1] if place else None


def dimension_of(value: str) -> Dimension | None:
    """The dimension that offers exactly that value, or None."""
    place = _PLACE_OF_VALUE.get(value)
    return place[0] if place else None


def order(values: list[str]) -> list[str]:
    """The values in the form's order, unknown ones last, each once."""
    known = list(_PLACE_OF_VALUE)
    return sorted(
        dict.fromkeys(values),
        key=lambda value: known.index(value) if value in known else len(known),
    )
