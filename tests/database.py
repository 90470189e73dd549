"""The database that tests use: its tables are made once for a run, each worker takes a copy; how it is emptied."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TextIO

from django.conf import settings
from django.core.management.sql import sql_flush
from django.db import connection


@contextmanager
def of_worker(worker: str) -> Iterator[None]:
    """A database with every table and no row; `worker` is "master" where one process runs all tests.

    Migrations take seconds. The first worker that needs a database makes one to copy from, and removes it at its own
    end; a worker that comes later makes it again.
    """
    creation, given = connection.creation, connection.settings_dict["NAME"]
    source = creation._get_test_db_name()
    if worker == "master":
        _make()
        yield
        creation.destroy_test_db(given, verbosity=0)
        return
    with _one_at_a_time() as made:
        mine = not made.tell()
        if mine:
            _make()
            made.write("made")
        _use(source)
        creation.clone_test_db(worker, verbosity=0)
        _use(creation.get_test_db_clone_settings(worker)["NAME"])
    yield
    creation.destroy_test_db(given, verbosity=0)
    if mine:
        with _one_at_a_time() as made:
            _use(source)
            creation.destroy_test_db(given, verbosity=0)
            made.truncate(0)


def _make() -> None:
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


@contextmanager
def _one_at_a_time() -> Iterator[TextIO]:
    """A file of the run's folder that one worker has at a time; empty where there is nothing to copy from."""
    with (settings.DATA_DIR.parent / "database").open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0, 2)
        yield file


def emptying(style, connection, reset_sequences=True, **options) -> list[str]:
    """The statements of the command `flush`, with which a test that commits ends.

    On PostgreSQL Django truncates all tables, which takes ten times as long: it replaces the files of each.
    The audit log refuses that its rows are deleted.
    """
    made = sql_flush(style, connection, reset_sequences=reset_sequences, **options)
    audit = import_module("accounts.migrations.0006_keep_an_audit_log")
    if connection.vendor == "sqlite":
        return [*audit.REMOVE["sqlite"], *made, *audit.CREATE["sqlite"]]
    if reset_sequences:
        return made
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    deletions = [f'DELETE FROM "{name}"' for name in names if name != audit.TABLE]
    return ["; ".join([f"TRUNCATE {audit.TABLE}", *deletions])]
