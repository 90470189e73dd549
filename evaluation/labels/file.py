"""Labels from elsewhere, read row by row: a CSV of item, rater, label and perhaps cluster, or a wide one. Pure.

Rows become whole numbers as they are read: a rating keeps twenty bytes, and each name is kept once.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from datasets.readers.csv_table import CsvTable, check_once
from datasets.readers.json_text import Unreadable
from evaluation.labels.scale import NUMBER
from evaluation.labels.spelling import (
    PLACEHOLDERS,
    POINT,
    SHOWN,
    Wishes,
    alike,
    alike_in_words,
    plain,
    some,
)
from pages.counting import how_many

Codes = NDArray[np.int32]
# Line, item, rater, label, cluster.
Rating = tuple[int, str, str, str, str]

NEEDED = ("item", "rater", "label")
CLUSTER = "cluster"
COLUMNS = (*NEEDED, CLUSTER)
# What a wide file calls its items; a table saved with its row names has no word there.
ITEM_NAMES = ("item", "item_id", "id", "unit")
MOST_LABELS = 50
NO_WISHES = Wishes()


@dataclass(frozen=True)
class Ratings:
    """The labels of a file, each once for an item and a rater, as places in the lists of names.

    `clusters` is None where the file has no such column. `left_out` counts the ratings without a label by how that is
    written ("" for an empty cell). `notices` say what was left out, what was folded, and what looks alike.
    """

    items: Codes
    raters: Codes
    labels: Codes
    clusters: Codes | None
    item_count: int
    rater_names: list[str]
    label_names: list[str]
    notices: list[str]
    left_out: dict[str, int] = field(default_factory=dict)


def read_labels(
    file: BinaryIO, wishes: Wishes = NO_WISHES, *, most_rows: int | None = None
) -> Ratings:
    """The labels of a file. Raises Unreadable, with a line for each problem."""
    reading = _Reading(CsvTable(file), wishes)
    reading.take()
    return reading.ratings(most_rows)


class _Names(dict[str, int]):
    """The code of each spelling in a column; spellings of one plain text have one code."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}

    def __missing__(self, spelled: str) -> int:
        self[spelled] = code = self.codes.setdefault(plain(spelled), len(self.codes))
        return code


class _Reading:
    """A file's ratings on their way; `raters` are the columns of a wide file."""

    def __init__(self, table: CsvTable, wishes: Wishes) -> None:
        self.table, self.wishes = table, wishes
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.names = {name: _Names() for name in COLUMNS}
        columns = [plain(name).casefold() for name in table.columns]
        check_once(columns)
        self.at = {name: columns.index(name) for name in COLUMNS if name in columns}
        self.raters: dict[int, str] = {}
        if not self.at.keys() >= {*NEEDED}:
            self._find_raters(columns)

    def _find_raters(self, columns: Sequence[str]) -> None:
        header = [plain(name) for name in self.table.header]
        item = next((columns.index(name) for name in ITEM_NAMES if name in columns), -1)
        if item < 0 and not header[0]:
            item = 0
        others = {at: name for at, name in enumerate(header) if name and at != item}
        others.pop(self.at.get(CLUSTER, -1), None)
        if item < 0 or len(others) < 2 or {"rater", "label"} & {*columns}:
            lacking = [name for name in NEEDED if name not in columns]
            raise Unreadable(
                f"The first line has no column {' and no column '.join(lacking)}. It names the columns item, rater, "
                "label and perhaps cluster, separated by comma, semicolon or tab. A wide file names item and a column "
                "for each rater, two or more."
            )
        self.at["item"], self.raters = item, others
        raters = some([repr(name) for name in others.values()])
        self.notices.append(f"Read as a wide file, with a column for each rater: {raters}.")

    def _given(self) -> Iterator[Rating]:
        item, cluster = self.at["item"], self.at.get(CLUSTER)
        for line, cells, problem in self.table.rows():
            if problem:
                self.problems.append(f"line {line}: {problem}")
                self._refuse(SHOWN)
                continue
            within = "" if cluster is None else cells[cluster]
            if self.raters:
                for place, rater in self.raters.items():
                    yield line, cells[item], rater, cells[place], within
            else:
                yield line, cells[item], cells[self.at["rater"]], cells[self.at["label"]], within

    def take(self) -> None:
        items, raters, labels, clusters = (self.names[name] for name in COLUMNS)
        codes = {name: array("i") for name in (*COLUMNS, "line")}
        add_item, add_rater, add_label, add_cluster, add_line = (
            each.append for each in codes.values()
        )
        most_labels = MOST_LABELS
        for line, item, rater, label, cluster in self._given():
            add_item(items[item])
            add_rater(raters[rater])
            add_label(labels[label])
            add_cluster(clusters[cluster])
            add_line(line)
            if len(labels.codes) > most_labels:
                most_labels = MOST_LABELS + sum(map(self.wishes.is_missing, labels.codes))
            if len(labels.codes) > most_labels:
                column = rater if self.raters else "label"
                raise Unreadable(
                    f"Line {line}, column {column}: there are more than {MOST_LABELS} different labels. Leave out "
                    "columns that hold none."
                )
        self.codes = {name: np.frombuffer(each, dtype=np.int32) for name, each in codes.items()}

    def _refuse(self, least: int = 1) -> None:
        if len(self.problems) >= least:
            raise Unreadable("\n".join(self.problems[:SHOWN]))

    # ------------------------------------------------------------ all rows together

    def ratings(self, most_rows: int | None) -> Ratings:
        texts = {
            name: dict(zip(names.codes, names.codes, strict=True))
            for name, names in self.names.items()
        }
        texts["label"] = self._meant()
        left_out = self._leave_out(texts["label"])
        if most_rows is not None and len(self.codes["line"]) > most_rows:
            raise Unreadable(
                f"The file has more than {most_rows:,} labels. Use manage.py agreement for it."
            )
        for name in self.at:
            empty = self.codes[name] == self.names[name].codes.get("", -1)
            lines = np.unique(self.codes["line"][empty])[:SHOWN]
            self.problems += [f"line {line}: has no {name}" for line in lines]
        self._refuse()
        self.kept = {name: self._settled(name, texts[name]) for name in ("label", "rater", "item")}
        once = self._once()
        if has_clusters := CLUSTER in self.at:
            self._check_clusters()
        self._refuse()
        columns = {name: codes[once] for name, codes in self.codes.items()}
        return Ratings(
            columns["item"],
            columns["rater"],
            columns["label"],
            columns[CLUSTER] if has_clusters else None,
            len(self.kept["item"]),
            self.kept["rater"],
            self.kept["label"],
            self.notices,
            left_out,
        )

    def _meant(self) -> dict[str, str]:
        """What each label counts as, "" where it is missing. Where all others are numbers, a point means that too.

        Without commas between cells a number may have a decimal comma.
        """
        order, texts = self.wishes.order, self.names["label"].codes
        given = {text: text for text in texts if not self.wishes.is_missing(text)}
        doubtful = [text for text in given if text.casefold() in PLACEHOLDERS and text not in order]
        numbers = dict(given)
        if self.table.delimiter != ",":
            numbers = {text: text.replace(",", ".", 1) for text in given}
        sure = [numbers[text] for text in given if text not in doubtful]
        if sure and all(map(NUMBER.fullmatch, sure)):
            if changed := [text for text in given if numbers[text] != text]:
                self.notices.append(
                    f"Decimal commas are read as points: {changed[0]} is {numbers[changed[0]]}."
                )
            given = numbers
            if POINT in doubtful:
                doubtful.remove(POINT)
                del given[POINT]
        if doubtful:
            named = some([repr(text) for text in doubtful])
            self.notices.append(
                f"Counted as a label: {named}. Declare as missing what means that there is none."
            )
        return {text: given.get(text, "") for text in texts}

    def _leave_out(self, meant: Mapping[str, str]) -> dict[str, int]:
        """Keep the ratings with a label; how many have none, by how that is written."""
        left_out, said, label = {}, [], self.codes["label"]
        keep = np.ones(len(label), dtype=bool)
        for text, code in self.names["label"].codes.items():
            if not meant[text] and len(lines := self.codes["line"][label == code]):
                keep &= label != code
                left_out[text] = len(lines)
                said.append(f"{len(lines):,} {text or 'empty'} (line {some(lines)})")
        if said:
            n = how_many(sum(left_out.values()), "rating")
            self.notices.append(f"{n} left out, because the label is missing: {', '.join(said)}.")
        self.codes = {name: codes[keep] for name, codes in self.codes.items()}
        return left_out

    def _settled(self, name: str, texts: Mapping[str, str]) -> list[str]:
        """The texts of a column that are kept, and its codes by them. Says what looks alike.

        texts: what each text of the column, in the order of the codes, counts as.
        """
        used = np.bincount(self.codes[name], minlength=len(texts)).tolist()
        counts: Counter[str] = Counter()
        for text, n in zip(texts.values(), used, strict=True):
            if n:
                counts[text] += n
        stands = alike(counts, self.wishes.order if name == "label" else ())
        if stands:
            self.notices.append(alike_in_words(name, stands, fold=self.wishes.fold))
        if not self.wishes.fold:
            stands = {}
        place: dict[str, int] = {}
        for text in counts:
            place.setdefault(stands.get(text, text), len(place))
        table = [place.get(stands.get(text, text), -1) for text in texts.values()]
        self.codes[name] = np.array(table, dtype=np.int32)[self.codes[name]]
        return list(place)

    def _once(self) -> NDArray[np.int64]:
        """The first rating of each item by each rater. A repeated one is told, another one is a problem."""
        labels, lines = self.codes["label"], self.codes["line"]
        raters = max(len(self.kept["rater"]), 1)
        first = _first_of(self.codes["item"].astype(np.int64) * raters + self.codes["rater"])
        again = np.flatnonzero(first != np.arange(len(first)))
        for late in again[labels[again] != labels[first[again]]][:SHOWN]:
            early = first[late]
            self.problems.append(
                f"lines {lines[early]} and {lines[late]}: rater {self._text('rater', late)} labels item "
                f"{self._text('item', late)} twice, as {self._text('label', early)} and as {self._text('label', late)}"
            )
        if len(again):
            self.notices.append(
                f"{how_many(len(again), 'rating')} repeating a label left out (line {some(lines[again])}): it counts "
                "once."
            )
        return np.unique(first)

    def _check_clusters(self) -> None:
        clusters, lines, first = (
            self.codes[CLUSTER],
            self.codes["line"],
            _first_of(self.codes["item"]),
        )
        for late in np.flatnonzero(clusters != clusters[first])[:SHOWN]:
            self.problems.append(
                f"lines {lines[first[late]]} and {lines[late]}: item {self._text('item', late)} is in two clusters"
            )

    def _text(self, name: str, row: int) -> str:
        return self.kept[name][self.codes[name][row]]


def _first_of(codes: NDArray[Any]) -> NDArray[np.int64]:
    """For each row the first one with its code."""
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return first[group]
