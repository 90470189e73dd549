"""The dataset of a collection as a table of counts. Pure."""

from typing import TypedDict

from evaluation.statistics.wilson import wilson

TAGS = "tags"
TOTALS = ("tags", "all")


class CollectionEntry(TypedDict):
    """`k` of `n` with its Wilson interval (0..1; null where n is 0, and for a total, which is no share).

    `parameter` is that of the questions' page which lists them, "" where it has none.
    """

    group: str
    value: str
    k: int
    n: int
    low: float | None
    high: float | None
    population: str
    parameter: str
    validity: str


class CollectionTable(TypedDict):
    """A collection in numbers."""

    collection: str
    title: str
    articles: int
    rows: list[CollectionEntry]


def entry(
    group: str, value: str, k: int, n: int, population: str, parameter: str = "", validity: str = ""
) -> CollectionEntry:
    """A row of the table."""
    ends = None if value in TOTALS else wilson(k, n)
    return {
        "group": group,
        "value": value,
        "k": k,
        "n": n,
        "low": ends and ends.low,
        "high": ends and ends.high,
        "population": population,
        "parameter": parameter,
        "validity": validity,
    }
