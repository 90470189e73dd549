"""A freeze that a worker carries out: its page goes along, and shows the release at the end."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from datasets.models import FreezeJob
from datasets.releasing import freeze_jobs
from tests.browser.axe import violations
from tests.datasets.factories import mills, record
from tests.factories import person


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_freeze_goes_along_until_the_release_is_there(
    open_page, monkeypatch, settings, tmp_path
):
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(freeze_jobs, "LARGE", 1)
    collection = mills(record(title="A"), record(title="B"))
    page = open_page(person("alice", Role.ADMIN), width=390)
    page.goto("/collections/mills/")
    page.get_by_text("Freeze a release", exact=True).click()
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Freeze", exact=True).click()
    expect(page.get_by_text("It begins when a worker is free.")).to_be_visible()
    job = FreezeJob.objects.get()
    FreezeJob.objects.update(state="failed", error="There was no room.", total=10, done=4)
    expect(page.get_by_text("There was no room.")).to_be_visible()
    expect(page.get_by_text("4 of 10")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Back to the releases").click()
    again = {"collection": collection, "version": "1.0", "notes": "", "by": job.started_by}
    freeze_jobs.begin(**again)
    page.get_by_role("link", name="Version 1.0").click()
    expect(page.get_by_text("It begins when a worker is free.")).to_be_visible()
    freeze_jobs.carry_out(job.pk)
    expect(page).to_have_url(f"{settings.BASE_URL}/collections/mills/releases/1.0/")
