"""A call that takes too long, and a message that comes twice: one stored response, and no endless wait."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from generation import responses
from generation.asking.dispatch import ask_service
from generation.models import Attempt
from generation.states import ResponseState, RunState
from tests.generation.factories import answer_all, ripen, run
from tests.generation.fake_service import FakeService, Trickle

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def fake():
    with FakeService() as service:
        yield service


def carried_out() -> None:
    """The task as a worker thread runs it."""
    try:
        ask_service.apply(args=["local"], throw=True)
    finally:
        connection.close()


def test_a_task_whose_answer_never_ends_ends_by_itself_and_the_answer_is_stored_once(
    fake, settings
):
    settings.INFERENCE_SERVICES = fake.setting("local", timeout=0.3)
    made = run(questions=1)
    fake.enqueue(Trickle())
    with ThreadPoolExecutor(1) as pool:
        pool.submit(carried_out).result(10)
    row = made.responses.get()
    assert (row.state, row.lease_holder) == (ResponseState.PENDING, "")
    assert "did not answer within 0.3 seconds" in row.error

    ripen()
    answer_all(made)
    assert (made.state, responses.progress(made).done) == (RunState.DONE, 1)
    assert Attempt.objects.count() == 2  # the endless one, and the one that answered


def test_a_message_delivered_twice_is_one_call(fake, settings, carry_out):
    settings.INFERENCE_SERVICES = fake.setting("local", in_flight=2, timeout=30)
    made = run(questions=1)
    with ThreadPoolExecutor(2) as pool:
        with fake.held():
            first = pool.submit(carried_out)
            assert fake.arrived.acquire(timeout=10)
            pool.submit(carried_out).result(5)  # sees the turn of the first, and stops
            assert len(fake.calls) == 1
        first.result(10)
    assert responses.progress(made).done == len(fake.calls) == Attempt.objects.count() == 1
