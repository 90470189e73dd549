"""Labels from elsewhere: a CSV of item, rater, label and perhaps cluster, read line by line. Pure.

Lines become whole numbers as they are read: a line keeps sixteen to twenty bytes, and each name is kept once.
"""

import csv
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]

NEEDED = ("item", "rater", "label")
CLUSTER = "cluster"
COLUMNS = (*NEEDED, CLUSTER)
# The cluster of every line in a file without that column; no cell is a blank.
NO_CLUSTER = " "
SEPARATORS = (",", ";", "\t")
MOST_LABELS = 50
LONGEST_LINE = 1 << 20
SHOWN = 10


class UnreadableLabels(ValueError):
    """A file that cannot be counted; `problems` are sentences that name the lines, at most SHOWN of them."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class Ratings:
    """The labels of a file, each once for an item and a rater, as places in the lists of names.

    `clusters` is None where the file has no such column. `notices` say what was left out.
    """

    items: Codes
    raters: Codes
    labels: Codes
    clusters: Codes | None
    item_count: int
    rater_names: list[str]
    label_names: list[str]
    notices: list[str]


def read_labels(stream: BinaryIO, *, most_rows: int | None = None) -> Ratings:
    """The labels of a UTF-8 file; raises UnreadableLabels with the lines at fault.

    A byte-order mark, blank lines and blanks around a cell are ignored; cells are separated by comma,
    semicolon or tab, whichever makes a header of the needed columns.
    """
    reading = _Reading(most_rows)
    try:
        reading.take(_lines(stream))
    except csv.Error as error:
        raise UnreadableLabels(f"Line {reading.line} cannot be read as CSV: {error}.") from None
    if reading.problems:
        raise UnreadableLabels(*reading.problems)
    return reading.ratings()


def _lines(stream: BinaryIO) -> Iterator[str]:
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), start=1):
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            raise UnreadableLabels(f"Line {number} is longer than a megabyte.")
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise UnreadableLabels(
                f"Line {number} is not UTF-8. Save the file as UTF-8 (CSV UTF-8 in a spreadsheet)."
            ) from None


class Reader(Protocol):
    """A csv.reader, which knows how many lines it has read."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class _Reading:
    """What has been read so far."""

    def __init__(self, most_rows: int | None) -> None:
        self.most_rows = most_rows
        self.line = 0
        self.problems: list[str] = []
        self.without_label = array("i")
        self.names: dict[str, dict[str, int]] = {name: {} for name in COLUMNS}
        self.codes = {name: array("i") for name in COLUMNS}
        self.at = array("i")

    def take(self, lines: Iterator[str]) -> None:
        header = next((line for line in lines if self._counted(line).strip()), None)
        if header is None:
            raise UnreadableLabels("The file is empty. Its first line names the columns.")
        separator, columns = _header(header)
        place = [columns.index(name) for name in NEEDED]
        cluster = columns.index(CLUSTER) if CLUSTER in columns else None
        rows = csv.reader(lines, delimiter=separator, strict=True)
        first = self.line
        try:
            self._take_rows(rows, len(columns), place, cluster)
        finally:
            self.line = first + rows.line_num

    def _take_rows(self, rows: Reader, width: int, place: list[int], cluster: int | None) -> None:
        """The one loop that a million lines go through: it does what is usual, `_odd` does the rest."""
        first = self.line
        items, raters, labels, clusters = (self.names[name] for name in COLUMNS)
        add = [self.codes[name].append for name in COLUMNS]
        add_item, add_rater, add_label, add_cluster = add
        at_item, at_rater, at_label = place
        most = self.most_rows or sys.maxsize
        for cells in rows:
            within = ""
            if len(cells) == width:
                item, rater = cells[at_item].strip(), cells[at_rater].strip()
                label = cells[at_label].strip()
                within = cells[cluster].strip() if cluster is not None else NO_CLUSTER
                if item and rater and label and within:
                    add_item(items.setdefault(item, len(items)))
                    add_rater(raters.setdefault(rater, len(raters)))
                    add_label(labels.setdefault(label, len(labels)))
                    add_cluster(clusters.setdefault(within, len(clusters)))
                    self.at.append(first + rows.line_num)
                    if len(labels) <= MOST_LABELS and len(self.at) <= most:
                        continue
            self.line = first + rows.line_num
            self._odd(cells, width, place, cluster)
            if len(self.problems) >= SHOWN:
                return

    def _counted(self, line: str) -> str:
        self.line += 1
        return line

    def _odd(self, cells: list[str], width: int, place: list[int], cluster: int | None) -> None:
        """A line that is not counted: blank, without a label, at fault, or one too many."""
        if not any(map(str.strip, cells)):
            return
        if len(cells) != width:
            self._say(f"Line {self.line} has {len(cells)} cells, the header has {width}.")
            return
        item, rater, label = (cells[i].strip() for i in place)
        if not (item and rater):
            self._say(f"Line {self.line} has no {'item' if not item else 'rater'}.")
        elif not label:
            self.without_label.append(self.line)
        elif cluster is not None and not cells[cluster].strip():
            self._say(f"Line {self.line} has no cluster.")
        else:
            self._too_many()

    def _too_many(self) -> None:
        if self.most_rows is not None and len(self.at) > self.most_rows:
            raise UnreadableLabels(
                f"The file has more than {self.most_rows:,} labels. Use manage.py agreement for it."
            )
        raise UnreadableLabels(
            f"The column label has more than {MOST_LABELS} different labels by line {self.line}. Is it the "
            "right column?"
        )

    def _say(self, problem: str) -> None:
        self.problems.append(problem)

    def ratings(self) -> Ratings:
        columns = {name: np.frombuffer(codes, dtype=np.int32) for name, codes in self.codes.items()}
        notices = []
        if self.without_label:
            notices.append(f"{_lines_named(self.without_label)} without a label left out.")
        kept, doubled = self._once(columns)
        if doubled:
            notices.append(f"{_lines_named(doubled)} repeating a label left out: it counts once.")
        has_clusters = bool(set(self.names[CLUSTER]) - {NO_CLUSTER})
        if has_clusters:
            self._one_cluster_an_item(columns)
        if self.problems:
            raise UnreadableLabels(*self.problems[:SHOWN])
        raters, labels = (list(self.names[name]) for name in ("rater", "label"))
        return Ratings(
            columns["item"][kept],
            columns["rater"][kept],
            columns["label"][kept],
            columns[CLUSTER][kept] if has_clusters else None,
            len(self.names["item"]),
            raters,
            labels,
            notices,
        )

    def _once(self, columns: dict[str, Codes]) -> tuple[NDArray[np.int64], list[int]]:
        """The first line of each item and rater, in the file's order, and the lines that repeat one."""
        raters = max(len(self.names["rater"]), 1)
        key = columns["item"].astype(np.int64) * raters + columns["rater"]
        order = np.argsort(key, kind="stable")
        same = np.zeros(len(key), dtype=bool)
        same[1:] = key[order][1:] == key[order][:-1]
        leader = order[np.maximum.accumulate(np.where(same, 0, np.arange(len(key))))]
        again = order[same]
        other = columns["label"][again] != columns["label"][leader[same]]
        for late, early in zip(again[other][:SHOWN], leader[same][other][:SHOWN], strict=True):
            self._say(self._twice(columns, int(early), int(late)))
        lines = np.frombuffer(self.at, dtype=np.int32)
        return np.sort(order[~same]), sorted(lines[again].tolist())

    def _twice(self, columns: dict[str, Codes], early: int, late: int) -> str:
        def named(column: str, row: int) -> str:
            return list(self.names[column])[columns[column][row]]

        return (
            f"Lines {self.at[early]} and {self.at[late]}: rater {named('rater', late)} labels item "
            f"{named('item', late)} twice, as {named('label', early)} and as {named('label', late)}."
        )

    def _one_cluster_an_item(self, columns: dict[str, Codes]) -> None:
        items, clusters = columns["item"], columns[CLUSTER]
        _, first = np.unique(items, return_index=True)
        wrong = np.flatnonzero(clusters != clusters[first][items])
        names = list(self.names["item"])
        for row in wrong[:SHOWN]:
            item = items[row]
            self._say(
                f"Lines {self.at[int(first[item])]} and {self.at[int(row)]} put item {names[item]} into two clusters."
            )


def _header(line: str) -> tuple[str, list[str]]:
    """The separator, and the columns' names; raises UnreadableLabels where one is missing or occurs twice."""
    candidates = []
    for separator in SEPARATORS:
        names = [name.strip().casefold() for name in next(csv.reader([line], delimiter=separator))]
        candidates.append((sum(name in names for name in NEEDED), separator, names))
    count, separator, columns = max(candidates, key=lambda candidate: candidate[0])
    if count < len(NEEDED):
        missing = [name for name in NEEDED if name not in columns]
        raise UnreadableLabels(
            f"The first line has no column {' and no column '.join(missing)}. It names the columns item, "
            "rater, label and perhaps cluster, separated by comma, semicolon or tab."
        )
    for name in COLUMNS:
        if columns.count(name) > 1:
            raise UnreadableLabels(f"The first line names the column {name} twice.")
    return separator, columns


def _lines_named(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:SHOWN]))
    more = f" and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return f"{len(lines)} line{'' if len(lines) == 1 else 's'} ({shown}{more})"
