"""An admin opens a campaign: the page shows what would be drawn while one types, and without script by a button."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from annotation.models import Campaign
from tests.annotation import factories as annotating
from tests.browser.axe import violations
from tests.browser.conftest import intercept
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def olga():
    for _ in range(3):
        annotating.tag()
    annotating.annotator("alice")
    return person("olga", Role.ADMIN)


def test_a_campaign_is_opened_by_typing_a_name(open_page, olga):
    page = open_page(olga, width=320)
    page.goto("/campaigns/new/")
    said = page.locator("#drawn-said")
    expect(said).to_contain_text("3 of 3 tags that match. 3 annotations to make, about 3 for each")
    page.get_by_label("People for each tag").fill("2")
    expect(said).to_contain_text("6 annotations to make")
    page.get_by_text("How many", exact=True).click()
    page.get_by_label("At most this many tags").fill("1")
    expect(page.locator("#fold-number")).to_have_text(
        "at most 1, chosen at random, none in reserve, seed 1"
    )
    expect(said).to_contain_text("1 of 3 tags that match")
    page.get_by_text("Which tags", exact=True).click()
    page.get_by_label("Dated since").fill("1")
    expect(said).to_have_text("Dated since: Ensure this value is greater than or equal to 1990.")
    expect(page.get_by_role("button", name="Open the campaign")).to_have_count(0)
    assert not violations(page)
    page.get_by_label("Dated since").fill("")
    page.get_by_label("Name").fill("Mills")
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.get_by_role("heading", name="Mills")).to_be_visible()
    campaign = Campaign.objects.get()
    assert (campaign.assignments.count(), campaign.collection.name) == (2, "mills")


def test_what_was_typed_last_is_drawn_before_the_campaign_opens(open_page, olga, watch):
    """Somebody who is faster than the page sees the new drawing first."""
    page = open_page(olga)
    page.goto("/campaigns/new/")
    expect(page.locator("#drawn-said")).to_contain_text("3 annotations to make")
    page.get_by_label("Name").fill("Mills")
    intercept(
        page,
        "**/campaigns/new/",
        lambda route: route.abort() if _is_typed(route) else route.continue_(),
    )
    watch.expect("ERR_FAILED")
    watch.expect("400 (Bad Request)")
    watch.expect("htmx:sendError")
    watch.expect("htmx:afterRequest")
    page.get_by_label("People for each tag").fill("2")
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.locator("#error-summary")).to_contain_text("has changed since you saw it")
    assert not Campaign.objects.exists()
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.get_by_role("heading", name="Mills")).to_be_visible()
    assert Campaign.objects.get().assignments.count() == 6


def _is_typed(route) -> bool:
    return "hx-request" in route.request.headers


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_a_campaign_without_a_name_gives_the_focus_to_what_is_wrong(open_page, olga, watch, script):
    watch.expect("400 (Bad Request)")
    page = open_page(olga, java_script_enabled=script)
    page.goto("/campaigns/new/")
    page.get_by_role("button", name="Open the campaign" if script else "Dry run").click()
    expect(page.locator("#error-summary")).to_be_focused()


def test_without_script_a_button_shows_what_would_be_drawn(open_page, olga):
    page = open_page(olga, java_script_enabled=False)
    page.goto("/campaigns/new/")
    page.get_by_label("Name").fill("Mills")
    page.get_by_role("button", name="Dry run").click()
    expect(page.locator("#drawn")).to_be_focused()
    expect(page.locator("#drawn-said")).to_contain_text("3 annotations to make")
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.get_by_role("heading", name="Mills")).to_be_visible()
