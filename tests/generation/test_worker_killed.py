"""A real worker, killed in the middle of its calls: everything is stored, and stored once."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from celery import Celery
from django.db import connection
from django.db.models.functions import Now

from config.celery import broker_options
from generation import responses, runs
from generation.embedded import ROOT
from generation.models import Attempt, Response
from generation.states import ResponseState, RunState
from tests.generation.factories import run

IN_FLIGHT = 4
QUESTIONS = 30


@pytest.fixture
def queue(tmp_path):
    """The file-system broker of a data folder, and the environment of a worker that reads it."""
    app = Celery("outside", broker="filesystem://localhost")
    app.conf.broker_transport_options = broker_options("filesystem://localhost", tmp_path)
    yield app
    app.close()


def start_worker(tmp_path, services) -> subprocess.Popen:
    command = [sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker"]
    command += ["--queues", "generation", "--pool", "threads", "--concurrency", "8"]
    command += ["--without-gossip", "--without-mingle", "--loglevel", "error"]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url(),
        "CELERY_BROKER_URL": "filesystem://localhost",
        "INFERENCE_SERVICES": json.dumps(services),
    }
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL, start_new_session=True
    )


def database_url() -> str:
    """The database under test, as another process names it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**given)


def nudge(queue) -> None:
    for _ in range(IN_FLIGHT):
        queue.send_task("generation.tasks.generate_response", args=["local"], queue="generation")


def expect_calls(fake, number: int) -> None:
    for _ in range(number):
        assert fake.arrived.acquire(timeout=60), "the worker did not ask"


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_amid_its_calls_loses_nothing_and_doubles_nothing(
    fake, settings, queue, tmp_path
):
    services = settings.INFERENCE_SERVICES = fake.setting("local", in_flight=IN_FLIGHT, timeout=30)
    made = run(questions=QUESTIONS)
    nudge(queue)
    with fake.held():
        worker = start_worker(tmp_path, services)
        expect_calls(fake, IN_FLIGHT)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(10)
    held = Response.objects.filter(run=made, state=ResponseState.RUNNING)
    assert held.count() == IN_FLIGHT

    # Its messages died with it, and nobody may take the rows before their leases run out.
    assert runs.sweep() == 0
    held.update(lease_until=Now() - timedelta(seconds=1))
    assert runs.sweep() == IN_FLIGHT
    nudge(queue)
    worker = start_worker(tmp_path, services)
    try:
        expect_calls(fake, QUESTIONS)
        worker.terminate()  # it finishes what it is doing
        assert worker.wait(60) == 0
    finally:
        worker.kill()
    runs.sweep()

    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert responses.progress(made).done == QUESTIONS
    assert Attempt.objects.count() == QUESTIONS
    assert len(fake.calls) == QUESTIONS + IN_FLIGHT
