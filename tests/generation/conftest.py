"""A service to ask, on loopback, and turns that wait for nothing."""

import pytest

from generation import runs
from generation.asking import turn
from generation.inference import client
from tests.generation.fake_service import FakeService


@pytest.fixture
def fake():
    with FakeService() as service:
        yield service


@pytest.fixture(autouse=True)
def no_waiting_for_services(monkeypatch):
    """A turn ends where it would wait for a paused service."""
    monkeypatch.setattr(turn, "WAITED", 0.0)


@pytest.fixture
def local(fake, settings):
    """The fake under the name `local`, as the project's setting has it."""
    settings.INFERENCE_SERVICES = fake.setting("local")
    return client.service("local")


@pytest.fixture
def seeded(monkeypatch):
    """Runs have the seed 7."""
    monkeypatch.setattr(runs.secrets, "randbelow", lambda most: 7)
