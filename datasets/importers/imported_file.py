"""The file that a command imports."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from datasets.readers.json_text import MAX_BYTES, Unreadable
from leases.refusal import Refusal


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file, while it is imported. Raises Refusal with its name and all problems."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise _unread(path, error) from None
    with file:
        try:
            yield file
        except Unreadable as refused:
            raise Refusal("\n  ".join([f"{path}: {refused}", *refused.problems])) from None


@contextmanager
def contents_of(path: Path) -> Iterator[bytes]:
    """Its bytes, in the same way."""
    with opened(path) as file:
        try:
            data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise _unread(path, error) from None
        yield data


def _unread(path: Path, error: OSError) -> Refusal:
    return Refusal(f"{path} cannot be read: {error.strerror or error}.")
