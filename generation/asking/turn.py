"""One turn at a service: a loop that keeps its calls in flight and stores the answers in batches.

Of all worker processes, one turn at a time starts calls to a service. It ends after TURN seconds, hands over, and waits
for its last calls while the next turn starts others: the limit of calls in flight holds over both.

Threads send the requests; this loop alone uses the database. It claims a few rows before they are needed, so that no
call in flight waits for the database.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from queue import Empty, SimpleQueue

import structlog
from django.db import connection

from generation.asking import afterwards, services
from generation.asking.afterwards import Afterwards, Ended
from generation.asking.looks import Looks
from generation.asking.rotation import Rotation
from generation.inference import chat, client, faults
from generation.inference.faults import ServiceFault
from generation.queues import Call, Queue, Settled
from leases.claim import new_holder
from leases.outage import is_outage

log = structlog.get_logger(__name__)

# Seconds. With the longest timeout of a call (client.LONGEST_TIMEOUT), below half the broker's visibility timeout.
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
    queues: Sequence[Queue],
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
    def __init__(
        self,
        service: client.Service,
        queues: Sequence[Queue],
        holder: str,
        stored: Callable[[], object],
    ) -> None:
        self.calls = 0
        self.rests = False
        self._service, self._queues, self._holder, self._stored = service, queues, holder, stored
        self._rotation = Rotation(queues, service.name)
        self._after = Afterwards(service)
        self._looks = Looks(service)
        # A row is ready, then in flight, then settled; it is held until that is stored.
        self._held: set[Call] = set()
        self._ready: deque[Call] = deque()
        self._flying = 0
        self._settled: list[Settled] = []
        self._open_groups: set[tuple[Queue, object]] = set()
        self._others = self._held_by_others()
        self._ahead = 1
        self._mine = True
        self._next_batch = self._next_look = self._next_renewal = 0.0
        self._next_start = time.monotonic() + services.until_next_call(service.name)
        self._fails_since: float | None = None
        self._threads = 0
        self._jobs: SimpleQueue[tuple[Call, bool, float] | None] = SimpleQueue()
        self._ended: SimpleQueue[Ended] = SimpleQueue()

    # ------------------------------------------------------------ the loop

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
            if not (pause or self._held or self._fails_since):
                return
            self._wait()

    def wait_for_last_calls(self) -> None:
        while self._held:
            self._wait()
            self._keep()

    def release_unasked(self) -> None:
        self._settled += [Settled(call, "release") for call in self._ready]
        self._ready.clear()
        self._next_batch = 0.0  # the next turn is to know at once
        self._keep()

    @property
    def until_next_call(self) -> float:
        """Seconds, by the pace of per_minute."""
        return max(0.0, self._next_start - time.monotonic())

    def end(self) -> None:
        for _ in range(self._threads):
            self._jobs.put(None)

    def _wait(self) -> None:
        """Until a call ends, or there is something else to do."""
        now = time.monotonic()
        due = [self._next_renewal, now + (2 * BATCH if self._others else LOOK)]
        if self._settled:
            due.append(self._next_batch)
        if self._ready and self._flying < self._limit:
            due.append(self._next_start)
        if pause := self._after.seconds_of_pause():
            due.append(now + pause)
        try:
            self._receive(self._ended.get(timeout=max(0.001, min(due) - now)))
            while True:
                self._receive(self._ended.get_nowait())
        except Empty:
            pass

    def _receive(self, ended: Ended) -> None:
        self._flying -= 1
        self._settled.append(self._after.settled(ended))

    def _keep(self, claim: bool = False) -> None:
        """Store what is due, renew what is held, and claim; while the database is out, keep the answers and wait."""
        now = time.monotonic()
        try:
            if self._settled and now >= self._next_batch:
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
            log.warning("answers_wait_for_the_database", answers=len(self._settled))
            self._next_batch = self._next_renewal = now + LOOK
            connection.close_if_unusable_or_obsolete()

    # ------------------------------------------------------------ claimed and asked

    @property
    def _limit(self) -> int:
        return (1 if self._after.doubted else self._service.entry.in_flight) - self._others

    def _claim(self, now: float) -> None:
        """Claim rows for the free calls, and as many ahead as will be needed until the next batch."""
        if self._others:
            self._others = self._held_by_others()
        if now >= self._next_look or not self._held:
            self._next_look = now + LOOK
            self._rotation.look()
        wanted = self._limit - self._flying - len(self._ready)
        if not self._after.doubted:
            wanted += self._ahead
        if self._ready and wanted < self._ahead:
            return
        for call in self._rotation.claim(self._holder, LEASE, wanted, self._after.closed):
            self._ready.append(call)
            self._held.add(call)
            self._open_groups.add((call.line.queue, call.line.group))

    def _start(self) -> None:
        pace = self._service.entry.per_minute
        while self._ready and self._flying < self._limit and not self._fails_since:
            now = time.monotonic()
            if now < self._next_start:
                return
            call = self._ready.popleft()
            if call.line in self._after.closed:
                self._settled.append(self._after.released(call))
                continue
            if pace:
                self._next_start = now + 60 / pace
            self._flying += 1
            self.calls += 1
            if self._flying > self._threads:
                self._threads += 1
                threading.Thread(target=self._work, name="call", daemon=True).start()
            # It begins now: a thread that is late must not take a pause of meanwhile for one before it.
            self._jobs.put((call, self._after.doubted, now))

    def _work(self) -> None:
        """A thread that sends requests until it gets None."""
        while job := self._jobs.get():
            # A call without an Ended would keep its lease, and hold this turn, for ever.
            self._ended.put(self._asked(*job))

    def _asked(self, call: Call, is_probe: bool, began: float) -> Ended:
        """A call; where it fails, with what a look at the service shows.

        The look comes before a probe: what brings down a service that was up a moment ago is its prompt.
        """
        try:
            result, down = self._answer(call, is_probe)
        except Exception as error:  # of a library, over this prompt or its reply
            log.exception("call_failed", service=self._service.name)
            result = faults.Refused(f"The call failed by an error ({type(error).__name__}).")
            down = None
        return Ended(call, began, result, is_probe, down)

    def _answer(
        self, call: Call, is_probe: bool
    ) -> tuple[chat.Reply | ServiceFault, ServiceFault | None]:
        was_up = is_probe and self._looks.look() is None
        try:
            model = call.model
            whom = (model.model_id, call.options)
            reply = self._service.ask(*whom, call.text, model.able, call.before, call.scored)
            return reply, None
        except ServiceFault as fault:
            if isinstance(fault, faults.EmptyReply) and call.takes_empty:
                return fault.reply, None
            return fault, self._looks.look() if fault.needs_look and not was_up else None

    def _held_by_others(self) -> int:
        name = self._service.name
        return sum(queue.held_by_others(name, self._holder) for queue in self._queues)

    # ------------------------------------------------------------ stored and renewed

    def _store(self) -> None:
        self._settled = [afterwards.bounded(one) for one in self._settled]
        for queue in self._queues:
            if mine := [one for one in self._settled if one.call.line.queue is queue]:
                self._settle(queue, mine)
                self._ahead = min(max(1, 2 * len(mine)), self._service.entry.in_flight)
        self._after.record()
        self._after.reopen({call.line for call in self._held})
        self._finish_groups()
        self._stored()

    def _settle(self, queue: Queue, some: Sequence[Settled]) -> None:
        """Store these; where the database refuses the values of one, that one fails and the others are kept."""
        try:
            queue.settle(self._holder, some)
        except Exception as error:
            if is_outage(error):
                raise
            if len(some) > 1:
                for one in some:
                    self._settle(queue, [one])
                return
            log.exception("answer_not_stored", service=self._service.name)
            sentence = f"The answer cannot be stored ({type(error).__name__})."
            failed = replace(
                some[0],
                verb="fail",
                reply=None,
                fault=faults.WrongShape(sentence),
                error=sentence,
            )
            queue.settle(self._holder, [failed])
        self._settled = [one for one in self._settled if one not in some]
        self._held.difference_update(one.call for one in some)

    def _finish_groups(self) -> None:
        """Let each queue know of which groups no row is left here."""
        still = {(call.line.queue, call.line.group) for call in self._held} | self._rotation.groups
        over, self._open_groups = self._open_groups - still, self._open_groups & still
        for queue in self._queues:
            if groups := [group for of, group in over if of is queue]:
                queue.finish(groups)

    def _renew(self) -> None:
        if self._mine:
            self._mine = services.renew_turn(
                self._service.name, self._holder, LEASE, self.until_next_call
            )
        self._after.read()
        for queue in self._queues:
            keys = [call.pk for call in self._held if call.line.queue is queue]
            if keys:
                kept = queue.renew(self._holder, keys, below=LEASE - RENEW, seconds=LEASE)
                self._give_up(queue, kept)

    def _give_up(self, queue: Queue, kept: set[int]) -> None:
        """Ask none of the ready rows that were lost, or whose run or judge was cancelled or paused."""
        ready = [call for call in self._ready if call.line.queue is queue]
        if not ready:
            return
        lost = {call for call in ready if call.pk not in kept}
        keys = queue.stopped([call.pk for call in ready if call not in lost])
        stopped = [call for call in ready if call.pk in keys]
        self._held -= lost
        self._settled += [Settled(call, "release") for call in stopped]
        self._ready = deque(call for call in self._ready if call not in {*lost, *stopped})
