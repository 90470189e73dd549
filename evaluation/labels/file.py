"""Labels from elsewhere, read line by line: a CSV of item, rater, label and perhaps cluster, or a wide one. Pure.

Lines become whole numbers as they are read: a line keeps sixteen to twenty bytes, and each name is kept once.
"""

import csv
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.labels import spelling
from evaluation.labels.lines import (
    COLUMNS,
    SHOWN,
    Header,
    UnreadableLabels,
    header_of,
    lines_of,
    separator_named,
)
from evaluation.labels.scale import NUMBER
from evaluation.labels.spelling import CASE, NAMES, NUMBERS, POINT, Wishes, folded, named

Codes = NDArray[np.int32]

MOST_LABELS = 50
EMPTY, LEFT_OUT = -1, -2
NO_WISHES = Wishes()
NOUNS = {"item": "item name", "rater": "rater name", "label": "label"}


@dataclass(frozen=True)
class Ratings:
    """The labels of a file, each once for an item and a rater, as places in the lists of names.

    `clusters` is None where the file has no such column. `left_out` counts the ratings without a label by how that is
    written ("" for an empty cell). `notices` say what was left out, folded, and what looks alike.
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
    stream: BinaryIO, wishes: Wishes = NO_WISHES, *, most_rows: int | None = None
) -> Ratings:
    """The labels of a UTF-8 file; raises UnreadableLabels with the lines at fault.

    A byte-order mark, blank lines and blanks around a cell are ignored; cells are separated by comma, semicolon or
    tab, whichever makes a header of the needed columns, or by what a first line such as sep=; names.
    """
    reading = _Reading(wishes, most_rows)
    try:
        reading.take(lines_of(stream))
    except csv.Error as error:
        raise UnreadableLabels(f"Line {reading.line} cannot be read as CSV: {error}.") from None
    if reading.problems:
        raise UnreadableLabels(*reading.problems)
    return reading.ratings()


class Reader(Protocol):
    """A csv.reader, which knows how many lines it has read."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class _Names(dict[str, int]):
    """The code of each spelling in one column; spellings that always fold to one text have one code."""

    def __init__(self, is_missing: Callable[[str], bool] | None = None) -> None:
        self.codes: dict[str, int] = {}
        self.is_missing = is_missing

    def __missing__(self, spelled: str) -> int:
        text = folded(spelled)
        if self.is_missing and self.is_missing(text):
            code = LEFT_OUT
        else:
            code = self.codes.setdefault(text, len(self.codes)) if text else EMPTY
        self[spelled] = code
        return code

    def joined(self) -> list[str]:
        """The texts that stand for two spellings or more."""
        times = Counter(code for code in self.values() if code >= 0)
        return [text for text, code in self.codes.items() if times[code] > 1]


class _Reading:
    """What has been read so far."""

    def __init__(self, wishes: Wishes, most_rows: int | None) -> None:
        self.wishes = wishes
        self.most_rows = most_rows
        self.line = 0
        self.problems: list[str] = []
        self.notices: list[str] = []
        self.left_out: dict[str, array[int]] = {}
        self.names = {name: _Names() for name in COLUMNS}
        self.names["label"] = _Names(wishes.is_missing)
        self.codes = {name: array("i") for name in COLUMNS}
        self.texts: dict[str, list[str]] = {}
        self.at = array("i")

    def take(self, lines: Iterator[str]) -> None:
        header = self._first(lines)
        separator = separator_named(header)
        if separator:
            header = self._first(lines)
        self.header = header_of(header, separator)
        rows = csv.reader(lines, delimiter=self.header.separator, strict=True)
        first = self.line
        try:
            if self.header.raters:
                self._say_wide()
                cluster = None if self.header.cluster is None else 3
                long = Header(self.header.separator, 4, item=0, rater=1, label=2, cluster=cluster)
                self._take_rows(self._long(rows), rows, long)
            else:
                self._take_rows(rows, rows, self.header)
        finally:
            self.line = first + rows.line_num

    def _first(self, lines: Iterator[str]) -> str:
        for line in lines:
            self.line += 1
            if line.strip():
                return line
        raise UnreadableLabels("The file is empty. Its first line names the columns.")

    def _take_rows(self, source: Iterable[list[str]], rows: Reader, header: Header) -> None:
        """The one loop that a million lines go through: it does what is usual, `_odd` does the rest."""
        first, width, cluster = self.line, header.width, header.cluster
        items, raters, labels, clusters = (self.names[name] for name in COLUMNS)
        add = [self.codes[name].append for name in COLUMNS]
        add_item, add_rater, add_label, add_cluster = add
        at_item, at_rater, at_label = header.item, header.rater, header.label
        most = self.most_rows or sys.maxsize
        for cells in source:
            if len(cells) == width:
                item, rater, label = (
                    items[cells[at_item]],
                    raters[cells[at_rater]],
                    labels[cells[at_label]],
                )
                within = clusters[cells[cluster]] if cluster is not None else 0
                if item >= 0 and rater >= 0 and label >= 0 and within >= 0:
                    add_item(item)
                    add_rater(rater)
                    add_label(label)
                    add_cluster(within)
                    self.at.append(first + rows.line_num)
                    if len(labels.codes) <= MOST_LABELS and len(self.at) <= most:
                        continue
            self.line = first + rows.line_num
            self._odd(cells, header)
            if len(self.problems) >= SHOWN:
                return

    def _odd(self, cells: list[str], header: Header) -> None:
        """A line that is not counted: blank, without a label, at fault, or one too many."""
        if not any(map(str.strip, cells)):
            return
        if len(cells) != header.width:
            self._say(f"Line {self.line} has {len(cells)} cells, the header has {header.width}.")
            return
        item, rater, label = (folded(cells[i]) for i in (header.item, header.rater, header.label))
        if not (item and rater):
            self._say(f"Line {self.line} has no {'item' if not item else 'rater'}.")
        elif self.wishes.is_missing(label):
            self.left_out.setdefault(label, array("i")).append(self.line)
        elif header.cluster is not None and not cells[header.cluster].strip():
            self._say(f"Line {self.line} has no cluster.")
        else:
            self._too_many(rater)

    def _too_many(self, rater: str) -> None:
        if self.most_rows is not None and len(self.at) > self.most_rows:
            raise UnreadableLabels(
                f"The file has more than {self.most_rows:,} labels. Use manage.py agreement for it."
            )
        if self.header.raters:
            raise UnreadableLabels(
                f"The file has more than {MOST_LABELS} different labels by line {self.line}, column {rater}. A wide "
                "file has columns for the item, the cluster and the raters only."
            )
        raise UnreadableLabels(
            f"The column label has more than {MOST_LABELS} different labels by line {self.line}. Is it the "
            "right column?"
        )

    def _say(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    # ------------------------------------------------------------ a wide file

    def _say_wide(self) -> None:
        raters = [name for _, name in self.header.raters]
        self.notices.append(f"Read as a wide file, with a column for each rater: {named(raters)}.")
        if n := self.header.unnamed:
            self.notices.append(
                f"{n} column{'' if n == 1 else 's'} without a name left out: it names the rater."
            )

    def _long(self, rows: Reader) -> Iterator[list[str]]:
        """The cells of a wide file as lines of item, rater, label and cluster."""
        first, header = self.line, self.header
        seen: dict[str, int] = {}
        for cells in rows:
            if not any(map(str.strip, cells)):
                continue
            self.line = first + rows.line_num
            if len(cells) != header.width:
                self._say(
                    f"Line {self.line} has {len(cells)} cells, the header has {header.width}."
                )
                yield []
                continue
            item = folded(cells[header.item])
            if seen.setdefault(item, self.line) != self.line and item:
                self._say(
                    f"Lines {seen[item]} and {self.line} are both of item {item}. A wide file has one line for each "
                    "item; a file with a line for each label names the columns item, rater and label."
                )
                yield []
                continue
            cluster = "" if header.cluster is None else cells[header.cluster]
            for place, rater in header.raters:
                yield [item, rater, cells[place], cluster]

    # ------------------------------------------------------------ all lines together

    def ratings(self) -> Ratings:
        columns = {name: np.frombuffer(codes, dtype=np.int32) for name, codes in self.codes.items()}
        columns["at"] = np.frombuffer(self.at, dtype=np.int32)
        self._say_joined()
        columns = self._without_points(columns)
        self._fold_all(columns)
        kept, doubled = self._once(columns)
        self._say_left_out()
        if doubled:
            self.notices.append(
                f"{_lines_named(doubled)} repeating a label left out: it counts once."
            )
        has_clusters = self.header.cluster is not None and len(columns["at"]) > 0
        if has_clusters:
            self._one_cluster_an_item(columns)
        if self.problems:
            raise UnreadableLabels(*self.problems[:SHOWN])
        columns = {name: codes[kept] for name, codes in columns.items()}
        self._say_alike(columns)
        return Ratings(
            columns["item"],
            columns["rater"],
            columns["label"],
            columns["cluster"] if has_clusters else None,
            len(self.texts["item"]),
            self.texts["rater"],
            self.texts["label"],
            self.notices,
            {label: len(lines) for label, lines in self.left_out.items()},
        )

    def _say_joined(self) -> None:
        for name, noun in NOUNS.items():
            if joined := self.names[name].joined():
                n = len(joined)
                what = f"{n:,} {noun} has" if n == 1 else f"{n:,} {noun}s have"
                self.notices.append(
                    f"{what} more than one spelling, which count as one: {named(joined)}. Blanks around a text, and "
                    "the two ways to write a letter with a mark (NFC and NFD), make no difference."
                )

    def _without_points(self, columns: dict[str, Codes]) -> dict[str, Codes]:
        """The columns without the ratings "." where all other labels are numbers."""
        texts = self.names["label"].codes
        if POINT not in texts or POINT in self.wishes.order or not self._are_numbers():
            return columns
        kept = columns["label"] != texts[POINT]
        self.left_out[POINT] = array("i", columns["at"][~kept].tolist())
        return {name: codes[kept] for name, codes in columns.items()}

    def _are_numbers(self) -> bool:
        """Whether all labels but those that may mean a missing one are numbers."""
        texts = [
            text
            for text in self.names["label"].codes
            if text in self.wishes.order or not spelling.is_placeholder(text)
        ]
        return bool(texts) and all(NUMBER.fullmatch(self._with_point(text)) for text in texts)

    def _with_point(self, label: str) -> str:
        """A decimal comma, which a file with another separator may have, as a point."""
        return label if self.header.separator == "," else label.replace(",", ".", 1)

    def _fold_all(self, columns: dict[str, Codes]) -> None:
        with_point = self._with_point if self._are_numbers() else str
        self._fold(columns, "label", (NUMBERS, CASE), with_point)
        self._fold(columns, "rater", (NAMES,))
        self._fold(columns, "item", (NAMES,))
        for label in self.names["label"].codes:
            if (read := with_point(label)) != label:
                self.notices.append(f"Decimal commas are read as points: {label} is {read}.")
                break

    def _fold(
        self,
        columns: dict[str, Codes],
        name: str,
        folds: Sequence[str],
        first: Callable[[str], str] = str,
    ) -> None:
        """Give the texts of a column that are in use, folded as wished, codes of their own."""
        texts = list(self.names[name].codes)
        used = np.bincount(columns[name], minlength=len(texts))
        counts = Counter({text: int(n) for text, n in zip(texts, used, strict=True) if n})
        target = {text: first(text) for text in counts}
        for fold in folds:
            if fold in self.wishes.fold:
                target = self._chosen(name, fold, counts, target)
        codes = {text: code for code, text in enumerate(dict.fromkeys(target.values()))}
        table = [codes[target[text]] if text in target else EMPTY for text in texts]
        columns[name] = np.array(table, dtype=np.int32)[columns[name]]
        self.texts[name] = list(codes)

    def _chosen(
        self, name: str, fold: str, counts: Counter[str], target: Mapping[str, str]
    ) -> dict[str, str]:
        now: Counter[str] = Counter()
        for text, n in counts.items():
            now[target[text]] += n
        order = self.wishes.order if name == "label" else ()
        one = spelling.one_of_each(now, spelling.KEYS[fold], order)
        joined = [f"'{text}' as '{to}'" for text, to in one.items() if text != to]
        if joined:
            more = f", and {len(joined) - SHOWN:,} more" if len(joined) > SHOWN else ""
            self.notices.append(f"Folded as wished: {', '.join(joined[:SHOWN])}{more}.")
        return {text: one[target[text]] for text in target}

    def _say_left_out(self) -> None:
        if not self.left_out:
            return
        n = sum(map(len, self.left_out.values()))
        each = [
            f"{len(lines):,} {label or 'empty'} ({_lines_listed(lines)})"
            for label, lines in self.left_out.items()
        ]
        self.notices.append(
            f"{n:,} rating{'' if n == 1 else 's'} left out, because the label is missing: {', '.join(each)}."
        )

    def _say_alike(self, columns: Mapping[str, Codes]) -> None:
        """Name what is counted apart and looks alike: labels, raters, and items that have one rating."""

        def counts(name: str) -> Counter[str]:
            texts = self.texts[name]
            times = np.bincount(columns[name], minlength=len(texts)).tolist()
            return Counter(dict(zip(texts, times, strict=True)))

        self.notices += spelling.sentences_on_labels(counts("label"), self.wishes)
        self.notices += spelling.sentences_on_alike(counts("rater"), "raters", self.wishes)
        times = counts("item")
        rater_of = dict(zip(columns["item"].tolist(), columns["rater"].tolist(), strict=True))
        single = {
            text: self.texts["rater"][rater_of[code]]
            for code, (text, n) in enumerate(times.items())
            if n == 1
        }
        none_has_two = len(single) == len(times)
        self.notices += spelling.sentences_on_items(single, none_has_two, self.wishes)

    def _once(self, columns: Mapping[str, Codes]) -> tuple[NDArray[np.int64], list[int]]:
        """The first line of each item and rater, in the file's order, and the lines that repeat one."""
        raters = max(len(self.texts["rater"]), 1)
        key = columns["item"].astype(np.int64) * raters + columns["rater"]
        order = np.argsort(key, kind="stable")
        same = np.zeros(len(key), dtype=bool)
        same[1:] = key[order][1:] == key[order][:-1]
        leader = order[np.maximum.accumulate(np.where(same, 0, np.arange(len(key))))]
        again = order[same]
        other = columns["label"][again] != columns["label"][leader[same]]
        for late, early in zip(again[other][:SHOWN], leader[same][other][:SHOWN], strict=True):
            self._say(self._twice(columns, int(early), int(late)))
        return np.sort(order[~same]), sorted(columns["at"][again].tolist())

    def _twice(self, columns: Mapping[str, Codes], early: int, late: int) -> str:
        def named(column: str, row: int) -> str:
            return self.texts[column][columns[column][row]]

        return (
            f"Lines {columns['at'][early]} and {columns['at'][late]}: rater {named('rater', late)} labels item "
            f"{named('item', late)} twice, as {named('label', early)} and as {named('label', late)}."
        )

    def _one_cluster_an_item(self, columns: Mapping[str, Codes]) -> None:
        items, clusters, at = columns["item"], columns["cluster"], columns["at"]
        first = np.full(len(self.texts["item"]), len(items))
        np.minimum.at(first, items, np.arange(len(items)))
        wrong = np.flatnonzero(clusters != clusters[first[items]])
        for row in wrong[:SHOWN]:
            item = items[row]
            self._say(
                f"Lines {at[int(first[item])]} and {at[int(row)]} put item {self.texts['item'][item]} into two "
                "clusters."
            )


def _lines_named(lines: Sequence[int]) -> str:
    return f"{len(lines)} line{'' if len(lines) == 1 else 's'} ({_listed(lines)})"


def _lines_listed(lines: Sequence[int]) -> str:
    return f"line{'' if len(lines) == 1 else 's'} {_listed(lines)}"


def _listed(lines: Sequence[int]) -> str:
    more = f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return ", ".join(map(str, lines[:SHOWN])) + more
