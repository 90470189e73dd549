"""Django's SQLite backend, with the transactions of one process in a fair queue.

SQLite has one writer. A connection that waits for it polls at growing intervals, so the one that has waited
longest is least likely to be next: under load some wait a hundred times as long as others. The queue only makes
the order fair. A thread that waits in it for too long goes on to SQLite's own lock, which keeps writers apart,
between processes too.
"""

import os
from typing import Any

from django.db.backends.sqlite3 import base

from leases.fair_queue import FairQueue

QUEUE = FairQueue()
os.register_at_fork(after_in_child=QUEUE.reset)
# Longer than any transaction of a page; a bulk import or deletion may take longer.
MOST_SECONDS = 10.0


class DatabaseWrapper(base.DatabaseWrapper):
    """One thread's connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False

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
