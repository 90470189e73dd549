"""Exclusive access for a restore or a move: rows written at the same time would be lost or mixed in."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connections

from leases.refusal import Conflict

OTHERS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND coalesce(backend_type, 'client backend') = 'client backend'
"""


@contextmanager
def exclusive_access(*aliases: str) -> Iterator[None]:
    """Keep bin/run from starting in this DATA_DIR, and check that nobody is connected. Raises Conflict.

    Only PostgreSQL knows who is connected; for SQLite the lock of bin/run must be enough.
    """
    with (Path(settings.DATA_DIR) / "running.lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(
                "Sic et Non runs here. Stop it first (Ctrl-C where bin/run was typed), then begin again."
            ) from None
        for alias in aliases:
            if connected := connections_of_others(alias):
                raise Conflict(
                    f"{connected} other connections to the database are open. Stop the web server, the workers and "
                    "the scheduler first, then begin again."
                )
        yield


def connections_of_others(using: str) -> int:
    connection = connections[using]
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(OTHERS)
        return int(cursor.fetchone()[0])
