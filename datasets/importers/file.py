"""The file that a command imports."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datasets.importers.json_text import MAX_BYTES, Unreadable
from leases.refusal import Refusal


@contextmanager
def contents_of(path: Path) -> Iterator[bytes]:
    """The bytes of a file, while it is imported. Raises Refusal with its name and all problems."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror or error}.") from None
    try:
        yield data
    except Unreadable as refused:
        raise Refusal("\n  ".join([f"{path}: {refused}", *refused.problems])) from None
