"""The queue of one process's writers: in order of arrival, and with a limit on the wait."""

import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction
from django.db.backends.sqlite3 import base

from accounts.models import Person
from leases.fair_queue import FairQueue

pytestmark = pytest.mark.alone


def test_threads_get_their_turn_in_the_order_of_arrival():
    queue, order = FairQueue(), []
    assert queue.enter(0)

    def go(name):
        assert queue.enter(10)
        order.append(name)
        queue.leave()

    with ThreadPoolExecutor(5) as pool:
        entered = []
        for n, name in enumerate("abcde", 1):
            entered.append(pool.submit(go, name))
            wait_until(lambda n=n: len(queue._queue) == n)
        queue.leave()
    for one in entered:
        one.result(10)
    assert order == list("abcde")


def wait_until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline


def test_a_thread_that_gives_up_is_skipped():
    queue = FairQueue()
    assert queue.enter(0)
    assert not queue.enter(0.01)
    queue.leave()
    assert queue.enter(0)


class Interrupted(threading.Event):
    """A thread that is stopped while it waits."""

    def wait(self, timeout=None):
        raise SystemExit


def test_a_thread_interrupted_while_it_waits_is_skipped(monkeypatch):
    monkeypatch.setattr("leases.fair_queue.Event", Interrupted)
    queue = FairQueue()
    assert queue.enter(0)
    with pytest.raises(SystemExit):
        queue.enter(10)
    queue.leave()
    assert queue.enter(0)


def test_a_thread_interrupted_as_its_turn_comes_lets_the_next_one_through(monkeypatch):
    queue = FairQueue()

    class JustThen(Interrupted):
        def wait(self, timeout=None):
            queue.leave()
            super().wait()

    monkeypatch.setattr("leases.fair_queue.Event", JustThen)
    assert queue.enter(0)
    with pytest.raises(SystemExit):
        queue.enter(10)
    assert queue.enter(0)


FORKED = """
import os
from leases.sqlite3.base import QUEUE
assert QUEUE.enter(0)
child = os.fork()
if not child:
    os._exit(0 if QUEUE.enter(0) else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_child_process_does_not_wait_for_the_threads_of_its_parent():
    assert subprocess.run([sys.executable, "-c", FORKED], check=False).returncode == 0


# ---------------------------------------------------------------- SQLite's transactions


@pytest.fixture
def queue(transactional_db):
    if connection.vendor != "sqlite":
        pytest.skip("DATABASE_URL is not SQLite")
    from leases.sqlite3.base import QUEUE

    return QUEUE


def is_free(queue) -> bool:
    if queue.enter(0):
        queue.leave()
        return True
    return False


def test_a_transaction_has_the_turn_until_it_ends(queue):
    with transaction.atomic():
        assert not is_free(queue)
        with transaction.atomic():
            pass
        assert not is_free(queue)
    assert is_free(queue)


def test_a_transaction_that_is_rolled_back_releases_its_turn(queue):
    with pytest.raises(ValueError), transaction.atomic():
        raise ValueError
    assert is_free(queue)


def test_a_connection_closed_within_a_transaction_releases_its_turn(queue):
    def close_within():
        with transaction.atomic():
            connection.close()
            raise ValueError

    with pytest.raises(ValueError):
        close_within()
    assert is_free(queue)


def test_a_transaction_that_cannot_begin_releases_its_turn(queue, monkeypatch):
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0)
    with (
        written_by_another_process(),
        ThreadPoolExecutor(1) as pool,
        pytest.raises(OperationalError, match="locked"),
    ):
        pool.submit(write, create).result(10)
    assert is_free(queue)


def create(**columns):
    with transaction.atomic():
        Person.objects.create(**columns)


def rename(**columns):
    Person.objects.update(**columns)


@pytest.mark.parametrize("act", [create, rename], ids=["transaction", "statement"])
def test_a_write_waits_until_another_process_has_written(queue, act):
    with ThreadPoolExecutor(1) as pool:
        with written_by_another_process():
            waiting = pool.submit(write, act)
            with pytest.raises(TimeoutError):
                waiting.result(0.1)
        waiting.result(10)
    assert is_free(queue)


def test_the_writer_can_end_a_statement_of_a_connection_that_waits(queue):
    """As the garbage collector does in any thread: it needs the lock of that connection."""
    statements, begun = [], threading.Event()

    def reads_then_writes():
        connection.ensure_connection()
        statements.append(connection.connection.execute("SELECT 1 UNION SELECT 2"))
        begun.set()
        write(rename)

    with ThreadPoolExecutor(1) as pool:
        with written_by_another_process():
            waiting = pool.submit(reads_then_writes)
            assert begun.wait(10)
            with pytest.raises(TimeoutError):
                waiting.result(0.1)
            statements.pop().close()
        waiting.result(10)  # it would have given up after its time limit


def test_a_transaction_waits_while_another_process_recovers_the_log(queue, monkeypatch):
    execute, tries = base.SQLiteCursorWrapper.execute, []

    def recovered_by_the_third_try(self, query, params=None):
        if query.startswith("BEGIN"):
            tries.append(1)
            if len(tries) < 3:
                busy = sqlite3.OperationalError("database is locked")
                busy.sqlite_errorcode = sqlite3.SQLITE_BUSY_RECOVERY
                raise busy
        return execute(self, query, params)

    monkeypatch.setattr(base.SQLiteCursorWrapper, "execute", recovered_by_the_third_try)
    with transaction.atomic():
        assert len(tries) == 3


@contextmanager
def written_by_another_process():
    """A transaction outside of the queue."""
    connection.ensure_connection()
    connection.connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.connection.execute("ROLLBACK")


def write(act):
    """For a thread of its own, whose connection it closes."""
    try:
        act(name="Anna")
    finally:
        connection.close()
