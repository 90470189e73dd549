"""The application's clock jumps an hour either way: leases use the database's clock."""

import time
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotation.campaigns.claiming import LEASE_SECONDS, next_assignment, sweep_assignments
from generation import client, responses, runs
from generation.states import ResponseState
from leases.clock import now
from tests.annotation.factories import annotator, campaign
from tests.generation.factories import run

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
    service = client.service("local").entry
    held = responses.Queue(made).claim(service, "alice")
    assert service.lease - 30 < seconds_left(held.lease_until) <= service.lease
    assert runs.sweep() == 0

    made.responses.update(lease_until=now() - timedelta(seconds=1))
    assert runs.sweep() == 1
    assert made.responses.get().state == ResponseState.PENDING


def test_a_pause_after_a_fault_is_over_when_it_is_over(jumped, fake, settings):
    settings.INFERENCE_SERVICES = fake.setting("local")
    made = run(questions=1)
    made.responses.update(not_before=now() + timedelta(seconds=60))
    assert not runs.answer_next("local", made)
    made.responses.update(not_before=now() - timedelta(seconds=1))
    assert runs.answer_next("local", made)
