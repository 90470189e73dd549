"""Leases of processes that were killed, with fetches as the example."""

import os
import subprocess
import sys

import pytest

from leases import holders
from leases.claim import sweep
from leases.clock import in_seconds
from wikifetch.models import FetchRun
from wikifetch.states import FETCH_RUN, FetchState

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db,
    pytest.mark.skipif(not holders._place(), reason="no /proc"),
]


def held_by(holder):
    running = {"state": FetchState.RUNNING, "lease_until": in_seconds(100), "attempts": 1}
    FetchRun.objects.create(source="xml", label="x", lease_holder=holder, **running)


def of_process(pid, start=None, place=None):
    start = start or holders._start_of(pid)
    return f"fetch:{place or holders._place()}:{pid}:{start}:{'a' * 20}"


@pytest.fixture
def sleeper():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def test_a_worker_that_starts_takes_back_what_a_killed_one_held(sleeper):
    held_by(of_process(sleeper.pid))
    assert holders.take_back_from_the_dead() == 0
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)  # ended; nobody has asked how
    assert holders.take_back_from_the_dead() == 1
    assert sweep(FetchRun.objects.all(), FETCH_RUN, "expire") == 1


@pytest.mark.parametrize(
    ("holder", "taken"),
    [
        (lambda: holders.new_holder("fetch"), 0),
        (lambda: of_process(os.getpid(), start="1"), 1),  # its id is another's since
        (lambda: of_process(2**22 + 1, start="1"), 1),
        (lambda: of_process(2**22 + 1, start="1", place="b" * 12), 0),  # of another machine
        (lambda: "person 5", 0),
    ],
)
def test_a_lease_is_taken_from_a_dead_process_of_this_machine_alone(holder, taken):
    held_by(holder())
    assert holders.take_back_from_the_dead() == taken
