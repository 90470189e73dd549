"""A CSV file of a judge model's replies made elsewhere, read into rows. Pure.

A row names its response in one of three ways and has the whole reply, or its last line. machine/prompt.py reads the
verdict in it.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.importers.json_text import SHOWN, Unreadable, refuse, text_of

REPLY = "reply"
# The columns that name a response; the first set that the header has is used. A study's rows.csv has them all.
WAYS: tuple[tuple[str, ...], ...] = (
    ("response_id",),
    ("item",),
    ("contradiction", "question_number", "prompt", "model"),
)
SAMPLE = "sample"
LONGEST_REPLY = 200_000


@dataclass(frozen=True)
class Prediction:
    """One line: its number in the file (from 1, the header counted), the key of its response, the reply."""

    line: int
    key: tuple[str, ...]
    reply: str


@dataclass(frozen=True)
class Predictions:
    """A file's lines, and the columns by which they name their responses."""

    way: tuple[str, ...]
    rows: tuple[Prediction, ...]


def predictions_in(data: bytes) -> Predictions:
    """The file's lines; raises Unreadable with the problem of every line. Nothing is stripped from a reply."""
    lines = _lines(data)
    header = [name.strip() for name in next(lines, (0, []))[1]]
    way = _way(header)
    place = {name: header.index(name) for name in (*way, REPLY)}
    rows: list[Prediction] = []
    problems: list[str] = []
    for number, cells in lines:
        if len(problems) == SHOWN:
            raise Unreadable(
                f"The file cannot be read: {SHOWN} lines before line {number} have problems, and the others were not "
                "looked at. Nothing was imported.",
                details=problems,
            )
        if len(cells) != len(header):
            problems.append(f"line {number}: has {len(cells)} cells, the header has {len(header)}")
            continue
        key = tuple(cells[place[name]].strip() for name in way)
        if problem := _problem(way, key, cells[place[REPLY]]):
            problems.append(f"line {number}: {problem}")
        rows.append(Prediction(number, key, cells[place[REPLY]]))
    refuse([*problems, *_twice(rows)])
    if not rows:
        raise Unreadable("The file has a header and no other line.")
    return Predictions(way, tuple(rows))


def _lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of every row that is not empty."""
    reader = csv.reader(io.StringIO(text_of(data), newline=""), strict=True)
    start = 1
    try:
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise Unreadable(f"The file is not CSV: {error} (line {reader.line_num}).") from None


def _way(header: Sequence[str]) -> tuple[str, ...]:
    if twice := sorted({name for name in header if header.count(name) > 1}):
        raise Unreadable(f"The header names {', '.join(twice)} twice.")
    for way in WAYS:
        if set(way) <= set(header) and REPLY in header:
            return (*way, SAMPLE) if len(way) > 1 and SAMPLE in header else way
    raise Unreadable(
        f"The header lacks columns. It needs {REPLY}, and one of: "
        + "; ".join(" and ".join(way) for way in WAYS)
        + "."
    )


def _problem(way: Sequence[str], key: Sequence[str], reply: str) -> str:
    if empty := [name for name, value in zip(way, key, strict=True) if not value]:
        return f"{', '.join(empty)} is empty"
    if "\x00" in reply:
        return "the reply contains a NUL character"
    if len(reply) > LONGEST_REPLY:
        return f"the reply is longer than {LONGEST_REPLY} characters"
    return ""


def _twice(rows: Sequence[Prediction]) -> Iterator[str]:
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        earlier = first.setdefault(row.key, row.line)
        if earlier != row.line:
            yield f"line {row.line}: is about the same response as line {earlier}"
