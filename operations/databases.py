"""Additional connections: a snapshot of the current database, and another database by its URL."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import dj_database_url
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.sqlite3 import base as sqlite3
from django.db.utils import ConnectionHandler, DatabaseError

from leases.refusal import Refusal

DEFAULT = "default"
SNAPSHOT = "operations-snapshot"
OTHER = "operations-other"


@contextmanager
def snapshot(of: str = DEFAULT) -> Iterator[str]:
    """The alias of a read-only connection that sees the database as it was at one moment.

    Others go on writing meanwhile. It does not see uncommitted changes, not even those of this thread.
    """
    connection, first = _reader(of)
    with _known(connection), transaction.atomic(using=SNAPSHOT):
        with connection.cursor() as cursor:
            cursor.execute(first)
            # The snapshot is taken when the first row is read.
            cursor.execute("SELECT count(*) FROM django_migrations")
        yield SNAPSHOT


def _reader(of: str) -> tuple[BaseDatabaseWrapper, str]:
    """A second connection to the same database, and the statement that makes it read-only."""
    settings = deepcopy(connections[of].settings_dict)
    if connections[of].vendor == "postgresql":
        from django.db.backends.postgresql.base import DatabaseWrapper
        from django.db.backends.postgresql.psycopg_any import IsolationLevel

        settings["OPTIONS"]["isolation_level"] = IsolationLevel.REPEATABLE_READ
        return DatabaseWrapper(settings, SNAPSHOT), "SET TRANSACTION READ ONLY"
    # Django's own backend, without leases' queue of writers. IMMEDIATE, the project's mode, would lock writers out.
    settings["OPTIONS"]["transaction_mode"] = "DEFERRED"
    return sqlite3.DatabaseWrapper(settings, SNAPSHOT), "PRAGMA query_only = 1"


@contextmanager
def database_at(url: str) -> Iterator[str]:
    """The alias of a connection to the database at `url`. Raises Refusal if it cannot be reached."""
    settings = configured(url)
    connection = ConnectionHandler({"default": {}, OTHER: settings})[OTHER]
    with _known(connection):
        try:
            connection.ensure_connection()
        except DatabaseError as error:
            reason = str(error).strip().splitlines()[0]
            raise Refusal(
                f"The database at that address cannot be reached: {reason}. Make it, or correct the address."
            ) from error
        yield OTHER


def configured(url: str) -> dict[str, Any]:
    """Django's settings for the database at `url`. Raises Refusal."""
    try:
        settings: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError) as error:
        raise Refusal(
            f"{error} Write sqlite:///PATH or postgres://USER:PASSWORD@HOST/NAME."
        ) from error
    known = settings["ENGINE"].endswith(("sqlite3", "postgresql"))
    if not known or settings["NAME"] in ("", ":memory:"):
        raise Refusal("Write sqlite:///PATH or postgres://USER:PASSWORD@HOST/NAME.")
    return settings


def same_place(alias: str, other: str) -> bool:
    first, second = connections[alias], connections[other]
    return first.vendor == second.vendor and all(
        str(first.settings_dict.get(key) or "") == str(second.settings_dict.get(key) or "")
        for key in ("NAME", "HOST", "PORT")
    )


@contextmanager
def _known(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Register the connection, so that querysets and commands can use its alias."""
    connections[connection.alias] = connection
    try:
        yield
    finally:
        connection.close()
        del connections[connection.alias]
