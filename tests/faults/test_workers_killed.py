"""Real workers, killed during their calls: every response is stored once."""

import random

import pytest

from config.celery import VISIBILITY_TIMEOUT, app
from generation import call_queues, responses
from generation.asking import turn
from generation.inference import scoring
from generation.inference.service_entries import LONGEST_TIMEOUT
from generation.models import Attempt, FirstReply, OptionScore, RejectedReply, Response
from generation.states import ResponseState, RunState
from generation.tasks import sweep_calls
from tests.faults.conftest import kill, pause, until
from tests.generation.factories import echo, expire, lettered, run, spanned, two_turns
from tests.generation.fake_service import LEGACY

pytestmark = pytest.mark.django_db(transaction=True)

IN_FLIGHT = 4


def running(made):
    return Response.objects.filter(run=made, state=ResponseState.RUNNING)


def expect_call(fake) -> None:
    """Until a worker asks; the sweeper wakes it, because the messages of killed workers are lost."""
    while fake.arrived.acquire(blocking=False):
        pass
    until(lambda: fake.arrived.acquire(blocking=False), 60, sweep_calls)


@pytest.mark.parametrize("kind", ["one turn", "two turns", "asked again", "scores"])
def test_a_massacre_of_workers_loses_nothing_and_doubles_nothing(
    fake, settings, start_worker, seed, full_size, kind
):
    questions, kills, fake.latency = (500, 25, 0.4) if full_size else (40, 2, 0.3)
    if kind in ("asked again", "scores") and not full_size:
        questions //= 2
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=IN_FLIGHT, timeout=1)
    fake.scores = LEGACY
    prompt = {
        "one turn": lambda: "4",
        "two turns": two_turns,
        "asked again": lambda: spanned(times=2, insist=True),
        "scores": lettered,
    }[kind]
    model = echo()
    if kind == "scores":
        model.abilities = {"scores": scoring.COMPLETIONS, "alternatives": 20}
        model.save()
    made = run(questions=questions, prompts=(prompt(),), models=[model])
    calls = questions * (2 if kind in ("two turns", "asked again") else 1)
    chance, held = random.Random(seed), 0
    for _ in range(kills):
        worker = start_worker()
        expect_call(fake)
        pause(chance.uniform(0.1, 2.0 if full_size else 0.8))
        kill(worker)
        held += running(made).count()
        if full_size or kind != "one turn":
            expire()  # with the real leases, there would be a call every ten seconds only
    assert held > 0, "no worker died over a call"
    worker = start_worker()
    most = calls * fake.latency / IN_FLIGHT * 4 + 60
    left = made.responses.filter(state__in=responses.OPEN)
    until(lambda: not left.exists(), 2 * turn.LEASE + most, sweep_calls)
    worker.terminate()  # it finishes its current task
    assert worker.wait(60) == 0

    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert responses.progress(made).done == questions
    assert FirstReply.objects.count() == (questions if kind == "two turns" else 0)
    assert RejectedReply.objects.count() == (calls if kind == "asked again" else 0)
    assert OptionScore.objects.count() == (2 * questions if kind == "scores" else 0)
    assert Attempt.objects.count() == calls
    assert calls < len(fake.calls) <= calls + kills * 2 * IN_FLIGHT


def test_the_work_of_a_dead_worker_goes_on_within_15_seconds():
    """Its leases run out, then the scheduler sends for its service."""
    assert turn.LEASE + app.conf.beat_schedule["sweep-calls"]["schedule"] < 15
    assert turn.TURN + LONGEST_TIMEOUT < app.conf.task_time_limit < VISIBILITY_TIMEOUT / 2


def test_a_response_over_which_every_worker_dies_fails_with_the_reason(
    fake, settings, start_worker, full_size
):
    deaths = call_queues.MAX_ATTEMPTS if full_size else 2
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=1, timeout=30)
    made = run(questions=1)
    made.responses.update(attempts=call_queues.MAX_ATTEMPTS - deaths)
    with fake.held():
        for death in range(1, deaths + 1):
            worker = start_worker()
            expect_call(fake)
            kill(worker)
            expire()
            sweep_calls()
            state = made.responses.get().state
            assert (state == ResponseState.FAILED) == (death == deaths)
    made.refresh_from_db()
    assert made.state == RunState.DONE
    assert "The worker stopped while it asked" in made.responses.get().error
    assert len(fake.calls) == deaths
