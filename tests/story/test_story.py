"""The whole workflow on one machine, with nothing faked: bin/run starts web server, workers, scheduler and model."""

import pytest

from tests.story.house import house
from tests.story.play import People, play


@pytest.fixture
def people(browser, tmp_path, ready_database):
    with house(tmp_path, ready_database, "--no-demo") as running:
        everybody = People(browser, running.url, running.first_link)
        yield everybody
        everybody.close()


def test_from_a_tag_to_a_kappa(people):
    play(people)
