"""A CSV file of a judge model's replies made elsewhere, read into rows. Pure.

A row names its response in one of three ways and has the whole reply, or its last line. machine/prompt.py reads the
verdict in it.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from datasets.readers.csv_table import CsvTable, check_once
from datasets.readers.json_text import MAX_BYTES, SHOWN, Unreadable, refuse, too_large

REPLY = "reply"
# The columns that name a response; the first set that the header has is used. A study's rows.csv has them all.
WAYS: tuple[tuple[str, ...], ...] = (
    ("response_id",),
    ("item",),
    ("contradiction", "question_number", "prompt", "model"),
)
SAMPLE = "sample"


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
    if len(data) > MAX_BYTES:
        raise too_large()
    table = CsvTable(io.BytesIO(data))
    header = [name.strip() for name in table.columns]
    check_once(header)
    way = _way(header)
    place = {name: header.index(name) for name in (*way, REPLY)}
    rows: list[Prediction] = []
    problems: list[str] = []
    for line, cells, problem in table.rows():
        if len(problems) == SHOWN:
            raise Unreadable(
                f"The file cannot be read: {SHOWN} lines before line {line} have problems, and the others were not "
                "looked at. Nothing was imported.",
                details=problems,
            )
        if problem:
            problems.append(f"line {line}: {problem}")
            continue
        key = tuple(cells[place[name]].strip() for name in way)
        if empty := [name for name, value in zip(way, key, strict=True) if not value]:
            problems.append(f"line {line}: {', '.join(empty)} is empty")
        rows.append(Prediction(line, key, cells[place[REPLY]]))
    refuse([*problems, *_twice(rows)])
    return Predictions(way, tuple(rows))


def _way(header: Sequence[str]) -> tuple[str, ...]:
    for way in WAYS:
        if set(way) <= set(header) and REPLY in header:
            return (*way, SAMPLE) if len(way) > 1 and SAMPLE in header else way
    raise Unreadable(
        f"The header lacks columns. It needs {REPLY}, and one of: "
        + "; ".join(" and ".join(way) for way in WAYS)
        + "."
    )


def _twice(rows: Sequence[Prediction]) -> Iterator[str]:
    first: dict[tuple[str, ...], int] = {}
    for row in rows:
        earlier = first.setdefault(row.key, row.line)
        if earlier != row.line:
            yield f"line {row.line}: is about the same response as line {earlier}"
