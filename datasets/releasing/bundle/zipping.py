"""A zip with the same bytes each time: nothing is compressed, and no entry has a time or an owner of its own. Pure.

Compressed bytes differ from one version of zlib to the next.
"""

import hashlib
import zipfile
from collections.abc import Iterable
from typing import IO

NO_TIME = (1980, 1, 1, 0, 0, 0)
SUMS = "SHA256SUMS"


class Zip:
    """Files in the order in which they are added; `sums` are their hashes by path."""

    def __init__(self, file: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        self.sums: dict[str, str] = {}

    def add(self, path: str, chunks: Iterable[bytes]) -> tuple[int, str]:
        """(bytes, sha256) of the file."""
        digest, size = hashlib.sha256(), 0
        # A file may be larger than 2 GiB, which is known only when it is written.
        with self._zip.open(_entry(path), "w", force_zip64=True) as written:
            for data in chunks:
                written.write(data)
                digest.update(data)
                size += len(data)
        self.sums[path] = digest.hexdigest()
        return size, digest.hexdigest()

    def finish(self) -> None:
        """Add the hashes of all files, and the directory of the zip."""
        lines = [f"{digest}  {path}\n" for path, digest in sorted(self.sums.items())]
        self.add(SUMS, ["".join(lines).encode("utf-8")])
        self._zip.close()


def _entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, NO_TIME)
    entry.create_system = 3  # Unix, on every system
    entry.external_attr = 0o100644 << 16
    return entry
