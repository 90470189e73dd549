"""The queue of one process's writers: in order, and never in the way for longer than it says."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from leases.turnstile import Turnstile


def test_those_who_wait_go_through_in_the_order_in_which_they_came():
    turnstile, through = Turnstile(), []
    assert turnstile.enter(0)

    def go(name):
        assert turnstile.enter(10)
        through.append(name)
        turnstile.leave()

    with ThreadPoolExecutor(5) as pool:
        for n, name in enumerate("abcde", 1):
            pool.submit(go, name)
            wait_until(lambda n=n: len(turnstile._queue) == n)
        turnstile.leave()
    assert through == list("abcde")


def wait_until(true):
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline


def test_who_gives_up_is_passed_over():
    turnstile = Turnstile()
    assert turnstile.enter(0)
    assert not turnstile.enter(0.01)
    turnstile.leave()
    assert turnstile.enter(0)


class Interrupted(threading.Event):
    """Somebody whose time is up while they wait."""

    def wait(self, timeout=None):
        raise SystemExit


def test_who_is_interrupted_in_waiting_is_passed_over(monkeypatch):
    monkeypatch.setattr("leases.turnstile.Event", Interrupted)
    turnstile = Turnstile()
    assert turnstile.enter(0)
    with pytest.raises(SystemExit):
        turnstile.enter(10)
    turnstile.leave()
    assert turnstile.enter(0)


def test_who_is_interrupted_as_their_turn_comes_lets_the_next_one_through(monkeypatch):
    turnstile = Turnstile()

    class JustThen(Interrupted):
        def wait(self, timeout=None):
            turnstile.leave()
            super().wait()

    monkeypatch.setattr("leases.turnstile.Event", JustThen)
    assert turnstile.enter(0)
    with pytest.raises(SystemExit):
        turnstile.enter(10)
    assert turnstile.enter(0)


FORKED = """
import os
from leases.sqlite3.base import TURNSTILE
assert TURNSTILE.enter(0)
child = os.fork()
if not child:
    os._exit(0 if TURNSTILE.enter(0) else 1)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_child_process_does_not_wait_for_the_threads_of_its_parent():
    assert subprocess.run([sys.executable, "-c", FORKED], check=False).returncode == 0


# ---------------------------------------------------------------- SQLite's transactions


@pytest.fixture
def turnstile(transactional_db):
    if connection.vendor != "sqlite":
        pytest.skip("DATABASE_URL is no SQLite; another round has one")
    from leases.sqlite3.base import TURNSTILE

    return TURNSTILE


def is_free(turnstile) -> bool:
    if turnstile.enter(0):
        turnstile.leave()
        return True
    return False


def test_a_transaction_has_the_turn_until_it_ends(turnstile):
    with transaction.atomic():
        assert not is_free(turnstile)
        with transaction.atomic():
            pass
        assert not is_free(turnstile)
    assert is_free(turnstile)


def test_a_transaction_that_is_rolled_back_gives_its_turn_up(turnstile):
    with pytest.raises(ValueError), transaction.atomic():
        raise ValueError
    assert is_free(turnstile)


def test_a_connection_closed_amid_a_transaction_gives_its_turn_up(turnstile):
    def closed_amid():
        with transaction.atomic():
            connection.close()
            raise ValueError

    with pytest.raises(ValueError):
        closed_amid()
    assert is_free(turnstile)


def test_who_cannot_begin_gives_the_turn_up(turnstile):
    def write_elsewhere():
        connection.ensure_connection()
        connection.connection.execute("PRAGMA busy_timeout = 0")
        try:
            with transaction.atomic():
                pass
        finally:
            connection.close()

    connection.ensure_connection()
    connection.connection.execute("BEGIN IMMEDIATE")  # as another program would, past the queue
    try:
        with ThreadPoolExecutor(1) as pool, pytest.raises(OperationalError, match="locked"):
            pool.submit(write_elsewhere).result(10)
    finally:
        connection.connection.execute("ROLLBACK")
    assert is_free(turnstile)
