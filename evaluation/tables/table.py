"""A table of a report as one value, which its writers read: the page, CSV, LaTeX, charts. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby

from evaluation.statistics import wilson
from evaluation.tables.words import Unit, ends_in_unit, in_unit


@dataclass(frozen=True)
class Interval:
    """A 95 % interval in the unit of its cell, its method, and over how many clusters where it resamples them."""

    low: float
    high: float
    method: str
    clusters: int | None = None


@dataclass(frozen=True)
class Words:
    """A cell in words; "" where it has no such part. `of` is what `count` is counted of."""

    value: str
    count: str
    of: str
    ends: str
    others: tuple[str, ...]
    beside: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Cell:
    """A figure: a share is `k` of `n`, a count `k`, of `n` where not all are counted; else a `value` over `n`.

    The first interval is put forward; `reason` says why there is no value, or no interval. `beside` is the same figure
    in other ways, by what is different, or a number of rows. `lowest` and `highest` are the values that responses
    without a verdict leave possible. `rows` is the query of the rows of k, `whole` that of all n.
    """

    unit: Unit
    value: float | None = None
    k: int | None = None
    n: int | None = None
    intervals: tuple[Interval, ...] = ()
    reason: str = ""
    beside: tuple[tuple[str, float | int | None], ...] = ()
    lowest: float | None = None
    highest: float | None = None
    rows: str = ""
    whole: str = ""
    text: str = ""

    @cached_property
    def words(self) -> Words:
        first, *others = self.intervals or (None,)
        mark = " W" if first and first.method == wilson.METHOD else ""
        return Words(
            self._value(),
            self._count(),
            "" if self.k is None or self.n is None else f"{self.n:,}",
            self._ends(first) + mark if first else "",
            tuple(f"{one.method.partition(' (')[0]} {self._ends(one)}" for one in others if one),
            tuple(f"{what} {self._other(value)}" for what, value in self.beside),
            self.reason,
        )

    def _count(self) -> str:
        if self.k is None:
            alone = self.unit in (Unit.SCORE, Unit.BITS) and self.n is not None
            return f"n = {self.n:,}" if alone else ""
        return f"{self.k:,}"

    def _value(self) -> str:
        if self.unit == Unit.TEXT:
            return self.text
        return "" if self.unit == Unit.COUNT else in_unit(self.value, self.unit)

    def _ends(self, interval: Interval) -> str:
        return ends_in_unit(interval.low, interval.high, self.unit)

    def _other(self, value: float | int | None) -> str:
        if isinstance(value, int):
            return f"{value:,}"
        return "undefined" if value is None else in_unit(value, self.unit)


NOTHING = Cell(Unit.TEXT)


def count(k: int, n: int | None = None, rows: str = "", whole: str = "") -> Cell:
    """A number of rows, of `n` where it is not all of them; the queries of both."""
    return Cell(Unit.COUNT, k=k, n=None if n == k else n, rows=rows, whole="" if n == k else whole)


@dataclass(frozen=True)
class Line:
    """A line by its keys, with a cell for each column; a `folded` one is behind a summary on the page.

    `note` is about the line as a whole.
    """

    keys: tuple[str, ...]
    cells: tuple[Cell, ...]
    note: str = ""
    folded: bool = False

    @property
    def others(self) -> tuple[str, ...]:
        """The keys after the first."""
        return self.keys[1:]

    @property
    def shared(self) -> str:
        """The reason of all its figures that are no counts, if they are several; the page gives it once."""
        reasons = [one.reason for one in self.cells if one.unit not in (Unit.COUNT, Unit.TEXT)]
        return reasons[0] if len(reasons) > 1 and len(set(reasons)) == 1 else ""


@dataclass(frozen=True)
class Group:
    """Lines below a common title. `sentence` says what they come to, `note` what they leave out."""

    key: str
    title: str
    lines: tuple[Line, ...]
    sentence: str = ""
    note: str = ""

    @property
    def parts(self) -> Iterator[tuple[bool, list[tuple[str, list[Line]]]]]:
        """Whether it is folded, and the lines of each first key: the shown ones, then the folded ones."""
        for folded in (False, True):
            if mine := [line for line in self.lines if line.folded == folded]:
                by_first = groupby(mine, key=lambda line: line.keys[0])
                yield folded, [(first, list(lines)) for first, lines in by_first]

    @property
    def n_folded(self) -> int:
        return sum(line.folded for line in self.lines)


@dataclass(frozen=True)
class Table:
    """Groups of lines with the same columns.

    `key` names it in addresses and labels. `heads` are those of the keys, `columns` the words of each column, on as
    many axes as all have; `of` is what these words name on the last axis, `groups_of` what the titles of groups do.
    `about` says what is counted and how intervals are made. `fold` says what folded lines are.
    """

    key: str
    title: str
    heads: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    groups: tuple[Group, ...]
    about: str = ""
    fold: str = ""
    of: str = ""
    groups_of: str = ""

    def only(self, key: str) -> "Table":
        """The table with the group of this key alone."""
        return replace(self, groups=tuple(group for group in self.groups if group.key == key))

    def with_columns(self, wanted: Callable[[str], bool]) -> "Table":
        """The table with the columns alone whose words are wanted."""
        at = [n for n, words in enumerate(self.column_words) if wanted(words)]
        table = replace(self, columns=tuple(self.columns[n] for n in at))
        return table.with_lines(lambda line: replace(line, cells=tuple(line.cells[n] for n in at)))

    def with_lines(self, change: Callable[[Line], Line]) -> "Table":
        """The table with its lines changed."""
        groups = (replace(group, lines=tuple(map(change, group.lines))) for group in self.groups)
        return replace(self, groups=tuple(groups))

    @property
    def over(self) -> list[list[tuple[str, int]]]:
        """For each axis its heads, a dash for no value, and over how many columns each of them is."""
        return [
            [
                (words[-1] or "\N{EN DASH}", len(list(of)))
                for words, of in groupby(one[: place + 1] for one in self.columns)
            ]
            for place in range(len(self.columns[0]))
        ]

    @property
    def column_words(self) -> list[str]:
        """Each column on one line."""
        return [" · ".join(filter(None, words)) for words in self.columns]

    @property
    def cells(self) -> Iterator[tuple[Group, Line, str, Cell]]:
        """Every cell with its group, line and column."""
        for group in self.groups:
            for line in group.lines:
                for column, cell in zip(self.column_words, line.cells, strict=True):
                    yield group, line, column, cell


@dataclass(frozen=True)
class Names:
    """How things are called in a table, and their order: `words` by the name in the report, `titles` for titles."""

    words: Mapping[str, str]
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def order(self) -> list[str]:
        return [*self.words]


def renamed(table: Table, names: Mapping[str, Names]) -> Table:
    """With these names and in their order, by what heads name (Model, Prompt); other keys, and unknown ones, stay."""
    columns = names.get(table.of)
    at = sorted(range(len(table.columns)), key=lambda n: _place(columns, table.columns[n][-1]))
    groups = sorted(table.groups, key=lambda group: _place(names.get(table.groups_of), group.key))
    return replace(
        table,
        columns=tuple((*table.columns[n][:-1], _called(columns, table.columns[n][-1])) for n in at),
        groups=tuple(_renamed(table, group, names, at) for group in groups),
    )


def _renamed(table: Table, group: Group, names: Mapping[str, Names], at: Sequence[int]) -> Group:
    of_keys = [names.get(head) for head in table.heads]

    def places(line: Line) -> list[int]:
        return [_place(one, key) for one, key in zip(of_keys, line.keys, strict=True)]

    titles = names[table.groups_of].titles if table.groups_of in names else {}
    return replace(
        group,
        title=titles.get(group.key, group.title),
        lines=tuple(
            replace(
                line,
                keys=tuple(map(_called, of_keys, line.keys)),
                cells=tuple(line.cells[n] for n in at),
            )
            for line in sorted(group.lines, key=places)
        ),
    )


def _place(names: Names | None, name: str) -> int:
    """Where a name stands in the order; what has none keeps its place among its like."""
    return names.order.index(name) if names and name in names.words else -1


def _called(names: Names | None, name: str) -> str:
    return names.words.get(name, name) if names else name
