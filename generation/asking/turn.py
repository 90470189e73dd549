"""One turn at a service: a loop that keeps its calls in flight and stores the answers in batches.

Of all worker processes, one turn at a time starts calls to a service. It ends after TURN seconds, hands over, and waits
for its last calls while the next turn starts others: the limit of calls in flight holds over both.

Threads send the requests (call_threads.py); this loop alone uses the database. It claims a few rows before they are
needed, so that no call in flight waits for the database.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog
from django.db import connection

from generation.asking import services
from generation.asking.afterwards import Afterwards
from generation.asking.call_threads import CallThreads
from generation.asking.held_rows import HeldRows
from generation.asking.rotation import Rotation
from generation.call_queues import CallQueue
from generation.inference import client, faults
from leases.holders import new_holder
from leases.outage import is_outage

log = structlog.get_logger(__name__)

# Seconds. With the longest timeout of a call (service_entries.py), below half the broker's visibility timeout.
TURN = 120.0
# Seconds of a lease of the turn and of each row in it, and between renewals: with the sweeper's 5 s, the work of a dead
# worker goes on within 15 s.
LEASE, RENEW = 8.0, 2.0
# Seconds between two batches of answers.
BATCH = 0.1
# Seconds between two looks for further runs, and the longest pause of a service that a turn waits for.
LOOK, WAITED = 1.0, 10.0
# Seconds for which answers are kept while the database does not take them.
KEPT = 60.0

# Set when the worker is to stop: turns end, and their last calls are stored.
stopping = threading.Event()


def take_turn(
    name: str,
    queues: Sequence[CallQueue],
    *,
    seconds: float = TURN,
    hand_over: Callable[[], object] = lambda: None,
    stored: Callable[[], object] = lambda: None,
) -> int:
    """Ask the service for rows until none waits, the time is over, or it is paused; returns the number of calls.

    At once 0 while another turn starts calls to it. `hand_over` is called when there is more to do, `stored` after
    each batch.
    """
    try:
        service = client.service(name)
        service.check()
    except faults.NotConfigured as fault:
        log.warning("service_not_configured", service=name, problem=fault.sentence)
        return 0
    holder = new_holder("turn")
    if not services.begin_turn(name, holder, LEASE):
        return 0
    turn = _Turn(service, queues, holder, stored)
    try:
        turn.start_calls(time.monotonic() + seconds)
        turn.release_unasked()
    finally:
        turn.end()
        with _despite_outages():
            services.end_turn(name, holder, turn.until_next_call)
    with _despite_outages():
        if not turn.rests and any(queue.lines(name) for queue in queues):
            hand_over()
    turn.wait_for_last_calls()
    return turn.calls


@contextmanager
def _despite_outages() -> Iterator[None]:
    """Go on to the answers in flight: without this step, the lease of the turn runs out, and the sweeper hands over."""
    try:
        yield
    except Exception as error:
        if not is_outage(error):
            raise
        log.warning("turn_not_handed_over", error=type(error).__name__)
        connection.close_if_unusable_or_obsolete()


class _Turn:
    """Decides when to claim rows, ask for them, store answers and renew leases."""

    def __init__(
        self,
        service: client.Service,
        queues: Sequence[CallQueue],
        holder: str,
        stored: Callable[[], object],
    ) -> None:
        self.calls = 0
        self.rests = False
        self._service, self._queues, self._holder, self._stored = service, queues, holder, stored
        self._rotation = Rotation(queues, service.name)
        self._after = Afterwards(service)
        self._rows = HeldRows(queues, holder)
        self._threads = CallThreads(service)
        self._others = self._held_by_others()
        self._ahead = 1
        self._mine = True
        self._next_batch = self._next_look = self._next_renewal = 0.0
        self._next_start = time.monotonic() + services.until_next_call(service.name)
        self._fails_since: float | None = None

    def start_calls(self, until: float) -> None:
        """Claim rows and ask, until nothing waits, the time is over, or the service is paused for long."""
        while self._mine and not stopping.is_set() and time.monotonic() < until:
            pause = self._after.seconds_of_pause()
            if pause > WAITED:
                self.rests = True
                return
            self._keep(claim=not pause)
            if not pause:
                self._start()
            if not (pause or self._rows or self._fails_since):
                return
            self._wait()

    def release_unasked(self) -> None:
        self._rows.release_ready()
        self._next_batch = 0.0  # the next turn is to know at once
        self._keep()

    @property
    def until_next_call(self) -> float:
        """Seconds, by the pace of per_minute."""
        return max(0.0, self._next_start - time.monotonic())

    def end(self) -> None:
        self._threads.stop()

    def wait_for_last_calls(self) -> None:
        while self._rows:
            self._wait()
            self._keep()

    def _wait(self) -> None:
        """Until a call ends, or there is something else to do."""
        now = time.monotonic()
        due = [self._next_renewal, now + (2 * BATCH if self._others else LOOK)]
        if self._rows.settled:
            due.append(self._next_batch)
        if self._rows.ready and self._threads.in_flight < self._limit:
            due.append(self._next_start)
        if pause := self._after.seconds_of_pause():
            due.append(now + pause)
        for ended in self._threads.ended(max(0.001, min(due) - now)):
            self._rows.settled.append(self._after.settled(ended))

    def _keep(self, claim: bool = False) -> None:
        """Store what is due, renew what is held, and claim; while the database is out, keep the answers and wait."""
        now = time.monotonic()
        try:
            if self._rows.settled and now >= self._next_batch:
                self._next_batch = now + BATCH
                self._store()
                self._fails_since = None
            if now >= self._next_renewal:
                self._next_renewal = now + RENEW
                self._renew()
                self._fails_since = None
            if claim and not self._fails_since:
                self._claim(now)
        except Exception as error:
            self._fails_since = self._fails_since or now
            if not is_outage(error) or now - self._fails_since > KEPT:
                raise
            log.warning("answers_wait_for_the_database", answers=len(self._rows.settled))
            self._next_batch = self._next_renewal = now + LOOK
            connection.close_if_unusable_or_obsolete()

    @property
    def _limit(self) -> int:
        return (1 if self._after.doubted else self._service.entry.in_flight) - self._others

    def _claim(self, now: float) -> None:
        """Claim rows for the free calls, and as many ahead as will be needed until the next batch."""
        if self._others:
            self._others = self._held_by_others()
        if now >= self._next_look or not self._rows:
            self._next_look = now + LOOK
            self._rotation.look()
        ready = len(self._rows.ready)
        wanted = self._limit - self._threads.in_flight - ready
        if not self._after.doubted:
            wanted += self._ahead
        if not ready or wanted >= self._ahead:
            self._rows.add(self._rotation.claim(self._holder, LEASE, wanted, self._after.closed))

    def _held_by_others(self) -> int:
        name = self._service.name
        return sum(queue.held_by_others(name, self._holder) for queue in self._queues)

    def _start(self) -> None:
        ready, pace = self._rows.ready, self._service.entry.per_minute
        while ready and self._threads.in_flight < self._limit and not self._fails_since:
            now = time.monotonic()
            if now < self._next_start:
                return
            call = ready.popleft()
            if call.line in self._after.closed:
                self._rows.settled.append(self._after.released(call))
                continue
            if pace:
                self._next_start = now + 60 / pace
            self.calls += 1
            self._threads.start(call, self._after.doubted)

    def _store(self) -> None:
        self._ahead = min(max(1, 2 * len(self._rows.settled)), self._service.entry.in_flight)
        self._rows.store()
        self._after.record()
        self._after.reopen(self._rows.lines)
        self._rows.finish_groups(self._rotation.groups)
        self._stored()

    def _renew(self) -> None:
        if self._mine:
            self._mine = services.renew_turn(
                self._service.name, self._holder, LEASE, self.until_next_call
            )
        self._after.catch_up()
        self._rows.renew(below=LEASE - RENEW, seconds=LEASE)
