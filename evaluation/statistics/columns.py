"""Many rows as columns of numbers: numpy counts a hundred thousand of them in the time of a thousand objects. Pure."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECE = 5_000
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Column:
    """Row i has the value `values[at[i]]`. Values differ; some may be in no row."""

    values: Sequence[Any]
    at: NDArray[Any]

    @classmethod
    def of_values(cls, rows: Iterable[Any]) -> "Column":
        """Its values are in the order in which rows first have them."""
        return columns(["one"], ((row,) for row in rows))["one"]

    @classmethod
    def of_numbers(cls, rows: Places) -> "Column":
        """Of whole numbers from 0, which are their own places."""
        return cls(range(rows.max(initial=-1) + 1), rows)

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.at.tolist())

    def __getitem__(self, rows: NDArray[Any]) -> "Column":
        """The column of these rows."""
        return Column(self.values, self.at[rows])

    def mapped(self, change: Callable[[Any], Any]) -> "Column":
        """Each value changed; those that become equal are one."""
        changed = Column.of_values(map(change, self.values))
        return Column(changed.values, changed.at[self.at])

    def numbers(self) -> Places:
        """The rows' values, which are whole numbers."""
        return np.array(self.values, dtype=np.intp)[self.at]

    def among(self, values: Container[Any]) -> Mask:
        """Whether each row has one of the values."""
        return np.array([value in values for value in self.values], dtype=bool)[self.at]

    def on(self, scale: Iterable[Any]) -> Places:
        """The place of each row's value on a scale, -1 where it is not on it."""
        place = {value: n for n, value in enumerate(scale)}
        return np.array([place.get(value, -1) for value in self.values], dtype=np.intp)[self.at]


def columns(names: Collection[str], rows: Iterable[Sequence[Any]]) -> dict[str, Column]:
    """The columns of rows, read piece by piece: no more than a piece of them is in memory as objects."""
    places: list[defaultdict[Any, int]] = [defaultdict(count().__next__) for _ in names]
    at = [array("i") for _ in names]
    left = iter(rows)
    while piece := list(islice(left, PIECE)):
        for place, numbers, column in zip(places, at, zip(*piece, strict=True), strict=True):
            numbers.extend(map(place.__getitem__, column))
    return {
        name: Column(list(place), np.array(numbers, dtype=np.int32))
        for name, place, numbers in zip(names, places, at, strict=True)
    }


def counted(*of: Column, times: NDArray[Any] | None = None) -> list[tuple[Any, ...]]:
    """How many rows have which values together: (a value of each column, ..., count), in the order of the values.

    A row counts once, or as often as `times` says.
    """
    kinds, place = np.unique(combined(*of), return_inverse=True)
    sums = np.bincount(place, weights=times).astype(np.int64)
    parts = np.unravel_index(kinds, _sizes(of))
    values = (Column(column.values, at) for column, at in zip(of, parts, strict=True))
    return list(zip(*values, sums.tolist(), strict=True))


def combined(*of: Column) -> Places:
    """A number for each row, the same for rows with the same values, in the order of the values."""
    return np.ravel_multi_index([column.at for column in of], _sizes(of))


def _sizes(of: Sequence[Column]) -> list[int]:
    return [max(1, len(column.values)) for column in of]
