"""The application's clock jumps an hour either way: leases use the database's clock."""

import time
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotation.workflow.claiming import LEASE_SECONDS, next_assignment, sweep_assignments
from generation.asking import turn
from generation.asking.runqueue import RunQueue
from generation.models import ServiceStatus
from generation.states import ResponseState
from leases.clock import now
from tests.annotation.factories import annotator, campaign
from tests.generation.factories import answer_all, run

pytestmark = pytest.mark.django_db

HOUR = 3600


@pytest.fixture(params=[HOUR, -HOUR], ids=["an hour ahead", "an hour behind"])
def jumped(request, monkeypatch):
    """All clocks of the application are wrong; the database's is right."""
    real, real_now = time.time, timezone.now
    monkeypatch.setattr(time, "time", lambda: real() + request.param)
    monkeypatch.setattr(timezone, "now", lambda: real_now() + timedelta(seconds=request.param))


def seconds_left(until: datetime) -> float:
    return (until - now()).total_seconds()


def test_a_place_is_held_as_long_as_ever(jumped):
    place = next_assignment(by=annotator(), campaign=campaign())
    assert LEASE_SECONDS - 60 < seconds_left(place.lease_until) <= LEASE_SECONDS
    assert sweep_assignments() == 0


def test_a_response_is_held_as_long_as_ever_and_taken_back_when_that_is_over(
    jumped, fake, settings
):
    settings.INFERENCE_SERVICES = fake.setting("local")
    made = run(questions=1)
    queue = RunQueue(made)
    (line,) = queue.lines("local")
    queue.claim(line, "alice", turn.LEASE, 1)
    row = made.responses.get()
    assert 0 < seconds_left(row.lease_until) <= turn.LEASE
    assert queue.sweep() == 0

    made.responses.update(lease_until=now() - timedelta(seconds=1))
    assert queue.sweep() == 1
    assert made.responses.get().state == ResponseState.PENDING


def test_a_pause_after_a_fault_is_over_when_it_is_over(jumped, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local")
    made = run(questions=1)
    made.responses.update(not_before=now() + timedelta(seconds=60))
    assert answer_all(made) == 0
    made.responses.update(not_before=now() - timedelta(seconds=1))
    assert answer_all(made) == 1


def test_a_services_pause_is_over_when_it_is_over(jumped, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local")
    made = run(questions=1)
    ServiceStatus.objects.create(name="local", paused_until=now() + timedelta(seconds=60))
    assert answer_all(made) == 0
    ServiceStatus.objects.update(paused_until=now() - timedelta(seconds=1))
    assert answer_all(made) == 1
