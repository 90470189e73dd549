"""A service to ask, on loopback, and no pauses between tries."""

import pytest

from generation import client
from tests.generation.fake_service import FakeService


@pytest.fixture
def fake():
    with FakeService() as service:
        yield service


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(client, "BRIEF_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(client, "OUTAGE_PAUSE", 0.0)


@pytest.fixture
def local(fake, settings):
    """The fake under the name `local`, as the project's setting has it."""
    settings.INFERENCE_SERVICES = fake.setting("local")
    return client.service("local")
