"""The files of DATA_DIR that a backup contains: people's work, not what the program can make again."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from operations.names import KEPT, is_left_out


def kept_files() -> Iterator[Path]:
    """The files of DATA_DIR that a backup contains, in order. Links are not followed."""
    for name in sorted(KEPT):
        folder = Path(settings.DATA_DIR) / name
        if folder.is_symlink():
            continue
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path


def unknown_entries() -> list[str]:
    """Names at the top of DATA_DIR with files that are not of this program, links included: in no backup."""
    return [
        entry.name
        for entry in sorted(Path(settings.DATA_DIR).iterdir())
        if _is_unknown(entry) and any(path.is_file() for path in (entry, *entry.rglob("*")))
    ]


def _is_unknown(entry: Path) -> bool:
    if entry.name in KEPT:
        return entry.is_symlink()
    return not is_left_out(entry.name) and not _is_the_database(entry)


def _is_the_database(path: Path) -> bool:
    """SQLite's file, which may have any name, and its -wal and -shm files."""
    used = settings.DATABASES["default"]
    if not used["ENGINE"].endswith("sqlite3"):
        return False
    return str(path).removesuffix("-wal").removesuffix("-shm") == str(used["NAME"])
