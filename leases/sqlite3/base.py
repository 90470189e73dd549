"""Django's SQLite backend, with transactions that wait in a fair order.

SQLite has one writer. A connection that waits for it polls at growing intervals, so the one that has waited
longest is least likely to be next: under load some wait a hundred times as long as others. Here the transactions of
a process wait in a queue, and the first of each process polls at even intervals. This only makes the order fair:
SQLite's own lock keeps writers apart, and a thread that waits in the queue for too long goes on to it.
"""

import os
import sqlite3
import time
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from leases.fair_queue import FairQueue

QUEUE = FairQueue()
os.register_at_fork(after_in_child=QUEUE.reset)
# Longer than any transaction of a page; a bulk import or deletion may take longer.
MOST_SECONDS = 10.0
# Another process's write of a page is over soon; a longer one is not waited for with as much computing.
POLL_SECONDS, LATER_SECONDS = 0.001, 0.02
SOON = 1.0


class Cursor(base.SQLiteCursorWrapper):
    """Django's, but it writes each %s as ? without looking for %% around it where there is none."""

    def convert_query(self, query: str, *, param_names: list[str] | None = None) -> str:
        if param_names is None and "%%" not in query:
            return query.replace("%s", "?")
        return super().convert_query(query, param_names=param_names)


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False

    def create_cursor(self, name: str | None = None) -> Cursor:
        return self.connection.cursor(factory=Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        self._has_turn = QUEUE.enter(MOST_SECONDS)
        try:
            self._begin()
        except BaseException:
            self._leave()
            raise

    def _begin(self) -> None:
        """Begin as soon as no other process writes, and raise what SQLite says after its time limit."""
        timeout = self.settings_dict["OPTIONS"]["timeout"]
        began = time.monotonic()
        self.connection.execute("PRAGMA busy_timeout=0")
        try:
            while not self._has_begun(is_last=time.monotonic() > began + timeout):
                time.sleep(POLL_SECONDS if time.monotonic() < began + SOON else LATER_SECONDS)
        finally:
            self.connection.execute(f"PRAGMA busy_timeout={timeout * 1000}")

    def _has_begun(self, *, is_last: bool) -> bool:
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except OperationalError as error:
            # Its low byte, as SQLite itself waits: the log may be recovered after a kill.
            code = getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF
            if is_last or code != sqlite3.SQLITE_BUSY:
                raise
            return False
        return True

    def commit(self) -> None:
        try:
            super().commit()
        finally:
            self._leave()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self._leave()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._leave()

    def _leave(self) -> None:
        if self._has_turn:
            self._has_turn = False
            QUEUE.leave()
