"""The broker is down for a while, and then loses all it had: people notice nothing, and the work is done once."""

import pytest
from django.urls import reverse

from accounts.roles import Role
from generation.models import Attempt, Response
from generation.states import ResponseState, RunState
from generation.tasks import sweep_responses
from tests.factories import person
from tests.faults.conftest import pause, until
from tests.generation.factories import canals, echo, run

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def test_what_is_started_while_the_broker_is_gone_is_done_once(
    fake, settings, broker, start_worker, client, full_size
):
    starts, down_for = (100, 60.0) if full_size else (12, 1.0)
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=4, timeout=30)
    collection, model = canals(1), echo()
    made = [run(collection=collection, models=[model], started=False) for _ in range(starts)]
    client.force_login(person("alice", *Role))
    worker = start_worker()

    for n, one in enumerate(made):
        if n == starts // 3:
            # The worker is at work, and not only about to be.
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

    until(
        lambda: not Response.objects.exclude(state=ResponseState.DONE).exists(), 60, sweep_responses
    )
    assert worker.poll() is None, "the worker did not outlive the broker"
    assert all(one.state == RunState.DONE for one in _afresh(made))
    assert len(fake.calls) == Attempt.objects.count() == starts


def _afresh(made):
    for one in made:
        one.refresh_from_db()
    return made
