"""A protocol's file in the browser: its faults, the page that shows it, and installing it."""

import pytest
from playwright.sync_api import expect

from protocols.models import Protocol
from tests.browser.test_every_page import look
from tests.protocols.factories import WHOLE, changed

pytestmark = pytest.mark.django_db(transaction=True)

RIGHT = changed('says = "question"\n', "", WHOLE)
WRONG = changed(
    "version = 1", 'version = "one"', changed('cells = ["accuracy"]', 'cells = ["acuracy"]', RIGHT)
)


def test_a_wrong_file_is_explained_and_a_right_one_is_shown_and_installed(open_page, olga, watch):
    watch.expect("status of 400")
    page = open_page(olga)
    choose(page, WRONG)
    expect(page.get_by_text("Line 3", exact=True)).to_be_visible()
    choose(page, RIGHT)
    page.get_by_text("With the source").click()
    expect(
        page.get_by_text("Text of source.\nText of question. Options 1 or Options 2?")
    ).to_be_visible()
    page.get_by_role("button", name="Install").click()
    expect(page.get_by_text("mills version 1 is installed.")).to_be_visible()
    assert Protocol.objects.get().text == RIGHT


def test_the_pages_of_a_file_are_accessible_and_fit(open_page, rosa, watch):
    watch.expect("status of 400")
    page = open_page(rosa)
    choose(page, WRONG)
    assert look(page, "faults") == []
    choose(page, RIGHT)
    page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
    assert look(page, "shown") == []


def choose(page, text):
    page.goto("/protocols/check/")
    file = {"name": "mills.toml", "mimeType": "application/toml", "buffer": text.encode()}
    page.locator("#id_file").set_input_files(file)
    with page.expect_navigation():
        page.get_by_role("button", name="Check").click()
