"""The threads of one turn: each sends a request, and looks whether the service is up where a call fails."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import structlog

from generation.call_queues import Call
from generation.inference import chat, client, faults
from generation.inference.faults import ServiceFault

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Ended:
    """A call that began at `began` (monotonic seconds), and the fault by which a look showed the service to be down."""

    call: Call
    began: float
    result: chat.Reply | ServiceFault
    is_probe: bool
    down: ServiceFault | None


class CallThreads:
    """As many threads as calls were in flight at once. None of them uses the database."""

    def __init__(self, service: client.Service) -> None:
        self.in_flight = 0
        self._service = service
        self._looks = Looks(service)
        self._threads = 0
        self._jobs: SimpleQueue[tuple[Call, bool, float] | None] = SimpleQueue()
        self._ended: SimpleQueue[Ended] = SimpleQueue()

    def start(self, call: Call, is_probe: bool) -> None:
        self.in_flight += 1
        if self.in_flight > self._threads:
            self._threads += 1
            threading.Thread(target=self._work, name="call", daemon=True).start()
        # The call begins now. Of a call that began before a pause, a fault says nothing new (Afterwards).
        self._jobs.put((call, is_probe, time.monotonic()))

    def ended(self, seconds: float) -> Iterator[Ended]:
        """The calls that have ended, after at most so many seconds of waiting for the first."""
        try:
            ended = self._ended.get(timeout=seconds)
            while True:
                self.in_flight -= 1
                yield ended
                ended = self._ended.get_nowait()
        except Empty:
            return

    def stop(self) -> None:
        """Let each thread end after its call."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _work(self) -> None:
        while job := self._jobs.get():
            # A call without an Ended would keep its lease, and hold this turn, for ever.
            self._ended.put(self._asked(*job))

    def _asked(self, call: Call, is_probe: bool, began: float) -> Ended:
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
        """The result, and what a look at the service shows where the call fails.

        The look comes before a probe: what brings down a service that was up a moment ago is its prompt.
        """
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


class Looks:
    """Whether the service answers anyone. Calls that fail together share a look. Safe in many threads."""

    def __init__(self, service: client.Service) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._ended = 0.0
        self._found: ServiceFault | None = None

    def look(self) -> ServiceFault | None:
        """The fault that shows the service to be down; None where it answers, if not to this."""
        wanted = time.monotonic()
        with self._lock:
            if self._ended < wanted:
                self._found = self._look()
                self._ended = time.monotonic()
            return self._found

    def _look(self) -> ServiceFault | None:
        try:
            self._service.models()
        except (faults.WrongShape, faults.ModelGone, faults.Refused):
            return None
        except ServiceFault as down:
            return down
        return None
