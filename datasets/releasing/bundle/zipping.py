"""A zip with the same bytes each time: nothing is compressed, and no entry has a time or an owner of its own. Pure.

Compressed bytes differ from one version of zlib to the next.
"""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

NO_TIME = (1980, 1, 1, 0, 0, 0)
SUMS = "SHA256SUMS"


class Zip:
    """Files in the order in which they are added; `sums` are their hashes by path."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.sums: dict[str, str] = {}

    def add(self, path: str, chunks: Iterable[bytes]) -> tuple[int, str]:
        """(bytes, sha256) of the file."""
        digest, size = hashlib.sha256(), 0
        # A file may be larger than 2 GiB, which is known only when it is written.
        with self._archive.open(_entry(path), "w", force_zip64=True) as written:
            for data in chunks:
                written.write(data)
                digest.update(data)
                size += len(data)
        self.sums[path] = digest.hexdigest()
        return size, digest.hexdigest()


@contextmanager
def zip_into(file: IO[bytes]) -> Iterator[Zip]:
    """A zip that is written to the file; its last entry has the hashes of the others."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        zipped = Zip(archive)
        yield zipped
        lines = [f"{digest}  {path}\n" for path, digest in sorted(zipped.sums.items())]
        zipped.add(SUMS, ["".join(lines).encode("utf-8")])


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, NO_TIME)
    entry.create_system = 3  # Unix, on every system
    entry.external_attr = 0o100644 << 16
    return entry
