"""Workers and the scheduler report every few seconds that they run, in one row each.

A thread of the process writes the row, so that it does not depend on the queue, on the length of a task, or on
the broker. The worker for model calls also reports which inference services it cannot reach.
"""

import atexit
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import structlog
from django.db import connections
from django.db.models.functions import Now

from generation.inference import client, faults
from leases.clock import now
from operations.models import Heartbeat

log = structlog.get_logger(__name__)

EVERY = 10.0
SERVICES_EVERY = 3  # beats
FORGOTTEN = timedelta(days=1)
ASKS_SERVICES = "generation"
SCHEDULER = "scheduler"
# Faults with which no call can be answered; a refusal or a service that is busy is an answer.
UNREACHABLE = (
    faults.ServiceDown, faults.ServiceSlow, faults.ServiceFailed, faults.ServiceUnavailable,
    faults.CallCut, faults.CertificateWrong, faults.Redirected,
)  # fmt: skip


class Heart(threading.Thread):
    """Writes the heartbeats of one process in each of its roles until it is stopped. Survives database outages."""

    def __init__(self, process: str, roles: list[str], every: float = EVERY) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.process, self.roles, self.every = process, roles, every
        self._stopped = threading.Event()
        self._failing: dict[str, str] = {}

    def run(self) -> None:
        beats = 0
        while not self._stopped.is_set():
            if beats % SERVICES_EVERY == 0 and ASKS_SERVICES in self.roles:
                self._safely(self.beat)
                self._safely(self.try_services)
            self._safely(self.beat)
            beats += 1
            self._stopped.wait(self.every)
        self._safely(self.forget)

    def stop(self) -> None:
        """Delete the process's rows, so that its end is known at once."""
        self._stopped.set()
        if self.is_alive():
            self.join(5)

    def beat(self) -> None:
        for role in self.roles:
            Heartbeat.objects.update_or_create(
                process=self.process,
                role=role,
                defaults={"beaten_at": Now(), "failing": self._failing},
            )

    def try_services(self) -> None:
        self._failing = failing_services(self._failing)

    def forget(self) -> None:
        Heartbeat.objects.filter(process=self.process).delete()
        Heartbeat.objects.filter(beaten_at__lt=Now() - FORGOTTEN).delete()

    def _safely(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # whatever is down; the next beat tries again
            log.warning("heartbeat_failed", process=self.process, error=type(error).__name__)
        finally:
            # A pool of processes must not inherit the connection, and the server has others to serve.
            connections.close_all()


def begin(process: str, roles: Iterable[str]) -> Heart:
    """Start the heartbeat of this process, until it ends."""
    heart = Heart(process, sorted(roles))
    heart.start()
    atexit.register(heart.stop)
    return heart


def begin_worker(sender: Any, **signal: Any) -> None:
    """Receiver of worker_ready: the roles are the queues that the worker consumes."""
    begin(sender.hostname, (queue.name for queue in sender.task_consumer.queues))


def begin_scheduler(**signal: Any) -> None:
    """Receiver of beat_init."""
    begin(f"{SCHEDULER}@{socket.gethostname()}", [SCHEDULER])


def failing_services(before: Mapping[str, str]) -> dict[str, str]:
    """The services that cannot be reached, with the time since when; `before` is the previous result."""
    failing = {}
    for name in client.names():
        try:
            client.service(name).models()
        except UNREACHABLE:
            failing[name] = before.get(name) or datetime.now(UTC).isoformat()
        except faults.ServiceFault:
            pass  # it answers, even if with a refusal
    return failing


def silences(host: str = "") -> dict[str, float]:
    """Seconds since the latest heartbeat of each role that has one; on one host only, if given."""
    present = now()
    rows = Heartbeat.objects.filter(process__endswith=f"@{host}") if host else Heartbeat.objects
    latest = dict(rows.order_by("beaten_at").values_list("role", "beaten_at"))
    return {role: max(0.0, (present - at).total_seconds()) for role, at in latest.items()}


def failing_for(gone: float) -> dict[str, float]:
    """Seconds since each failing service could be reached, from heartbeats of the last `gone` seconds."""
    recent = Heartbeat.objects.filter(beaten_at__gt=Now() - timedelta(seconds=gone))
    reports = list(recent.filter(role=ASKS_SERVICES).values_list("failing", flat=True))
    present = datetime.now(UTC)
    durations: dict[str, float] = {}
    for failing in reports:
        for name, since in failing.items():
            seconds = max(0.0, (present - datetime.fromisoformat(since)).total_seconds())
            durations[name] = max(durations.get(name, 0.0), seconds)
    return durations
