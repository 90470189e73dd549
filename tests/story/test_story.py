"""The whole workflow on one machine, with nothing faked: bin/run starts web server, workers, scheduler and model."""

import pytest

from tests.database import source
from tests.story.house import house
from tests.story.play import People, play


@pytest.fixture
def people(django_db_setup, browser, tmp_path):
    with house(tmp_path, "--no-demo", tables=source()) as running:
        everybody = People(browser, running.url, running.first_link)
        yield everybody
        everybody.close()


def test_from_a_tag_to_a_kappa(people):
    play(people)
