"""Real workers, killed during their calls: every response is stored once."""

import random
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from generation import client, dispatch, responses, runs
from generation.models import Attempt, Response
from generation.states import ResponseState, RunState
from generation.tasks import sweep_responses
from tests.faults.conftest import kill, pause, until
from tests.generation.factories import run

pytestmark = pytest.mark.django_db(transaction=True)

IN_FLIGHT = 4


def running(made):
    return Response.objects.filter(run=made, state=ResponseState.RUNNING)


def expire(made) -> None:
    """Let the leases of dead workers expire."""
    running(made).update(lease_until=Now() - timedelta(seconds=1))


def expect_call(fake) -> None:
    while fake.arrived.acquire(blocking=False):
        pass
    assert fake.arrived.acquire(timeout=20), "the worker did not ask"


def test_a_massacre_of_workers_loses_nothing_and_doubles_nothing(
    fake, settings, start_worker, seed, full_size
):
    questions, kills, fake.latency = (500, 25, 0.4) if full_size else (40, 2, 0.3)
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=IN_FLIGHT, timeout=1)
    made = run(questions=questions)
    chance, held = random.Random(seed), 0
    for _ in range(kills):
        sweep_responses()  # as the scheduler does: the messages of killed workers are lost
        worker = start_worker()
        expect_call(fake)
        pause(chance.uniform(0.1, 2.0 if full_size else 0.8))
        kill(worker)
        held += running(made).count()
    assert held > 0, "no worker died over a call"
    assert runs.sweep() == 0 or full_size  # nobody takes the rows before their leases expire

    lease = client.service("local").entry.lease
    if not full_size:
        expire(made)
    worker = start_worker()
    most = questions * fake.latency / IN_FLIGHT * 4 + 60
    left = made.responses.filter(state__in=responses.OPEN)
    until(lambda: not left.exists(), 2 * lease + most, sweep_responses)
    worker.terminate()  # it finishes its current task
    assert worker.wait(60) == 0

    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert responses.progress(made).done == questions
    assert Attempt.objects.count() == questions
    assert questions < len(fake.calls) <= questions + kills * IN_FLIGHT


def test_a_response_over_which_every_worker_dies_fails_with_the_reason(
    fake, settings, start_worker, full_size
):
    deaths = dispatch.MAX_ATTEMPTS if full_size else 2
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1, timeout=30)
    made = run(questions=1)
    made.responses.update(attempts=dispatch.MAX_ATTEMPTS - deaths)
    with fake.held():
        for death in range(1, deaths + 1):
            sweep_responses()
            worker = start_worker()
            expect_call(fake)
            kill(worker)
            expire(made)
            runs.sweep()
            state = made.responses.get().state
            assert (state == ResponseState.FAILED) == (death == deaths)
    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert "The worker stopped while it asked" in made.responses.get().error
    assert len(fake.calls) == deaths
