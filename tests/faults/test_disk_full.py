"""The disk is full: saves are refused with a message, nothing is half stored, and later saves succeed."""

import json
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest
from django.db import OperationalError, connection
from django.urls import reverse

from annotation.models import Annotation, DraftRevision
from generation import responses
from generation.asking import turn
from generation.asking.runqueue import RunQueue
from generation.models import Attempt
from generation.states import ResponseState, RunState
from tests.annotation.factories import annotator, campaign, draft
from tests.generation.factories import answer_all, expire, run
from tests.generation.fake_service import Say

pytestmark = pytest.mark.django_db(transaction=True)

LONG = "The mill was built in 1801. " * 300


@contextmanager
def full_disk():
    """Until the end, or until `room()`: SQLite may take no further page.

    PostgreSQL's server would need its own disk for that: it is simulated.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")  # no free page is left from other rows
            used = cursor.execute("PRAGMA page_count").fetchone()[0]
            cursor.execute(f"PRAGMA max_page_count = {used}")

            def room() -> None:
                cursor.execute("PRAGMA max_page_count = 1073741823")

            try:
                yield room
            finally:
                room()
    else:
        full = [True]
        with connection.execute_wrapper(partial(_no_room_to_write, full)):
            yield full.clear


def _no_room_to_write(full, execute, sql, params, many, context):
    if full and sql.startswith(("INSERT", "UPDATE")) and LONG[:50] in str(params):
        raise OperationalError("No space left on device") from psycopg.errors.DiskFull()
    return execute(sql, params, many, context)


def test_a_draft_is_refused_and_saved_when_there_is_room(client):
    alice = annotator()
    kept = draft(alice, within=campaign())
    client.force_login(alice)
    client.raise_request_exception = False

    def save():
        return client.patch(
            reverse("annotation:api_draft", args=[kept.pk]),
            {"entries": {"passage_2_standalone": LONG}},
            content_type="application/json",
            headers={"If-Match": '"0"'},
        )

    with full_disk():
        refused = save()
    assert refused.status_code == 507
    assert "The server's disk is full" in json.loads(refused.content)["error"]
    kept.refresh_from_db()
    assert (kept.version, kept.passage_2_standalone) == (0, "")
    assert not DraftRevision.objects.exists()

    assert save().status_code == 200
    assert Annotation.objects.get(pk=kept.pk).passage_2_standalone == LONG


def test_an_answer_is_kept_while_the_disk_is_full_and_stored_once(fake, settings, monkeypatch):
    settings.INFERENCE_SERVICES = fake.setting("local")
    made = run(questions=1)
    fake.enqueue(Say(LONG))
    waits = []
    with full_disk() as room:
        wait = turn._Turn._wait

        def waited(turn_):
            wait(turn_)
            waits.append(turn_._fails_since)
            if waits[-1]:
                room()

        monkeypatch.setattr(turn._Turn, "_wait", waited)
        answer_all(made)
    assert any(waits), "the disk was never full"
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 1)
    assert made.responses.get().text == LONG
    assert len(fake.calls) == Attempt.objects.count() == 1


def test_a_turn_ends_when_the_disk_stays_full_and_the_response_is_asked_again(
    fake, settings, monkeypatch
):
    settings.INFERENCE_SERVICES = fake.setting("local")
    monkeypatch.setattr(turn, "KEPT", 0.0)
    made = run(questions=1)
    fake.enqueue(Say(LONG), Say(LONG))
    with full_disk(), pytest.raises(OperationalError):
        answer_all(made)
    row = made.responses.get()
    assert (row.state, row.text) == (ResponseState.RUNNING, "")
    assert not Attempt.objects.exists()

    expire()
    assert RunQueue().sweep() == 1
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 1)
    assert made.responses.get().text == LONG
    assert Attempt.objects.count() == 1
