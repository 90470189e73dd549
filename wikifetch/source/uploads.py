"""Keeping an uploaded file until its fetch is done."""

import uuid
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from leases.refusal import Refusal
from wikifetch.source.dump import DumpError


def folder_of_uploads() -> Path:
    return Path(settings.DATA_DIR) / "uploads"


def path_of_upload(noted: Path) -> Path:
    """Where an upload lies now: in DATA_DIR, which may have moved since it was noted.

    Only its name is taken from the row, which may come from a forged backup, and the file is removed after the fetch.
    Raises DumpError for what is no file of that folder itself, such as a link.
    """
    path = folder_of_uploads() / noted.name
    if path.is_symlink() or path.resolve().parent != folder_of_uploads().resolve():
        raise DumpError(f"{noted.name} is no uploaded file.")
    return path


def keep_upload(file: UploadedFile) -> Path:
    """Write the file under a name of our own in DATA_DIR/uploads. Raises Refusal when there is no room."""
    folder = folder_of_uploads()
    path = folder / f"{uuid.uuid4().hex}.export"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as kept:
            for chunk in file.chunks():
                kept.write(chunk)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise Refusal(
            f"The file could not be kept: {error.strerror}. Nothing was fetched; make room and try again.",
            status=507,
            retry=True,
        ) from error
    return path
