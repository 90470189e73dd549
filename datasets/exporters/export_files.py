"""Write export files; a file gets its final name only when it is complete."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

from datasets.exporters import Exporter
from datasets.streaming import StreamedRow
from leases.refusal import Refusal

PIECE = 1024 * 1024


class ExportFailed(Refusal):
    """The file could not be written; trying again helps once there is room."""


def write_chunks(chunks: Iterable[str], path: Path) -> tuple[int, str]:
    """Write the text as UTF-8 to `path`, replacing an existing file; returns (bytes, sha256).

    Raises ExportFailed; then `path` is unchanged.
    """
    try:
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name[:80]}.", delete=False
        ) as file:
            return _write_and_rename(chunks, file, path)
    except OSError as error:
        raise ExportFailed(
            f"{path} could not be written: {error.strerror or error}. Nothing was left under that name."
        ) from None


def spooled(exporter: Exporter, rows: Iterable[StreamedRow]) -> IO[bytes]:
    """The export as an open temporary file, as `spooled_by` gives it."""

    def write(file: IO[bytes]) -> None:
        for _ in _written(exporter.chunks(rows), file):
            pass

    return spooled_by(write)


def spooled_by(write: Callable[[IO[bytes]], None]) -> IO[bytes]:
    """What `write` writes as an open temporary file at its start: a failure shows before the first byte is sent."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 the response closes it
    try:
        write(file)
        file.seek(0)
    except OSError as error:
        file.close()
        raise ExportFailed(
            f"The export could not be written: {error.strerror or error}. Tell the operator.",
            status=507,
            retry=True,
        ) from None
    return file


def sha256_of(file: IO[bytes]) -> str:
    """Of an open file, which is at its start again afterwards."""
    digest = hashlib.sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    file.seek(0)
    return digest.hexdigest()


def _write_and_rename(chunks: Iterable[str], file: IO[bytes], path: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    try:
        for data in _written(chunks, file):
            digest.update(data)
            size += len(data)
        file.flush()
        os.fsync(file.fileno())
        os.chmod(file.name, 0o666 & ~_umask())
        os.replace(file.name, path)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise
    return size, digest.hexdigest()


def _written(chunks: Iterable[str], file: IO[bytes]) -> Iterator[bytes]:
    for text in chunks:
        data = text.encode("utf-8")
        file.write(data)
        yield data


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
