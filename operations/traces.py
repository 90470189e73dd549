"""What is left of a row after it was changed: the database's log and statistics, and earlier backups."""

import time
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from django.db import connection

from accounts.models import Person
from leases.planner import learn_sizes
from operations.backups import SUFFIX, default_folder, last_record
from operations.bundle import BadBundle, Bundle

WAIT = 5.0  # seconds for others to finish reading
PAUSE = 0.05


def erase() -> bool:
    """Clear what the database keeps of earlier rows next to its tables; False where others kept its log from that.

    SQLite writes zeros over what is deleted (settings.py), but its log holds the pages as they were. Call it outside
    of a transaction. What PostgreSQL keeps is in docs/operators/people.md.
    """
    if connection.in_atomic_block:
        return False
    learn_sizes("accounts")  # the statistics hold values of columns
    return connection.vendor != "sqlite" or _empty_log()


def _empty_log() -> bool:
    until = time.monotonic() + WAIT
    while True:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            is_busy = cursor.fetchone()[0]
        if not is_busy or time.monotonic() > until:
            return not is_busy
        time.sleep(PAUSE)


def backups_that_name(person: Person) -> list[Path]:
    """The backups, in the folders that are known, from before the person was forgotten, or that cannot be read."""
    return [path for path in _known_backups() if _names(path, person)]


def _known_backups() -> list[Path]:
    folders = {default_folder(), Path(last_record().get("file", default_folder() / "none")).parent}
    return sorted({path.resolve() for folder in folders for path in folder.glob(f"*{SUFFIX}")})


def backups_with_files(hashes: Collection[str]) -> list[str]:
    """The backups, in the folders that are known, with a file of one of these hashes, or that cannot be read."""
    return [str(path) for path in _known_backups() if _holds(path, hashes)]


def _holds(path: Path, hashes: Collection[str]) -> bool:
    try:
        with closing(Bundle(path)) as bundle:
            return any(part.sha256 in hashes for part in bundle.files)
    except BadBundle:
        return True


def _names(path: Path, person: Person) -> bool:
    try:
        bundle = Bundle(path)
    except BadBundle:
        return True
    try:
        people = next(part for part in bundle.tables if part.table == "accounts.person")
        rows = (dict(zip(people.columns, row, strict=True)) for row in bundle.rows(people))
        return any(row["id"] == person.pk and not row["forgotten_at"] for row in rows)
    except (BadBundle, LookupError, StopIteration):
        return True
    finally:
        bundle.close()
