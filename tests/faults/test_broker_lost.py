"""The broker is down for a while, then loses all messages: people see no error, and work is done once."""

from itertools import cycle

import pytest
from django.test import Client
from django.urls import reverse

from accounts.rates import JOBS
from accounts.roles import Role
from generation.models import Attempt, Response, Run
from generation.states import ResponseState, RunState
from generation.tasks import sweep_calls
from tests.factories import person
from tests.faults.conftest import pause, until
from tests.generation.factories import canals, echo, run

pytestmark = pytest.mark.django_db(transaction=True)

MOST = min(rate.burst for rate in JOBS["runs"])  # runs that one person may start at once


def test_what_is_started_while_the_broker_is_gone_is_done_once(
    fake, settings, broker, start_worker, full_size
):
    starts, down_for = (100, 60.0) if full_size else (12, 1.0)
    # With a lease that ends within the wait below: a claim may be lost together with the broker.
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=4, timeout=5)
    collection, model = canals(1), echo()
    made = [run(collection=collection, models=[model], started=False) for _ in range(starts)]
    clients = [signed_in(f"person-{n}") for n in range(starts // MOST + 1)]
    worker = start_worker()

    for n, (one, client) in enumerate(zip(made, cycle(clients), strict=False)):
        if n == starts // 3:
            # The worker has begun its work.
            until(lambda: Response.objects.filter(state=ResponseState.DONE).exists(), 60)
            broker.stop()
        if n == 2 * starts // 3:
            broker.start()
        if n == 5 * starts // 6:
            broker.lose_everything()
        if starts // 3 <= n < 2 * starts // 3:
            pause(down_for / (starts // 3))
        answer = client.post(reverse("generation:change_run", args=[one.pk, "start"]))
        assert answer.status_code == 302

    until(lambda: Run.objects.filter(state=RunState.DONE).count() == starts, 60, sweep_calls)
    assert worker.poll() is None, "the worker did not outlive the broker"
    assert not Response.objects.exclude(state=ResponseState.DONE).exists()
    assert len(fake.calls) == Attempt.objects.count() == starts


def signed_in(name: str) -> Client:
    client = Client()
    client.force_login(person(name, *Role))
    return client
