"""The database that tests use: its tables are made once for a run, each worker takes a copy; how it is emptied."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.core.management.sql import sql_flush
from django.db import connection

from tests.settings import WORKER

# The migrations with triggers that refuse to delete rows.
KEPT = (
    "accounts.migrations.0001_all_tables",
    "generation.migrations.0001_all_tables",
    "protocols.migrations.0001_protocols_as_files",
)


@contextmanager
def of_worker() -> Iterator[None]:
    """A database with every table and no row.

    Migrations take seconds. The first worker that needs a database makes one to copy from, the last removes it, unless
    bin/test has another stage on it (KEEP_TABLES).
    """
    creation, given = connection.creation, connection.settings_dict["NAME"]
    worker = WORKER or "copy"  # one process runs all tests
    source = connection.settings_dict["TEST"]["NAME"] = creation._get_test_db_name()
    with _file("database.users") as users:
        with _one_at_a_time() as made:
            fcntl.flock(users, fcntl.LOCK_SH)
            if not made.tell():
                creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
                made.write("made")
            _use(source)
            creation.clone_test_db(worker, verbosity=0)
            _use(creation.get_test_db_clone_settings(worker)["NAME"])
        yield
        creation.destroy_test_db(given, verbosity=0)
        if os.environ.get("KEEP_TABLES"):
            return
        with _one_at_a_time() as made, suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _use(source)
            creation.destroy_test_db(given, verbosity=0)
            made.truncate(0)


def source() -> str:
    """The name of the database that all copy, to which nobody is connected; on SQLite its path."""
    return connection.settings_dict["TEST"]["NAME"]


def on_sqlite() -> Path | None:
    """A SQLite file with every table and no row, where tests on SQLite are part of this run and have made it."""
    with _one_at_a_time("sqlite") as made:
        return settings.TABLES_DIR / "test.sqlite3" if made.tell() else None


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _file(name: str, vendor: str = "") -> TextIO:
    """A file that all workers of the run open, on the same kind of database."""
    path = settings.TABLES_DIR / f"{vendor or connection.vendor}.{name}"
    return path.open("a", encoding="utf-8")


@contextmanager
def _one_at_a_time(vendor: str = "") -> Iterator[TextIO]:
    """A file that one worker has at a time; empty where there is no database to copy from."""
    with _file("database", vendor) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0, 2)
        yield file


def emptying(style, connection, reset_sequences=True, **options) -> list[str]:
    """The statements of the command `flush`, with which a test that commits ends.

    On PostgreSQL Django truncates all tables, which takes ten times as long: it replaces the files of each.
    The audit log, published prompts and used protocols refuse that their rows are deleted.
    """
    made = sql_flush(style, connection, reset_sequences=reset_sequences, **options)
    kept = [import_module(name) for name in KEPT]
    if connection.vendor == "sqlite":
        removed = [statement for one in kept for statement in one.REMOVE["sqlite"]]
        return [*removed, *made, *(statement for one in kept for statement in one.CREATE["sqlite"])]
    if reset_sequences:
        return made
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    tables = [one.TABLE for one in kept]
    return [
        "; ".join(
            [
                *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in tables),
                *(f'DELETE FROM "{name}"' for name in names),
                "SET CONSTRAINTS ALL IMMEDIATE",
                *(f"ALTER TABLE {table} ENABLE TRIGGER USER" for table in tables),
            ]
        )
    ]
