"""The guideline on the annotate page: a drawer over the evidence, which leaves the form and its focus alone."""

import re

import pytest
from playwright.sync_api import expect

from tests.annotation import factories as make
from tests.browser.axe import violations
from tests.browser.conftest import sign_in
from tests.browser.test_annotate_page import address

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def draft(alice):
    return make.draft(alice, validity="Valid")


@pytest.fixture
def desk(page, alice, draft):
    sign_in(page, alice)
    page.goto(address(draft))
    expect(page.locator("[data-ready]")).to_be_attached()
    page.locator("[data-step-link=validity]").click()
    return page


def drawer(page, step="validity"):
    return page.locator(f"#guideline-{step}")


def test_the_drawer_covers_the_evidence_and_not_the_form(desk):
    form = desk.locator(".desk-form").bounding_box()
    focus = desk.evaluate_handle("document.activeElement")
    desk.keyboard.press("g")
    expect(drawer(desk)).to_be_visible()
    assert desk.locator(".desk-form").bounding_box() == form
    evidence, over = desk.locator(".desk-evidence").bounding_box(), drawer(desk).bounding_box()
    assert over == pytest.approx(evidence, abs=1)
    assert desk.evaluate("at => at === document.activeElement", focus)
    desk.keyboard.press("g")
    expect(drawer(desk)).to_be_hidden()


def test_it_stays_open_while_one_writes_and_escape_closes_it_first(desk):
    desk.keyboard.press("g")
    box = desk.locator("[name=valid_comment]")
    box.click()
    desk.keyboard.type("In the lead. g")
    expect(drawer(desk)).to_be_visible()
    desk.keyboard.press("Escape")
    expect(drawer(desk)).to_be_hidden()
    expect(box).to_be_focused()
    expect(box).to_have_value("In the lead. g")
    desk.keyboard.press("Escape")
    expect(box).not_to_be_focused()


def test_it_goes_along_with_the_step(desk):
    desk.keyboard.press("g")
    desk.keyboard.press("n")
    expect(drawer(desk)).to_be_hidden()
    expect(drawer(desk, "passages")).to_contain_text("Step 2. The two passages")
    expect(drawer(desk, "passages")).to_be_visible()


def test_its_button_opens_it_and_close_gives_the_focus_back_to_the_step(desk):
    desk.locator("#step-validity").get_by_role("button", name="Guideline").click()
    expect(drawer(desk)).to_be_visible()
    link = drawer(desk).get_by_role("link", name="The whole guideline")
    assert link.get_attribute("href") == "/annotate/guideline/1/#step-1"
    assert link.get_attribute("target") == "_blank"
    drawer(desk).get_by_role("button", name="Close").click()
    expect(drawer(desk)).to_be_hidden()
    expect(desk.locator("#step-validity :focus, #step-validity:focus")).to_be_attached()


@pytest.mark.parametrize("width", [1440, 320])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everyone_and_on_a_phone_has_the_whole_width(
    open_page, alice, draft, width, scheme
):
    page = open_page(alice, width=width, height=768)
    page.emulate_media(color_scheme=scheme)
    page.goto(address(draft))
    expect(page.locator("[data-ready]")).to_be_attached()
    page.locator("[data-step-link=types]").click()
    page.keyboard.press("g")
    expect(drawer(page, "types")).to_be_visible()
    if width == 320:
        assert drawer(page, "types").bounding_box()["width"] == pytest.approx(320, abs=1)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_without_script_its_button_opens_and_closes_it(open_page, alice, draft):
    page = open_page(alice, java_script_enabled=False)
    page.goto(address(draft))
    button = page.locator("#step-passages").get_by_role("button", name="Guideline")
    button.click()
    expect(drawer(page, "passages")).to_be_visible()
    button.click()
    expect(drawer(page, "passages")).to_be_hidden()


def test_an_admin_edits_previews_and_saves_without_script(open_page):
    page = open_page(make.admin("oda"), java_script_enabled=False)
    page.goto("/campaigns/guideline/edit/")
    page.get_by_role("textbox", name="Step 1. Is the tag valid?").fill("Read **all** of it.")
    page.get_by_role("button", name=re.compile("Preview ?: Step 1")).click()
    expect(page.get_by_role("region", name="Preview: Step 1").locator("strong")).to_have_text("all")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.get_by_role("row", name="Version 2")).to_contain_text("Oda")
