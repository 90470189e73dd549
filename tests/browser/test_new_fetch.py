"""One form for all sources of a fetch: it shows the fields of the source that is chosen, with script and without."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from tests.browser.axe import violations
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)
FIELDS = {
    "All articles with a kind of tag": "Kind of tag, At most, Your contact",
    "The articles of a category": "Category, Levels of subcategories, At most, Your contact",
    "A list of articles": "Titles, Or a file of titles, Your contact",
    "A file: an export or a dump of a wiki": "Export file",
}
ALL = {field for fields in FIELDS.values() for field in fields.split(", ")}


@pytest.mark.parametrize("script", [True, False])
def test_the_fields_are_those_of_the_source(open_page, script):
    page = open_page(person("olga", Role.ADMIN), width=320, java_script_enabled=script)
    page.goto("/fetches/new/")
    for source, fields in FIELDS.items():
        page.get_by_label(source).check()
        shown = {label for label in ALL if page.get_by_label(label, exact=True).is_visible()}
        assert shown == {*fields.split(", ")}
        if script:
            assert not violations(page)


@pytest.mark.parametrize("script", [True, False])
def test_the_names_of_a_list_are_shown_before_they_are_fetched(open_page, script, watch):
    page = open_page(person("olga", Role.ADMIN), java_script_enabled=script)
    page.goto("/fetches/new/")
    page.get_by_label("A list of articles").check()
    page.get_by_label("Titles", exact=True).fill("Kettle Mill\nWeir\nKettle_Mill")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("2 articles would be asked for. 1 line left")
    expect(page.locator("#preview li")).to_have_text(["Kettle Mill", "Weir"])
    page.get_by_role("button", name="Start the fetch").click()
    watch.expect("400 (Bad Request)")
    expect(page.locator("#error-summary")).to_contain_text("Your contact: This field is required.")
    expect(page.get_by_label("Titles", exact=True)).to_have_value("Kettle Mill\nWeir\nKettle_Mill")
    expect(page.get_by_label("A list of articles")).to_be_checked()
