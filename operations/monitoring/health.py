"""The health of the installation, for /readyz, /metrics and the banner.

Checked every few seconds at most and by one request at a time, each server in its own thread with a deadline:
neither a server that hangs nor many requests delay a page.
"""

import os
import shutil
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder
from kombu import Connection

from leases.clock import now
from operations.backups import last_backup
from operations.monitoring import findings, heartbeats
from operations.monitoring.findings import Finding, State
from operations.schema_version import migrations_here

DEADLINE = 0.7
FRESH = 4.0
STARTED = time.monotonic()


@dataclass(frozen=True)
class HealthReport:
    """All findings, in the order in which one would fix them."""

    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        return all(finding.state != State.FAIL for finding in self.findings)

    @property
    def troubles(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.is_trouble]

    def is_well(self, name: str) -> bool:
        return any(finding.name == name and finding.state == State.OK for finding in self.findings)


@dataclass
class Watch:
    """Caches the latest report for `fresh` seconds."""

    look: Callable[[], HealthReport]
    fresh: float = FRESH
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _kept: HealthReport | None = None
    _until: float = 0.0

    def report(self) -> HealthReport:
        with self._lock:
            if self._kept is None or time.monotonic() >= self._until:
                report = self.look()
                # A problem may be fixed at any moment.
                self.keep(report, self.fresh if report.ok else self.fresh / 4)
            assert self._kept is not None
            return self._kept

    def keep(self, report: HealthReport, seconds: float) -> None:
        """Return this report for the next `seconds`."""
        self._kept, self._until = report, time.monotonic() + seconds


def look() -> HealthReport:
    """Run all checks, within DEADLINE seconds even if a server hangs."""
    start = time.monotonic()
    pending = {
        "database": _thread("database").submit(of_database),
        "broker": _thread("broker").submit(lambda: [of_broker()]),
    }
    results = [findings.of_disk(shutil.disk_usage(settings.DATA_DIR).free)]
    for name, answer in pending.items():
        try:
            results += answer.result(max(0.0, start + DEADLINE - time.monotonic()))
        except NoAnswer:
            answer.cancel()
            results.append(_silent(name))
    return HealthReport(
        tuple(sorted(results, key=lambda finding: ORDER.get(finding.name, len(ORDER))))
    )


ORDER = {
    name: place
    for place, name in enumerate(
        ("database", "migrations", "broker", "work", "generation", "scheduler", "disk", "backup")
    )
}


def of_database() -> list[Finding]:
    """The database and, if it answers, all that is read from it."""
    try:
        connection.ensure_connection()
        results = [findings.of_answer("database", "The database", "", "")]
        missing = missing_migrations()
        results.append(findings.of_migrations(missing))
        if not missing:
            results += [*of_processes(), findings.of_backup(backup_age())]
        return results
    except Exception as error:  # every driver raises its own
        return [_no_database(type(error).__name__)]
    finally:
        connections.close_all()


def of_processes() -> list[Finding]:
    silent = heartbeats.silences()
    uptime = time.monotonic() - STARTED
    roles = [findings.of_process(role, silent.get(role), uptime) for role in findings.PROCESSES]
    return [*roles, *findings.of_services(heartbeats.failing_for(findings.GONE))]


def missing_migrations() -> int:
    return len(migrations_here().keys() - set(MigrationRecorder(connection).applied_migrations()))


def backup_age() -> float | None:
    """Seconds since the last backup; None if none is known."""
    made = last_backup()
    return None if made is None else max(0.0, (now() - made).total_seconds())


def of_broker() -> Finding:
    """The message broker: a folder that must be writable, or a server that must answer."""
    url = settings.CELERY_BROKER_URL
    problem = ""
    if url.startswith("filesystem"):
        folder = Path(settings.DATA_DIR) / "broker" / "queue"
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            problem = f"{folder} cannot be written to"
    else:
        quick = {"socket_timeout": DEADLINE, "socket_connect_timeout": DEADLINE}
        try:
            with Connection(url, connect_timeout=DEADLINE, transport_options=quick) as opened:
                opened.connect()
        except Exception as error:  # every transport raises its own
            problem = type(error).__name__
    return _of_broker(problem)


def _of_broker(problem: str) -> Finding:
    where = urlsplit(settings.CELERY_BROKER_URL).scheme
    remedy = (
        "Nothing that was entered is lost: the rows wait. "
        f"Start the queue ({where}) again, or see CELERY_BROKER_URL."
    )
    return findings.of_answer("broker", "The queue of messages", problem, remedy)


def _no_database(problem: str) -> Finding:
    return findings.of_answer(
        "database", "The database", problem, "Start it again, or see DATABASE_URL."
    )


def _silent(name: str) -> Finding:
    problem = f"no answer within {DEADLINE:g} s"
    return _of_broker(problem) if name == "broker" else _no_database(problem)


@cache
def _thread(name: str) -> ThreadPoolExecutor:
    """One thread for each server: while it hangs, no further thread waits for it."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"health-{name}")


watch = Watch(look)
