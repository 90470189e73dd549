"""What in DATA_DIR is somebody's work, and so is backed up, and what the program makes anew."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

# By name at the top of DATA_DIR: what no backup holds, and why.
LEFT_OUT = {
    "backups": "backups do not hold backups",
    "broker": "messages; the rows know what is left to do",
    "secret_key": "a copy of it would let whoever reads a backup sign in as anybody",
    "static": "made from the code",
    "scheduler": "the scheduler's memory of when it last did what",
    "running.lock": "who holds this folder",
    "last_backup.json": "about this folder's backups",
    "logs": "what happened is not what there is",
    "heartbeats": "what runs now",
}
DATABASE = "db.sqlite3"


def is_left_out(name: str) -> bool:
    """Whether an entry at the top of DATA_DIR is none of a backup's: temporary, a lock, or named above."""
    return (
        name in LEFT_OUT
        or name.startswith((".", "scheduler", DATABASE))
        or name.endswith((".lock", ".part", ".log", ".pid"))
    )


def kept_files(folder: Path | None = None) -> Iterator[Path]:
    """The files of DATA_DIR that a backup holds, in order. Links are not followed."""
    top = folder or Path(settings.DATA_DIR)
    for entry in sorted(top.iterdir()):
        if is_left_out(entry.name) or entry.is_symlink() or _is_the_database(entry):
            continue
        inside = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
        for path in inside:
            if path.is_file() and not path.is_symlink():
                yield path


def _is_the_database(path: Path) -> bool:
    """SQLite's file, where it has another name than usual, and what it keeps beside."""
    used = settings.DATABASES["default"]
    if not used["ENGINE"].endswith("sqlite3"):
        return False
    return str(path).removesuffix("-wal").removesuffix("-shm") == str(used["NAME"])
