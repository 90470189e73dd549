"""Looking at the installation: what is found, how fast, how often."""

import socket
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from operations import health, heartbeats
from operations.findings import State
from operations.health import Report, Watch
from operations.models import Heartbeat


def found(report):
    return {finding.name: finding.state for finding in report.findings}


@pytest.fixture
def beating(transactional_db):
    """A heartbeat of each process, seen by every connection."""
    for role in ("work", "generation", "scheduler"):
        heartbeats.Heart(f"{role}@here", [role]).beat()


@pytest.fixture
def silent_server():
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as listening:
        yield listening.getsockname()[1]


def test_all_is_well_where_everything_is_there(beating):
    report = health.look()
    assert report.ok, report
    assert report.troubles == []
    assert set(found(report)) == {
        *("database", "migrations", "broker", "work", "generation", "scheduler", "disk", "backup"),
    }


def test_a_worker_that_fell_silent_makes_it_not_ready(beating, monkeypatch):
    monkeypatch.setattr(health, "STARTED", time.monotonic() - 3600)
    Heartbeat.objects.filter(role="work").update(beaten_at=Now() - timedelta(minutes=5))
    report = health.look()
    assert not report.ok
    (trouble,) = report.troubles
    assert trouble.sentence == "The worker was last heard of 5 minutes ago."


def test_a_broker_that_hangs_is_not_waited_for(beating, silent_server, settings):
    settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{silent_server}/0"
    report = health.look()
    assert found(report)["broker"] == State.FAIL
    assert found(report)["work"] == State.OK


def test_a_broker_of_files_without_its_folder_is_reported(beating, settings, tmp_path):
    settings.CELERY_BROKER_URL, settings.DATA_DIR = "filesystem://localhost", tmp_path
    assert found(health.look())["broker"] == State.FAIL


def test_a_database_that_hangs_is_not_waited_for(beating, monkeypatch):
    hanging = threading.Event()
    monkeypatch.setattr(health, "of_database", hanging.wait)
    report = health.look()
    again = health.look()
    hanging.set()
    assert found(report)["database"] == found(again)["database"] == State.FAIL
    assert "no answer within 0.7 s" in next(iter(report.findings)).sentence


def test_missing_migrations_are_found_and_nothing_below_them_is_asked(beating, monkeypatch):
    known = health._known_migrations()
    monkeypatch.setattr(health, "_known_migrations", lambda: known | {("leases", "0099_new")})
    report = health.look()
    assert found(report)["migrations"] == State.FAIL
    assert "work" not in found(report)


def test_many_who_ask_at_once_cause_one_look():
    looks = Counter()

    def look():
        looks["n"] += 1
        return Report()

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
        return Report()

    watch = Watch(look, fresh=0.0)
    watch.report()
    watch.report()
    assert looks["n"] == 2


def test_the_threads_that_look_leave_no_connection_behind(beating):
    health.look()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid()"
            )
            assert cursor.fetchone() == (0,)
