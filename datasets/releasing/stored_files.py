"""Files of releases in the data folder, each under the sha256 of its bytes, written once.

Equal bytes are one file. A file appears whole or not at all; one that no release names is left over from a freeze that
was stopped, and `remove_unnamed` takes it away.
"""

import hashlib
import os
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

from django.conf import settings

from datasets.exporters.export_files import ExportFailed
from datasets.models import ReleaseFile
from datasets.releasing.withholding import why_withheld
from leases.refusal import Refusal

# Seconds.
_LONGEST_FREEZE = 24 * 3600
# The files that this process has read and found right, by hash, as they were then.
_READ: dict[str, tuple[int, int, int, int]] = {}


@dataclass(frozen=True)
class StoredFile:
    sha256: str
    bytes: int


class FileDamaged(Refusal):
    """A stored file is gone, cut off or changed."""

    status = 500


def folder() -> Path:
    # Below `files`, which backups hold.
    return Path(settings.DATA_DIR) / "files" / "releases"


def path_of(sha256: str) -> Path:
    return folder() / sha256[:2] / sha256


def store(chunks: Iterable[bytes]) -> StoredFile:
    """Write the bytes; they are on the disk when it returns. Raises ExportFailed, and then nothing is left."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=folder(), prefix=".", suffix=".part", delete=False
        ) as file:
            try:
                return _stored(chunks, file)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise ExportFailed(
            f"The files of the release could not be written: {error.strerror or error}. Nothing was released. Make "
            "room in the data folder, and freeze again.",
            status=507,
            retry=True,
        ) from None


def _stored(chunks: Iterable[bytes], file: IO[bytes]) -> StoredFile:
    digest, size = hashlib.sha256(), 0
    for data in chunks:
        file.write(data)
        digest.update(data)
        size += len(data)
    file.flush()
    os.fsync(file.fileno())
    path = path_of(digest.hexdigest())
    path.parent.mkdir(exist_ok=True)
    os.replace(file.name, path)
    for changed in (path.parent, folder()):
        _sync(changed)
    return StoredFile(digest.hexdigest(), size)


def _sync(changed: Path) -> None:
    handle = os.open(changed, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class FileWithheld(Refusal):
    """The file is given out no more."""

    status = 410


def opened(file: ReleaseFile) -> BufferedReader:
    """The stored file, whose bytes are those that were released.

    Raises FileDamaged where it is gone, cut off or changed; FileWithheld where its release is withheld.
    """
    if file.release_id and (reason := why_withheld(file.release)):
        raise FileWithheld(reason)
    path = path_of(file.sha256)
    if not path.is_file() or path.stat().st_size != file.bytes:
        raise FileDamaged(_damaged(file))
    if _READ.get(file.sha256) != (state := _state(path)):
        check(file)
        _READ[file.sha256] = state
    return path.open("rb")


def _state(path: Path) -> tuple[int, int, int, int]:
    """What changes when somebody writes into the file, whatever date they give it."""
    now = path.stat()
    return now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def check(file: ReleaseFile) -> None:
    """Read the stored file. Raises FileDamaged where its bytes are not those that were released."""
    path = path_of(file.sha256)
    try:
        with path.open("rb") as stored:
            digest = hashlib.file_digest(stored, "sha256")
    except OSError:
        raise FileDamaged(_damaged(file)) from None
    if digest.hexdigest() != file.sha256:
        raise FileDamaged(_damaged(file))


def _damaged(file: ReleaseFile) -> str:
    return (
        f"The stored file {file.name} is missing or damaged. Tell the operator: manage.py verify_release says which "
        "files are, and a backup has them."
    )


def remove_unnamed() -> int:
    """Remove the files that no release names and that are older than a freeze can take; returns how many."""
    named = set(ReleaseFile.objects.values_list("sha256", flat=True))
    before = time.time() - _LONGEST_FREEZE
    left = [path for path in folder().glob("**/*") if path.is_file() and path.name not in named]
    old = [path for path in left if path.stat().st_mtime < before]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)
