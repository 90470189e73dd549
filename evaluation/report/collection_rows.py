"""The dataset of a collection as a table: k of n with its interval, laid out for a page. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from datasets.taxonomy import option
from evaluation.shapes.collection_table import TAGS, TOTALS, CollectionEntry, CollectionTable
from evaluation.statistics import wilson
from evaluation.tables.report_words import query
from evaluation.tables.table import Cell, Interval, count
from evaluation.tables.words import Unit, counted, percent, percent_interval

TITLES = {
    TAGS: "Wikipedia tags",
    "questions": "Questions",
    "kind": "Question type",
    "reasoning": "Contradiction type",
    "passages": "Passages",
    "type I": "Type I, what contradicts",
    "type II": "Type II, where it stands",
    "type III": "Type III, in one article or two",
    "type IV": "Type IV, reasoning",
}
LABELS = {
    "tags": "All",
    "valid tags": "Verified as valid",
    "all": "All",
    "excluded": "Excluded",
    "yes-no": "Yes/no",
    "wh": "Wh-",
    "explicit": "Explicit",
    "implicit": "Implicit",
    "untyped": "No type IV",
    "different": "Different passages",
    "same": "Same passage",
    "": "No option chosen",
}


@dataclass(frozen=True)
class CollectionLine:
    """One row of the page: what it counts, and how many, with a link's query and which page it leads to."""

    label: str
    cell: Cell
    of_tags: bool


def groups(table: CollectionTable) -> list[tuple[str, list[CollectionLine]]]:
    """The rows by group, as shown."""
    lines_of: dict[str, list[CollectionLine]] = {}
    for row in table["rows"]:
        lines_of.setdefault(row["group"], []).append(_line(row))
    return [(TITLES[group], lines) for group, lines in lines_of.items()]


def _line(row: CollectionEntry) -> CollectionLine:
    k, n = row["k"], row["n"]
    parameter, value = row["parameter"], row["value"]
    chosen = {parameter: value} if parameter and value else {}
    link = query(validity=row["validity"], **chosen)
    linked = k and (chosen or row["group"] == TAGS or value == "all")
    rows = link if linked else ""
    ends: tuple[Interval, ...] = ()
    if row["low"] is not None and row["high"] is not None:
        ends = (Interval(row["low"], row["high"], wilson.METHOD),)
    cell = Cell(Unit.SHARE, k / n if n else None, k, n, ends, rows=rows)
    return CollectionLine(
        label_of(row), count(k, rows=rows) if value in TOTALS else cell, row["group"] == TAGS
    )


def label_of(row: CollectionEntry) -> str:
    known = option(row["value"])
    if known:
        return f"{known.group}: {known.label}" if known.group else known.label
    return LABELS.get(row["value"], row["value"])


def sentences_of(table: CollectionTable) -> Iterator[str]:
    """The table in words, each share with its n and interval."""
    by_value = {(row["group"], row["value"]): row for row in table["rows"]}
    questions = by_value["questions", "all"]
    tags = by_value[TAGS, "tags"]
    if not questions["k"]:
        yield f"{table['title']} holds {counted(tags['k'], 'tag')} and no question."
        return
    yield (
        f"{table['title']} holds {counted(questions['k'], 'question')} about {counted(tags['k'], 'tag')} from "
        f"{counted(table['articles'], 'article')}."
    )
    yield _share_words("are wh- questions", by_value["kind", "wh"])
    yield _share_words("have an implicit contradiction", by_value["reasoning", "implicit"])
    yield _share_words("have both answers in one passage", by_value["passages", "same"])


def _share_words(what: str, row: CollectionEntry) -> str:
    ends = percent_interval(row["low"], row["high"])
    return f"{row['k']} of {row['n']} {what} ({percent(row['k'] / row['n'])}; 95 % interval {ends}, Wilson's)."


def sheet_rows(table: CollectionTable) -> Iterable[list[object]]:
    """One row a count, for CSV; the header is COLUMNS."""
    return ([row.get(name) for name in COLUMNS] for row in table["rows"])


COLUMNS = ["group", "value", "k", "n", "low", "high", "population"]
