"""What a restore puts into DATA_DIR, and how it is taken away again where the restore fails."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import connections

from leases.refusal import Refusal
from operations.bundle import Bundle
from operations.databases import DEFAULT


class Unpacked:
    """The backup's files in a temporary folder, moved to their places after the rows.

    If the restore fails before `settle` is called, they are removed, and SQLite's file too where there was none before.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle
        self.temporary = Path(settings.DATA_DIR) / ".restoring"
        self.made: list[Path] = []
        existing = [path for path in database_files() if path.exists()]
        self.new_database = [] if existing else database_files()

    def __enter__(self) -> "Unpacked":
        shutil.rmtree(self.temporary, ignore_errors=True)  # of a restore that was killed
        return self

    def unpack(self) -> None:
        """Raises Refusal where there is no room, before a byte is written."""
        needed = sum(part.bytes for part in self.bundle.files)
        free = shutil.disk_usage(settings.DATA_DIR).free
        if needed > free:
            raise Refusal(
                f"Nothing was restored: the files take {needed} bytes, and {settings.DATA_DIR} has {free} free. Make "
                "room and begin again.",
                status=507,
            )
        for part in self.bundle.files:
            path = self.temporary / part.name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with path.open("wb") as file:
                for piece in self.bundle.pieces(part):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())

    def put(self) -> None:
        """Move the files to their places. A folder of DATA_DIR may be a separate volume, which may be full."""
        for part in self.bundle.files:
            place = Path(settings.DATA_DIR) / part.name.removeprefix("files/")
            self._make_folder(place.parent)
            self.made.append(place)
            shutil.move(self.temporary / part.name, place)

    def _make_folder(self, folder: Path) -> None:
        if not folder.exists():
            self._make_folder(folder.parent)
            folder.mkdir(mode=0o700)
            self.made.append(folder)

    def settle(self) -> bool:
        """After the rows are committed: keep all, whatever fails later, where the rows cannot be taken back."""
        if not self.new_database:
            self.made = []
        return not self.new_database

    def __exit__(self, kind: type[BaseException] | None, *problem: object) -> None:
        shutil.rmtree(self.temporary, ignore_errors=True)
        if kind is None:
            return
        for path in reversed(self.made):
            with suppress(OSError):  # somebody else has put something there
                path.rmdir() if path.is_dir() else path.unlink()
        if self.new_database:
            connections[DEFAULT].close()
            for path in self.new_database:
                path.unlink(missing_ok=True)


def database_files() -> list[Path]:
    """SQLite's file, and what it keeps next to it; [] on another database."""
    used = connections[DEFAULT]
    if used.vendor != "sqlite":
        return []
    return [Path(f"{used.settings_dict['NAME']}{end}") for end in ("", "-wal", "-shm", "-journal")]
