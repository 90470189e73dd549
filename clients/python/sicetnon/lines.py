"""Files of JSON Lines, read and written a line at a time."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from sicetnon.errors import LogRefused
from sicetnon.transport import Row, whole_file

LONGEST = 1 << 26  # bytes


def write_lines(rows: Iterable[Row], path: str | Path) -> Path:
    """Write a row a line. The file is there once it is whole."""
    with whole_file(Path(path)) as part, part.open("wb") as file:
        # Half of a surrogate pair has no UTF-8. As an escape of JSON the server reads it, and says where it is.
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        file.writelines(line.encode(errors="backslashreplace") for line in lines)
    return Path(path)


def read_lines(path: str | Path) -> Iterator[Row]:
    """Its rows. Raises LogRefused for a line that is no JSON object."""
    with Path(path).open("rb") as file:
        for line in iter(lambda: file.readline(LONGEST), b""):
            yield json_object(line, f"{path} has a line that")


def json_object(text: bytes, what: str) -> Row:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise LogRefused(f"{what} is no JSON object: it is cut off, or something else.")
    return row
