"""The rows that a turn holds: ready to be asked, in flight, or settled and not yet stored."""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import structlog

from generation.asking.afterwards import bounded
from generation.call_queues import Call, CallQueue, QueueLine, Settled
from generation.inference import faults
from leases.outage import is_outage

log = structlog.get_logger(__name__)


class HeldRows:
    """The rows of several queues that a turn holds, under one holder's leases."""

    def __init__(self, queues: Sequence[CallQueue], holder: str) -> None:
        self.ready: deque[Call] = deque()
        self.settled: list[Settled] = []
        self._queues, self._holder = queues, holder
        # All of them: first ready, then in flight, then settled, until that is stored.
        self._held: set[Call] = set()
        self._open_groups: set[tuple[CallQueue, object]] = set()

    def __bool__(self) -> bool:
        return bool(self._held)

    @property
    def lines(self) -> set[QueueLine]:
        return {call.line for call in self._held}

    def add(self, claimed: Iterable[Call]) -> None:
        for call in claimed:
            self.ready.append(call)
            self._held.add(call)
            self._open_groups.add((call.line.queue, call.line.group))

    def release_ready(self) -> None:
        self.settled += [Settled(call, "release") for call in self.ready]
        self.ready.clear()

    def store(self) -> None:
        """Store what is settled; what an outage keeps from being stored stays for the next time."""
        self.settled = [bounded(settled) for settled in self.settled]
        for queue in self._queues:
            if mine := [row for row in self.settled if row.call.line.queue is queue]:
                self._store(queue, mine)

    def _store(self, queue: CallQueue, some: Sequence[Settled]) -> None:
        """Store these; where the database refuses the values of a row, that row fails and the others are kept."""
        try:
            queue.settle(self._holder, some)
        except Exception as error:
            if is_outage(error):
                raise
            if len(some) > 1:
                for row in some:
                    self._store(queue, [row])
                return
            log.exception("answer_not_stored", service=some[0].call.line.service)
            sentence = f"The answer cannot be stored ({type(error).__name__})."
            fault = faults.WrongShape(sentence)
            failed = replace(some[0], verb="fail", reply=None, fault=fault, error=sentence)
            queue.settle(self._holder, [failed])
        self.settled = [row for row in self.settled if row not in some]
        self._held.difference_update(row.call for row in some)

    def finish_groups(self, waiting: Collection[tuple[CallQueue, object]]) -> None:
        """Let each queue know of its groups that have no row here any more, and none that waits."""
        still = {(call.line.queue, call.line.group) for call in self._held} | {*waiting}
        over, self._open_groups = self._open_groups - still, self._open_groups & still
        for queue in self._queues:
            if groups := [group for of, group in over if of is queue]:
                queue.finish(groups)

    def renew(self, *, below: float, seconds: float) -> None:
        """Extend the leases as CallQueue.renew does, and give up the ready rows that are not to be asked any more."""
        for queue in self._queues:
            keys = [call.pk for call in self._held if call.line.queue is queue]
            if keys:
                kept = queue.renew(self._holder, keys, below=below, seconds=seconds)
                self._give_up(queue, kept)

    def _give_up(self, queue: CallQueue, kept: set[int]) -> None:
        """Ask none of the ready rows that were lost, or whose run or judge was cancelled or paused."""
        ready = [call for call in self.ready if call.line.queue is queue]
        if not ready:
            return
        lost = {call for call in ready if call.pk not in kept}
        keys = queue.stopped([call.pk for call in ready if call not in lost])
        stopped = [call for call in ready if call.pk in keys]
        self._held -= lost
        self.settled += [Settled(call, "release") for call in stopped]
        self.ready = deque(call for call in self.ready if call not in {*lost, *stopped})
