"""A study with one question and a judge of it, signed in; the fake service of generation's tests, for judge models."""

import pytest

from tests.factories import signed_in
from tests.generation.conftest import fake, local, no_waiting_for_services
from tests.judging import factories as make

__all__ = ["fake", "local", "no_waiting_for_services"]


@pytest.fixture
def study():
    return make.open_study(drawn_from=make.finished_run(instances=1))


@pytest.fixture
def alice(study, client):
    return signed_in(client, make.judge("alice"))
