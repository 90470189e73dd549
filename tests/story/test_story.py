"""The whole workflow on one machine, with nothing faked: bin/run starts web server, workers, scheduler and model."""

import pytest
from playwright.sync_api import expect

from tests.database import source
from tests.story.house import house
from tests.story.play import People, fetch, play


@pytest.fixture
def people(django_db_setup, browser, tmp_path):
    with house(tmp_path, "--no-demo", tables=source()) as running:
        everybody = People(browser, running.url, running.first_link)
        yield everybody
        everybody.close()


def test_from_a_tag_to_a_kappa(people):
    play(people)


@pytest.mark.postgres
def test_one_machine_may_use_a_given_postgresql_and_redis(people):
    """The worker reads a file that was uploaded, and no page shows an alarm."""
    admin = people.join(people.first_link, "ada")
    fetch(admin)
    admin.goto("people/")
    expect(admin.get_by_role("heading", name="People", exact=True)).to_be_visible()
    expect(admin.locator(".alarms")).to_have_count(0)
