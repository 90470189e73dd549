"""Django's SQLite backend, in which writers wait in a fair order and outside of their connections' locks.

SQLite has one writer at a time. Two things about how the others wait are changed:

- `sqlite3_busy_timeout` polls at intervals that grow to 100 ms, so whoever has waited longest is least likely to be
  next. Here a statement that finds another writer is sent again at even intervals, and the transactions of one process
  wait in a queue. Without the queue the slowest of sixteen claims wait three to ten times as long (decision 0032).
- While `sqlite3_busy_timeout` sleeps it holds its connection's mutex. `sqlite3_finalize` needs that mutex, and Python's
  garbage collector may call it in any thread. If that thread is the writer, both wait until the timeout.

The queue only makes the order fair. SQLite's own lock keeps writers apart, and a thread that has waited too long in the
queue goes on to that lock.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base

from leases.fair_queue import FairQueue

QUEUE = FairQueue()
os.register_at_fork(after_in_child=QUEUE.reset)
# Longer than any transaction of a page; a bulk import or deletion may take longer.
MOST_SECONDS = 10.0
# Another's write of a page is over soon; a longer one is not waited for with as much computing.
POLL_SECONDS, LATER_SECONDS = 0.001, 0.02
SOON = 1.0


class Cursor(base.SQLiteCursorWrapper):
    """Django's, but it waits up to `timeout` seconds for another writer."""

    timeout: float

    def execute(self, query: str, params: Any = None) -> Any:
        return self._once_free(super().execute, query, params)

    def executemany(self, query: str, param_list: Any) -> Any:
        return self._once_free(super().executemany, query, list(param_list))

    def _once_free(self, send: Callable[..., Any], *sent: Any) -> Any:
        began = time.monotonic()
        while True:
            waited = time.monotonic() - began
            try:
                return send(*sent)
            except sqlite3.OperationalError as error:
                # Its low byte, as SQLite itself waits: the log may be recovered after a kill.
                is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or self.connection.in_transaction or waited > self.timeout:
                    raise
            time.sleep(POLL_SECONDS if waited < SOON else LATER_SECONDS)


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False

    def get_new_connection(self, conn_params: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = super().get_new_connection(conn_params)
        connection.execute("PRAGMA busy_timeout=0")
        return connection

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor = self.connection.cursor(factory=Cursor)
        cursor.timeout = self.settings_dict["OPTIONS"]["timeout"]
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        self._has_turn = QUEUE.enter(MOST_SECONDS)
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise

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
