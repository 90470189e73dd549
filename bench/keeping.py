"""Time and memory of a backup and a restore, compared with SQLite's own copy of its file (VACUUM INTO).

Of a run of 50,000 responses with texts of 100 words, on SQLite, each in a process of its own.
"""

import argparse
import os
import shutil
import tempfile
from functools import partial
from pathlib import Path

from bench import world
from bench.machine import apart, arguments, measured, on_each, print_next_to


def main() -> None:
    on_each(measure, arguments("keeping", __doc__, responses=50_000), postgresql=False)


def measure(options: argparse.Namespace) -> None:
    database = Path(os.environ["DATA_DIR"]) / "db.sqlite3"
    with tempfile.TemporaryDirectory(prefix="sicetnon-bench-") as folder:
        empty, raw = Path(folder) / "empty.sqlite3", Path(folder) / "raw.sqlite3"
        shutil.copy(database, empty)
        apart(make, options.responses)
        least = measured(partial(vacuum, raw))
        print(f"  {options.responses} responses, database of {raw.stat().st_size / 1e6:.0f} MB")
        print_next_to(least, "backup, read back", measured(partial(backup, Path(folder) / "kept")))
        (kept,) = (Path(folder) / "kept").glob("*.zip")
        for part in database.parent.glob("db.sqlite3*"):
            part.unlink()
        shutil.copy(empty, database)
        name = f"restore of {kept.stat().st_size / 1e6:.0f} MB, compared"
        print_next_to(least, name, measured(partial(restore, kept)))


def make(responses: int) -> None:
    world.write_long(world.answered(responses))


def vacuum(to: Path) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(to)])
    with to.open("rb") as file:  # as a backup is: on the disk before it counts
        os.fsync(file.fileno())


def backup(folder: Path) -> None:
    from operations import backups

    backups.make(folder)


def restore(path: Path) -> None:
    from operations import restoring

    assert restoring.restore(path).rows


if __name__ == "__main__":
    main()
