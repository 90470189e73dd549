"""The lines of a file of labels: their ends, the line that names the separator, and the header. Pure."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

NEEDED = ("item", "rater", "label")
CLUSTER = "cluster"
COLUMNS = (*NEEDED, CLUSTER)
SEPARATORS = (",", ";", "\t")
# What a wide file calls its items; a table saved with its row names has no word there.
ITEM_NAMES = ("item", "item_id", "id", "unit", "")
SEPARATOR_LINE = re.compile(r'"?sep=([^\w"\s]|\t)"?')
LONGEST_LINE = 1 << 20
SHOWN = 10


class UnreadableLabels(ValueError):
    """A file that cannot be counted; `problems` are sentences that name the lines, at most SHOWN of them."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


def lines_of(stream: BinaryIO) -> Iterator[str]:
    """The lines of a UTF-8 file, whose ends are \\n, \\r\\n or \\r; raises UnreadableLabels."""
    for number, raw in enumerate(_raw_lines(stream), start=1):
        if len(raw) >= LONGEST_LINE and not raw.endswith(b"\n"):
            raise UnreadableLabels(f"Line {number} is longer than a megabyte.")
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise UnreadableLabels(
                f"Line {number} is not UTF-8. Save the file as UTF-8 (CSV UTF-8 in a spreadsheet)."
            ) from None


def _raw_lines(stream: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while raw := stream.readline(LONGEST_LINE):
        raw = rest + raw
        rest = b""
        if b"\r" not in raw or (raw.find(b"\r") == len(raw) - 2 and raw.endswith(b"\r\n")):
            yield raw
            continue
        if not raw.endswith(
            b"\n"
        ):  # Perhaps not the whole line; its last \r may be half of an end.
            cut = raw.rfind(b"\r", 0, -1) + 1
            raw, rest = raw[:cut], raw[cut:]
        yield from raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").splitlines(keepends=True)
        if len(rest) >= LONGEST_LINE:
            break
    if rest:
        yield rest


@dataclass(frozen=True)
class Header:
    """How to read the lines below the header: the separator, how many cells, and the places of the columns.

    `raters` holds a wide file's columns with their raters' names; it is empty for a line a label, and `rater` and
    `label` have no meaning in a wide file. `unnamed` counts columns without a name.
    """

    separator: str
    width: int
    item: int
    rater: int
    label: int
    cluster: int | None
    raters: tuple[tuple[int, str], ...] = ()
    unnamed: int = 0


def separator_named(line: str) -> str | None:
    """The separator that a line such as sep=; names."""
    found = SEPARATOR_LINE.fullmatch(line.rstrip("\r\n"))
    return found and found[1]


def header_of(line: str, separator: str | None = None) -> Header:
    """The header that this line is; raises UnreadableLabels where a column is missing or occurs twice."""
    ways = [
        (each, [name.strip() for name in next(csv.reader([line], delimiter=each))])
        for each in ([separator] if separator else SEPARATORS)
    ]
    chosen, names = max(ways, key=lambda way: sum(name in _lower(way[1]) for name in NEEDED))
    columns = _lower(names)
    if all(name in columns for name in NEEDED):
        _once(columns, COLUMNS)
        cluster = columns.index(CLUSTER) if CLUSTER in columns else None
        item, rater, label = map(columns.index, NEEDED)
        return Header(chosen, len(columns), item, rater, label, cluster)
    for chosen, names in sorted(ways, key=lambda way: -len(way[1])):
        if wide := _wide(chosen, names):
            return wide
    missing = [name for name in NEEDED if name not in columns]
    raise UnreadableLabels(
        f"The first line has no column {' and no column '.join(missing)}. It names the columns item, "
        "rater, label and perhaps cluster, separated by comma, semicolon or tab. A wide file names item and a column "
        "for each rater, two or more."
    )


def _lower(names: Sequence[str]) -> list[str]:
    return [name.casefold() for name in names]


def _once(names: Sequence[str], wanted: Sequence[str]) -> None:
    for name in wanted:
        if names.count(name) > 1:
            raise UnreadableLabels(f"The first line names the column {name} twice.")


def _wide(separator: str, names: Sequence[str]) -> Header | None:
    """A header with a column for each rater, or None."""
    columns = _lower(names)
    item = next((columns.index(name) for name in ITEM_NAMES[:-1] if name in columns), None)
    if item is None and not names[0]:
        item = 0
    if item is None or "rater" in columns or "label" in columns:
        return None
    cluster = columns.index(CLUSTER) if CLUSTER in columns else None
    others = [(place, name) for place, name in enumerate(names) if place not in (item, cluster)]
    raters = tuple((place, name) for place, name in others if name)
    if len(raters) < 2:
        return None
    _once(columns, [columns[item], CLUSTER])
    _once(names, [name for _, name in raters])
    return Header(
        separator, len(names), item, -1, -1, cluster, raters, unnamed=len(others) - len(raters)
    )
