"""Heartbeats of background processes."""

import io
import socket
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from generation.inference import client, faults
from operations.models import Heartbeat
from operations.monitoring import heartbeats
from tests.servers import free_port


@pytest.mark.both
@pytest.mark.django_db
def test_a_beat_is_one_row_however_often_it_comes():
    heart = heartbeats.Heart("work@here", ["work"])
    heart.beat()
    Heartbeat.objects.update(beaten_at=Now() - timedelta(hours=1))
    heart.beat()
    assert Heartbeat.objects.count() == 1
    assert heartbeats.silences()["work"] < 60


@pytest.mark.both
@pytest.mark.django_db
def test_the_latest_of_several_workers_counts():
    for process, minutes in (("work@a", 9), ("work@b", 2), ("work@c", 5)):
        at = Now() - timedelta(minutes=minutes)
        Heartbeat.objects.create(process=process, role="work", beaten_at=at)
    assert heartbeats.silences() == {"work": pytest.approx(120, abs=10)}


@pytest.mark.django_db(transaction=True)
def test_a_process_that_ends_normally_deletes_its_row():
    Heartbeat.objects.create(
        process="work@long-gone", role="work", beaten_at=Now() - timedelta(days=2)
    )
    heart = heartbeats.Heart("generation@here", ["generation", "work"], every=0.01)
    heart.start()
    heart.stop()
    assert not heart.is_alive()
    assert not Heartbeat.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_fault_while_services_are_tried_stops_no_heart(monkeypatch):
    tried = threading.Semaphore(0)

    def broken(before):
        tried.release()
        raise ValueError("no answer that anybody thought of")

    monkeypatch.setattr(heartbeats, "failing_services", broken)
    heart = heartbeats.Heart("generation@here", ["generation"], every=0.01)
    heart.start()
    assert all(tried.acquire(timeout=20) for _ in range(2))
    heart.stop()


@pytest.mark.django_db
def test_a_health_check_looks_at_the_process_of_its_own_host():
    heartbeats.Heart("work@elsewhere", ["work"]).beat()
    with pytest.raises(CommandError, match="The worker never reported"):
        call_command("check_heartbeat", "work")
    heartbeats.Heart(f"work@{socket.gethostname()}", ["work"]).beat()
    call_command("check_heartbeat", "work", stdout=io.StringIO())


@pytest.fixture
def refusing_service():
    """A service that answers every request with 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(404)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_service_that_answers_with_a_refusal_is_up(refusing_service, settings):
    down = f"http://127.0.0.1:{free_port()}/v1"
    settings.INFERENCE_SERVICES = {"lab": {"url": refusing_service}, "away": {"url": down}}
    first = heartbeats.failing_services({})
    assert set(first) == {"away"}
    since = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    assert heartbeats.failing_services({"away": since}) == {"away": since}


UNREACHABLE = {
    "ServiceDown",
    "ServiceSlow",
    "ServiceFailed",
    "ServiceUnavailable",
    "CallCut",
    "CertificateWrong",
    "Redirected",
}
ANSWERS = {
    "Aborted",
    "CannotScore",
    "KeyRefused",
    "ServiceBusy",
    "NotConfigured",
    "BrokenReply",
    "EmptyReply",
    "NoRoom",
    "ContextTooLong",
    "Filtered",
    "WrongShape",
    "ModelGone",
    "Refused",
}


def test_each_fault_says_whether_a_service_can_be_reached(settings, monkeypatch):
    settings.INFERENCE_SERVICES = {"lab": {"url": "http://127.0.0.1:9/v1"}}
    kinds = {kind.__name__: kind for kind in faults.ServiceFault.__subclasses__()}
    assert set(kinds) == UNREACHABLE | ANSWERS
    for name, kind in kinds.items():

        def fails(self, kind=kind):
            raise kind("No.")

        monkeypatch.setattr(client.Service, "models", fails)
        assert bool(heartbeats.failing_services({})) == (name in UNREACHABLE), name


@pytest.mark.django_db
def test_only_reports_of_running_processes_count():
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    for process, failing, minutes in (
        ("generation@a", {"lab": hour_ago}, 0),
        ("generation@b", {"gone": hour_ago}, 5),
    ):
        Heartbeat.objects.create(
            process=process,
            role="generation",
            failing=failing,
            beaten_at=Now() - timedelta(minutes=minutes),
        )
    assert heartbeats.failing_for(45) == {"lab": pytest.approx(3600, abs=30)}
