"""Health checks: their results, their deadline, and how often they run."""

import socket
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from operations.models import Heartbeat
from operations.monitoring import health, heartbeats
from operations.monitoring.findings import State
from operations.monitoring.health import HealthReport, Watch


def states(report):
    return {finding.name: finding.state for finding in report.findings}


@pytest.fixture
def beating(transactional_db):
    """A heartbeat of each process, seen by every connection."""
    for role in ("work", "generation", "scheduler"):
        heartbeats.Heart(f"{role}@here", [role]).beat()


@pytest.fixture
def silent_server():
    """The address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listening:
        yield listening.getsockname()[1]


@pytest.mark.both
def test_everything_is_ok_in_a_running_installation(beating):
    report = health.look()
    assert report.ok, report
    assert report.troubles == []
    assert set(states(report)) == {
        *("database", "migrations", "broker", "work", "generation", "scheduler", "disk", "backup"),
    }


def test_a_worker_without_heartbeats_makes_it_not_ready(beating, monkeypatch):
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 3600)
    Heartbeat.objects.filter(role="work").update(beaten_at=Now() - timedelta(minutes=5))
    report = health.look()
    assert not report.ok
    (trouble,) = report.troubles
    assert trouble.sentence == "The worker last reported 5 minutes ago."


def test_a_broker_that_hangs_is_not_waited_for(beating, silent_server, settings):
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{silent_server}/0"
    report = health.look()
    assert states(report)["broker"] == State.FAIL
    assert states(report)["work"] == State.OK


def test_a_broker_of_files_without_its_folder_is_reported(beating, settings, tmp_path):
    settings.CELERY_BROKER_URL, settings.DATA_DIR = "filesystem://localhost", tmp_path
    assert states(health.look())["broker"] == State.FAIL


@pytest.mark.both
def test_a_database_that_hangs_is_not_waited_for(beating, monkeypatch):
    hanging = threading.Event()
    monkeypatch.setattr(health, "of_database", hanging.wait)
    report = health.look()
    again = health.look()
    hanging.set()
    assert states(report)["database"] == states(again)["database"] == State.FAIL
    assert "no answer within 0.7 s" in next(iter(report.findings)).sentence


@pytest.mark.both
def test_missing_migrations_are_reported_and_no_rows_are_read(beating, monkeypatch):
    known = {**health.migrations_here(), ("leases", "0099_new"): None}
    monkeypatch.setattr(health, "migrations_here", lambda: known)
    report = health.look()
    assert states(report)["migrations"] == State.FAIL
    assert "work" not in states(report)


def test_many_requests_at_once_cause_one_check():
    looks = Counter()

    def look():
        looks["n"] += 1
        return HealthReport()

    watch = Watch(look)
    askers = [threading.Thread(target=watch.report) for _ in range(20)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert looks["n"] == 1


def test_a_report_is_made_anew_when_it_is_no_longer_fresh():
    looks = Counter()

    def look():
        looks["n"] += 1
        return HealthReport()

    watch = Watch(look, fresh=0.0)
    watch.report()
    watch.report()
    assert looks["n"] == 2


def other_connections():
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return cursor.fetchone()[0]


@pytest.mark.both
def test_the_threads_of_the_checks_close_their_connections(beating):
    health.look()
    if connection.vendor == "postgresql":
        # The server's process of a closed connection needs a moment to end.
        deadline = time.monotonic() + 10
        while other_connections() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert other_connections() == 0
