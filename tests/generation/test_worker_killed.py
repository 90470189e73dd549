"""A real worker, killed in the middle of its calls: everything is stored, and stored once."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from kombu import Connection

from config.celery import broker_options
from generation import responses, runs
from generation.embedded import ROOT
from generation.models import Attempt, Response
from generation.states import ResponseState, RunState
from generation.tasks import generate_response
from tests.generation.factories import run

IN_FLIGHT = 4
QUESTIONS = 30
BROKER = "filesystem://localhost"

WORKER = [
    *(sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker"),
    *("--queues", "generation", "--pool", "threads", "--concurrency", "8"),
    *("--without-gossip", "--without-mingle", "--loglevel", "error"),
]


@pytest.fixture
def nudge(tmp_path):
    """`nudge()`: a message for each call that may be in flight, through the files that the worker reads."""
    options = broker_options(BROKER, tmp_path)

    def send() -> None:
        for _ in range(IN_FLIGHT):
            # A connection of its own: the project's may be to another broker.
            generate_response.apply_async(
                args=["local"], queue="generation", connection=connection_to_files
            )

    with Connection(BROKER, transport_options=options) as connection_to_files:
        yield send


@pytest.fixture
def start_worker(tmp_path, settings):
    """`start_worker()`: a generation worker in a process group of its own; none outlives the test."""
    started = []

    def start() -> subprocess.Popen:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(tmp_path),
            "DATABASE_URL": database_url(),
            "CELERY_BROKER_URL": BROKER,
            "INFERENCE_SERVICES": json.dumps(settings.INFERENCE_SERVICES),
        }
        with (tmp_path / "worker.log").open("a") as log:
            worker = subprocess.Popen(
                WORKER, cwd=ROOT, env=environment, stderr=log, start_new_session=True
            )
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.kill()
        worker.wait()


def database_url() -> str:
    """The database under test, as another process names it."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    return "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(**given)


def expect_calls(fake, number: int) -> None:
    for _ in range(number):
        assert fake.arrived.acquire(timeout=60), "the worker did not ask"


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_amid_its_calls_loses_nothing_and_doubles_nothing(
    fake, settings, nudge, start_worker
):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=IN_FLIGHT, timeout=30)
    made = run(questions=QUESTIONS)
    nudge()
    with fake.held():
        worker = start_worker()
        expect_calls(fake, IN_FLIGHT)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(10)
    held = Response.objects.filter(run=made, state=ResponseState.RUNNING)
    assert held.count() == IN_FLIGHT

    # Its messages died with it, and nobody may take the rows before their leases run out.
    assert runs.sweep() == 0
    held.update(lease_until=Now() - timedelta(seconds=1))
    assert runs.sweep() == IN_FLIGHT
    nudge()
    worker = start_worker()
    expect_calls(fake, QUESTIONS)
    worker.terminate()  # it finishes what it is doing
    assert worker.wait(60) == 0
    runs.sweep()

    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert responses.progress(made).done == QUESTIONS
    assert Attempt.objects.count() == QUESTIONS
    assert len(fake.calls) == QUESTIONS + IN_FLIGHT
