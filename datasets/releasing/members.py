"""The files in a stored bundle, each by itself: nothing in it is compressed, so a part of it is the file."""

import hashlib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from datasets.models import ReleaseFile
from datasets.releasing.bundle.zipping import SUMS
from datasets.releasing.stored_files import opened

TYPES = {
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "cff": "application/yaml",
}


@dataclass(frozen=True)
class Member:
    """A file in a bundle; `sha256` in hex."""

    path: str
    bytes: int
    sha256: str

    @property
    def content_type(self) -> str:
        return TYPES.get(self.path.rpartition(".")[2], "text/plain; charset=utf-8")


@contextmanager
def _zip_of(bundle: ReleaseFile) -> Iterator[zipfile.ZipFile]:
    # A member that was opened keeps the file open when the zip is closed.
    with opened(bundle) as file, zipfile.ZipFile(file.name) as found:
        yield found


def members(bundle: ReleaseFile) -> list[Member]:
    """In the order in which they lie in it. Raises FileDamaged."""
    with _zip_of(bundle) as found:
        text = found.read(SUMS)
        sums = {
            path: digest
            for digest, _, path in (line.partition("  ") for line in text.decode().splitlines())
        }
        sums[SUMS] = hashlib.sha256(text).hexdigest()
        return [
            Member(entry.filename, entry.file_size, sums[entry.filename])
            for entry in found.infolist()
        ]


def open_member(bundle: ReleaseFile, path: str) -> IO[bytes]:
    """Raises FileDamaged; KeyError for what is not in it."""
    with _zip_of(bundle) as found:
        return found.open(path)
