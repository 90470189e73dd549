"""Invitations for several people, and the file of their links."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from accounts.models import Invitation
from accounts.roles import Role
from tests.browser.axe import violations
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("script", [True, False])
def test_the_links_of_several_people_are_shown_and_downloaded(open_page, script, watch):
    page = open_page(person("olga", Role.ADMIN), width=320, java_script_enabled=script)
    page.goto("/people/")
    page.get_by_role("link", name="Invite people").click()
    page.get_by_label("For whom").fill("Ada, judge\nBob, jugde")
    page.get_by_role("button", name="Create invitation links").click()
    watch.expect("422 (Unprocessable")
    expect(page.locator("#error-summary")).to_contain_text("Line 2: There is no role “jugde”.")
    page.get_by_label("For whom").fill("Ada, judge\nBob, judge")
    page.get_by_role("button", name="Create invitation links").click()
    link = page.get_by_label("Link for Ada").input_value()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert download.value.suggested_filename == "invitations.csv"
    rows = list(csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
    assert rows[1] == ["Ada", "judge", link]
    assert (len(rows), Invitation.objects.count()) == (3, 2)
    if script:
        assert not violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 320
