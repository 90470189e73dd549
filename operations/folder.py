"""Which files of DATA_DIR a backup contains: people's work, not what the program can make again."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

# Names at the top of DATA_DIR that backups leave out, and why.
LEFT_OUT = {
    "backups": "backups do not contain backups",
    "broker": "messages; the rows record which work is left",
    "secret_key": "anyone who reads a backup could sign in as anyone",
    "static": "made from the code",
    "scheduler": "when the scheduler last sent each task",
    "running.lock": "the process that runs now",
    "last_backup.json": "the last backup of this folder",
    "logs": "no data of the app",
    "heartbeats": "the processes that run now",
}
DATABASE = "db.sqlite3"


def is_left_out(name: str) -> bool:
    """Whether backups leave out this entry at the top of DATA_DIR: temporary, a lock, or in LEFT_OUT."""
    return (
        name in LEFT_OUT
        or name.startswith((".", "scheduler", DATABASE))
        or name.endswith((".lock", ".part", ".log", ".pid"))
    )


def kept_files(folder: Path | None = None) -> Iterator[Path]:
    """The files of DATA_DIR that a backup contains, in order. Links are not followed."""
    top = folder or Path(settings.DATA_DIR)
    for entry in sorted(top.iterdir()):
        if is_left_out(entry.name) or entry.is_symlink() or _is_the_database(entry):
            continue
        inside = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
        for path in inside:
            if path.is_file() and not path.is_symlink():
                yield path


def _is_the_database(path: Path) -> bool:
    """SQLite's file, which may have any name, and its -wal and -shm files."""
    used = settings.DATABASES["default"]
    if not used["ENGINE"].endswith("sqlite3"):
        return False
    return str(path).removesuffix("-wal").removesuffix("-shm") == str(used["NAME"])
