"""A report's first screen, and the parts that are folded below it."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.roles import Role
from tests.evaluation.factories import judged_study
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = {"width": 1366, "height": 768}


@pytest.fixture
def page(open_page):
    study = judged_study("alice", "bob")
    page = open_page(person("rita", Role.RESEARCHER))
    page.set_viewport_size(SIZE)
    page.goto(reverse("evaluation:report", args=[study.pk]))
    return page


def test_the_first_screen_has_the_result_and_all_shares(page):
    assert page.evaluate("document.documentElement.scrollHeight") <= 3000
    for panel in page.locator(".panel").all():
        box = panel.bounding_box()
        assert box["y"] + box["height"] <= SIZE["height"]
        expect(panel).to_contain_text("Cohen's kappa")


@pytest.mark.parametrize(
    ("link", "shown"), [("Verdicts", "Final verdicts on prompt"), ("Downloads", "as JSON")]
)
def test_a_link_to_a_folded_part_opens_it(page, link, shown):
    part = page.locator("details.fold", has_text=shown).first
    assert not part.evaluate("part => part.open")
    page.get_by_role("navigation", name="On this page").get_by_role("link", name=link).click()
    assert part.evaluate("part => part.open")


def test_all_parts_are_printed(page):
    table = page.locator("#agreement table").first
    expect(table).not_to_be_visible()
    page.emulate_media(media="print")
    expect(table).to_be_visible()


def test_models_can_be_shown_as_listed(page):
    link = page.get_by_role("link", name="As listed")
    names = page.locator(".panel").first.locator(".chart-label")
    before = names.all_text_contents()
    link.click()
    expect(page.get_by_role("link", name="Highest mean share first")).to_be_visible()
    assert sorted(names.all_text_contents()) == sorted(before)
    page.get_by_role("link", name="Highest mean share first").click()
    expect(link).to_be_visible()
    assert names.all_text_contents() == before
