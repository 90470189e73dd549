"""The whole workflow on one machine, with nothing faked: bin/run starts web server, workers, scheduler and model."""

import pytest
from django.db import connection

from tests.story.house import house
from tests.story.play import People, play


@pytest.fixture
def tables(request):
    """On SQLite a file with all tables; another server is begun empty."""
    return request.getfixturevalue("ready_database") if connection.vendor == "sqlite" else None


@pytest.fixture
def people(tables, browser, tmp_path):
    with house(tmp_path, tables, "--no-demo") as running:
        everybody = People(browser, running.url, running.first_link)
        yield everybody
        everybody.close()


def test_from_a_tag_to_a_kappa(people):
    play(people)
