"""What people and programs see during an outage of the database, and that it ends by itself."""

import json
import shutil
import sqlite3
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import structlog
from celery import beat
from django.db import OperationalError, connection
from django.urls import reverse

from annotation.models import Annotation
from leases.outage import outage
from tests.annotation.factories import annotator, campaign, draft, whole
from tests.factories import signed_in

# A request runs outside a transaction.
pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


@contextmanager
def no_database(after=0):
    """Every statement after the first `after` fails with a lost connection."""
    left = [after]

    def gone(execute, sql, params, many, context):
        if left[0] <= 0:
            raise OperationalError("server closed the connection unexpectedly")
        left[0] -= 1
        return execute(sql, params, many, context)

    with connection.execute_wrapper(gone):
        yield


@pytest.fixture
def alice(client):
    client.raise_request_exception = False
    return signed_in(client, annotator())


# The statements before the outage: it begins before the session is read, before the person, or in the view.
@pytest.mark.parametrize("after", range(6))
def test_a_page_says_to_try_again_wherever_the_outage_begins(client, alice, after):
    with no_database(after):
        answer = client.get(reverse("annotation:queue"))
    assert answer.status_code == 503
    assert answer["Retry-After"] == "15"
    text = answer.content.decode()
    assert "The database does not answer just now" in text
    assert "What you typed is still in the page" in text
    assert "Traceback" not in text
    assert client.get(reverse("annotation:queue")).status_code == 200


@pytest.mark.parametrize("after", [0, 3, 6])
def test_a_save_is_answered_in_json_and_succeeds_when_sent_again(client, alice, after):
    kept = draft(alice, within=campaign())
    address = reverse("annotation:api_draft", args=[kept.pk])
    save = {"content_type": "application/json", "headers": {"If-Match": f'"{kept.version}"'}}
    with no_database(after):
        refused = client.patch(address, {"entries": whole()}, **save)
    assert refused.status_code == 503
    said = json.loads(refused.content)["error"]
    assert ("nothing was stored" in said, "go back" in said) == (True, False)
    kept.refresh_from_db()
    assert (kept.version, kept.statement_1) == (0, "")

    assert client.patch(address, {"entries": whole()}, **save).status_code == 200
    assert Annotation.objects.get(pk=kept.pk).version == 1


@pytest.mark.parametrize(
    ("code", "free", "status"),
    [
        ("SQLITE_FULL", 2**30, 507),
        ("SQLITE_IOERR_WRITE", 0, 507),
        ("SQLITE_CANTOPEN", 4096, 507),
        ("SQLITE_IOERR_WRITE", 2**30, 503),
        ("SQLITE_BUSY", 0, 503),
    ],
)
def test_an_outage_says_that_the_disk_is_full_where_it_is(monkeypatch, code, free, status):
    cause, error = sqlite3.OperationalError("disk I/O error"), OperationalError("disk I/O error")
    cause.sqlite_errorname, error.__cause__ = code, cause
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=free))
    assert outage(error).status == status


def test_health_says_that_the_disk_is_full(client, monkeypatch):
    assert client.get(reverse("healthz")).status_code == 200
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=4096))
    answer = client.get(reverse("healthz"))
    assert (answer.status_code, answer.json()["error"]) == (507, "The disk is full.")


def test_a_task_that_cannot_be_sent_is_one_line_of_the_schedulers_log(monkeypatch):
    from config.celery import PlainScheduler, app

    def full(*args, **kwargs):
        raise beat.SchedulingError("Couldn't apply: No space left on device")

    monkeypatch.setattr(PlainScheduler, "apply_async", full)
    with structlog.testing.capture_logs() as lines:
        PlainScheduler(app).apply_entry(None)
    assert [line["error"] for line in lines] == ["Couldn't apply: No space left on device"]
