"""Django's SQLite, with the transactions of one process in a fair queue.

SQLite has one writer, and who waits for it polls, at growing intervals: whoever has waited longest is least
likely to be next, and under load some wait a hundred times as long as others. The queue is a courtesy: whoever
waits too long in it goes on to SQLite's own lock, which alone keeps writers apart, between processes too.
"""

import os
from typing import Any

from django.db.backends.sqlite3 import base

from leases.turnstile import Turnstile

TURNSTILE = Turnstile()
os.register_at_fork(after_in_child=TURNSTILE.open)
# Longer than any transaction of a page; what is imported or deleted in bulk may take longer.
MOST_SECONDS = 10.0


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_turn = False

    def _start_transaction_under_autocommit(self) -> None:
        self._in_turn = TURNSTILE.enter(MOST_SECONDS)
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
        if self._in_turn:
            self._in_turn = False
            TURNSTILE.leave()
