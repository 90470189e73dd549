"""Keeping an uploaded file until its fetch is done."""

import uuid
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from leases.refusal import Refusal


def folder_of_uploads() -> Path:
    return Path(settings.DATA_DIR) / "uploads"


def path_of_upload(noted: Path) -> Path:
    """Where an upload lies now: in DATA_DIR, which may have moved since it was noted."""
    return folder_of_uploads() / noted.name


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
