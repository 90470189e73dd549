"""Workers and the scheduler say every few seconds that they are there, by a row each.

A thread of the process writes it, so that neither a long queue nor a long task makes it late, and whichever
broker there is. The worker for model calls says too which inference services it cannot reach.
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

from generation import client, faults
from leases.clock import now
from operations.models import Heartbeat

log = structlog.get_logger(__name__)

EVERY = 10.0
SERVICES_EVERY = 3  # beats
FORGOTTEN = timedelta(days=1)
ASKS_SERVICES = "generation"
SCHEDULER = "scheduler"
UNREACHABLE = (faults.ServiceDown, faults.ServiceSlow, faults.ServiceFailed)


class Heart(threading.Thread):
    """Beats for one process in each of its roles until it is stopped; a database that is away stops nothing."""

    def __init__(self, process: str, roles: list[str], every: float = EVERY) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.process, self.roles, self.every = process, roles, every
        self._enough = threading.Event()
        self._failing: dict[str, str] = {}

    def run(self) -> None:
        beats = 0
        while not self._enough.is_set():
            if beats % SERVICES_EVERY == 0 and ASKS_SERVICES in self.roles:
                self._safely(self.beat)
                self._safely(self.try_services)
            self._safely(self.beat)
            beats += 1
            self._enough.wait(self.every)
        self._safely(self.forget)

    def stop(self) -> None:
        """Say that the process ends, so that nobody waits for its silence to be noticed."""
        self._enough.set()
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
        except Exception as error:  # of whatever is away; the next beat tries anew
            log.warning("heartbeat_failed", process=self.process, error=type(error).__name__)
        finally:
            # Not kept: a pool of processes must not inherit it, nor a server count it between beats.
            connections.close_all()


def begin(process: str, roles: Iterable[str]) -> Heart:
    """Have this process beat until it ends."""
    heart = Heart(process, sorted(roles))
    heart.start()
    atexit.register(heart.stop)
    return heart


def begin_worker(sender: Any, **signal: Any) -> None:
    """Receiver of worker_ready: the consumer says which queues it takes messages from."""
    begin(sender.hostname, (queue.name for queue in sender.task_consumer.queues))


def begin_scheduler(**signal: Any) -> None:
    """Receiver of beat_init."""
    begin(f"{SCHEDULER}@{socket.gethostname()}", [SCHEDULER])


def failing_services(before: Mapping[str, str]) -> dict[str, str]:
    """The services that cannot be reached now, with since when; `before` is what was found last time."""
    found = {}
    for name in client.names():
        try:
            client.service(name).models()
        except UNREACHABLE:
            found[name] = before.get(name) or datetime.now(UTC).isoformat()
        except faults.ServiceFault:
            pass  # it answers, if only to refuse the question
    return found


def silences(host: str = "") -> dict[str, float]:
    """Seconds since the latest heartbeat of each role that has one; of those on one host where it is named."""
    present = now()
    rows = Heartbeat.objects.filter(process__endswith=f"@{host}") if host else Heartbeat.objects
    latest = dict(rows.order_by("beaten_at").values_list("role", "beaten_at"))
    return {role: max(0.0, (present - at).total_seconds()) for role, at in latest.items()}


def failing_for(gone: float) -> dict[str, float]:
    """Seconds for which each service could not be reached, as told by processes heard of within `gone` seconds."""
    recent = Heartbeat.objects.filter(beaten_at__gt=Now() - timedelta(seconds=gone))
    told = list(recent.filter(role=ASKS_SERVICES).values_list("failing", flat=True))
    present = datetime.now(UTC)
    found: dict[str, float] = {}
    for failing in told:
        for name, since in failing.items():
            seconds = max(0.0, (present - datetime.fromisoformat(since)).total_seconds())
            found[name] = max(found.get(name, 0.0), seconds)
    return found
