"""What follows a call: for its row, for the run, and for the service.

A fault of the whole service pauses it and costs no row an attempt. A call that is cut, fails or gets no answer in time
counts, unless a look at the service shows that it is down. After a pause, one call probes the service. It counts if the
service was up just before: a prompt that brings the service down then fails in the end. A proxy may report that as 503.
If the service still lists its models, the answer number MOST_503 fails the row. Faults that no prompt causes pause the
run when they come one after the other, instead of failing the rest.
"""

import time
from collections.abc import Collection
from dataclasses import replace

from generation.asking import services
from generation.asking.call_threads import Ended
from generation.call_queues import MAX_ATTEMPTS, Call, QueueLine, Settled
from generation.inference import chat, client
from generation.inference.faults import Aborted, ServiceFault, ServiceUnavailable

# Seconds before a row is asked again after the first, second, … failed call.
PAUSES = (1.0, 10.0, 60.0, 300.0)
# Equal faults one after the other that pause a run, and failed calls that pause a service.
IN_A_ROW = 5
# After so many answers with 503 a row fails. If no other row is left, that takes two hours.
MOST_503 = 30
# The most seconds that the row of a failed probe waits after the pause, so that another row is the next probe.
LAST = 10.0


class Afterwards:
    """The faults of one turn at a service."""

    def __init__(self, service: client.Service) -> None:
        self._service = service
        # Pauses without an answer between them: as the database has them, and with those not yet recorded.
        self._recorded = self._pauses = services.pauses(service.name)[0]
        self.doubted = self._pauses > 0
        # Lines that are asked no more, because their group was paused, with the reason.
        self.closed: dict[QueueLine, str] = {}
        self._paused_at = self._paused_until = 0.0
        self._failed_in_a_row = 0
        self._equal: dict[QueueLine, tuple[str, int]] = {}
        # What the database does not yet know: the service's latest pause, or its recovery; pauses of runs.
        self._unrecorded: tuple[str, float] | None = None
        self._paused_lines: set[QueueLine] = set()

    def seconds_of_pause(self) -> float:
        """Seconds for which the service gets no calls; 0 when it is not paused."""
        return max(0.0, self._paused_until - time.monotonic())

    def settled(self, ended: Ended) -> Settled:
        call, result = ended.call, ended.result
        if isinstance(result, chat.Reply):
            self._answered()
            self._equal.pop(call.line, None)
            return Settled(call, "finish", reply=result)
        if result.is_answer:
            self._answered()
        cause = result if result.of_service else ended.down
        if cause:
            self._pause(cause, ended.began)
            later = self._after_the_next_probe() if ended.is_probe else 0.0
            was_up = ended.down is None
            return Settled(call, "release", fault=result, pause=later, was_up=was_up)
        if result.retryable:
            return self._retried(call, ended.began, result)
        return self._refused(call, result)

    def released(self, call: Call, fault: ServiceFault | None = None) -> Settled:
        """A call that is not made, or does not count, because its run was paused: it waits with the others."""
        self._paused_lines.add(call.line)
        return Settled(call, "release", fault=fault)

    def _pause(self, fault: ServiceFault, began: float) -> None:
        """Pause the service, unless the call began before the pause and is only late."""
        if began < self._paused_at:
            return
        seconds = services.pause_after(self._pauses, fault.retry_after)
        self._pauses += 1
        self._unrecorded = (fault.sentence, seconds)
        self.doubted = True
        self._failed_in_a_row = 0
        self._paused_at = time.monotonic()
        self._paused_until = self._paused_at + seconds

    def _after_the_next_probe(self) -> float:
        """Seconds for which a probe's row waits, so that another row is the next probe."""
        pause = self.seconds_of_pause()
        return pause + min(pause, LAST)

    def _answered(self) -> None:
        self._failed_in_a_row = 0
        if self.doubted and not self.seconds_of_pause():
            self.doubted = False
            self._pauses = 0
            self._unrecorded = ("", 0.0)

    def catch_up(self) -> None:
        """Take in what another turn at the service has found out."""
        if self._unrecorded:
            return
        pauses, seconds = services.pauses(self._service.name)
        if pauses != self._recorded:
            self._recorded = self._pauses = pauses
            self.doubted = pauses > 0
            self._paused_at = time.monotonic()
            self._paused_until = self._paused_at + seconds

    def record(self) -> None:
        """Let the database know of pauses and recovery."""
        if self._unrecorded:
            reason, seconds = self._unrecorded
            known = services.record(
                self._service.name, reason, self._pauses, seconds, before=self._recorded
            )
            self._unrecorded = None
            if known:
                self._recorded = self._pauses
            else:
                self.catch_up()
        for line in tuple(self._paused_lines):
            line.queue.pause(line, self.closed[line])
            self._paused_lines.discard(line)

    def reopen(self, held: Collection[QueueLine]) -> None:
        """Forget paused lines without calls in flight: if they have rows to ask again, a person has resumed them."""
        for line in set(self.closed) - set(held):
            del self.closed[line]
            self._equal.pop(line, None)

    def _retried(self, call: Call, began: float, fault: ServiceFault) -> Settled:
        attempts = call.attempts + 1
        if not fault.of_prompt:
            self._failed_in_a_row += 1
            if self.doubted or self._failed_in_a_row >= IN_A_ROW:
                self._pause(fault, began)
        if attempts >= MAX_ATTEMPTS and isinstance(fault, Aborted):
            return Settled(call, "finish", reply=fault.reply, fault=fault)
        if attempts >= MAX_ATTEMPTS:
            advice = f" Asked {attempts} times. {call.line.queue.advice}"
            return Settled(call, "fail", fault=fault, error=fault.sentence + advice)
        pause = pause_after(attempts, fault.retry_after)
        return Settled(call, "retry", fault=fault, error=fault.sentence, pause=pause)

    def _refused(self, call: Call, fault: ServiceFault) -> Settled:
        """Fails with the reason; released where its run was paused for the same reason just before."""
        line = call.line
        if line in self.closed:
            return self.released(call, fault)
        if not fault.of_prompt:
            sentence, before = self._equal.get(line, ("", 0))
            number = before + 1 if fault.sentence == sentence else 1
            self._equal[line] = (fault.sentence, number)
            if number >= IN_A_ROW:
                self.closed[line] = f"{IN_A_ROW} calls in a row failed alike: {fault.sentence}"
                self._paused_lines.add(line)
        return Settled(call, "fail", fault=fault, error=fault.sentence)


def bounded(row: Settled) -> Settled:
    """Fail a row that was answered with 503 too often while the service was up: its prompt may be the cause.

    Only a 503 reads the log of calls. It is never cleared, and a resumed row has as many calls again.
    """
    if row.verb != "release" or not row.was_up or not isinstance(row.fault, ServiceUnavailable):
        return row
    if (row.call.line.queue.calls(row.call.pk, 503) + 1) % MOST_503:
        return row
    advice = f" That was the answer to {MOST_503} calls. {row.call.line.queue.advice}"
    return replace(row, verb="fail", error=row.fault.sentence + advice)


def pause_after(attempts: int, requested: float | None) -> float:
    """Seconds before a row is asked again: longer each time, and as long as the service requested, within limits."""
    usual = PAUSES[min(attempts, len(PAUSES)) - 1]
    return max(usual, min(requested or 0.0, services.LONGEST_REQUESTED))
