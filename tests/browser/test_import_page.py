"""The import page offers the part of a data set that the name of a file says."""

import pytest
from playwright.sync_api import expect

from accounts.roles import Role
from datasets.models import Collection
from demonstration.examples import KNOT
from protocols.installed import install
from protocols.shipped import file_of
from tests.browser.axe import violations
from tests.factories import person

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_level_is_offered_from_the_name_of_the_file(open_page, carry_out):
    install(file_of("knot"), "knot.toml")
    page = open_page(person("olga", Role.ADMIN), width=320)
    page.goto("/collections/new/import/")
    part, file = page.get_by_label("Part of the data set"), page.get_by_label("File", exact=True)
    expect(part).to_have_value("")
    file.set_input_files(KNOT.paths[1])
    expect(part).to_have_value("explicit")
    file.set_input_files({"name": "other.json", "mimeType": "text/json", "buffer": b"{}"})
    expect(part).to_have_value("")
    file.set_input_files(KNOT.paths[2])
    expect(part).to_have_value("implicit")
    assert not violations(page)
    page.get_by_label("Collection").fill("knot")
    page.get_by_label("Format").select_option("knot")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_text("It begins when a worker is free.")).to_be_visible()
    carry_out()
    expect(page.get_by_text("Would be added")).to_be_visible()
    assert not violations(page)
    page.get_by_role("button", name="Import").click()
    carry_out()
    expect(page.get_by_role("link", name="Open the collection")).to_be_visible()
    assert not violations(page)
    assert list(Collection.objects.get().file_kept) == ["implicit"]


def test_the_columns_of_a_table_are_chosen_by_keyboard_on_a_phone(open_page, carry_out, watch):
    watch.expect("status of 400")
    names = ["السؤال", *(f"a long name of a column {n}" for n in range(9))]
    long = ["نص طويل " * 60, "Passage. " * 60, "unbroken" * 60, "1850", "=1+1", *["note"] * 5]
    table = "\n".join([",".join(names), *[",".join(long)] * 12])
    page = open_page(person("olga", Role.ADMIN), width=320)
    page.goto("/collections/new/import/")
    page.get_by_label("Collection").fill("mills")
    page.get_by_label("Format").select_option("csv")
    file = {"name": "جدول.csv", "mimeType": "text/csv", "buffer": table.encode()}
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("row")).to_have_count(11)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert not violations(page)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("alert")).to_contain_text("No column is mapped to Question")
    assert not violations(page)
    page.get_by_label(names[0]).focus()
    for typed in (
        "Question",
        "Passage 1",
        "Passage 2",
        "Answer of passage 1",
        "Answer of passage 2",
    ):
        page.keyboard.type(typed)
        page.keyboard.press("Tab")
    page.get_by_role("button", name="Check the file").press("Enter")
    expect(page.get_by_text("It begins when a worker is free.")).to_be_visible()
    carry_out()
    expect(page.get_by_role("link", name="Change the columns")).to_be_visible()
    expect(page.get_by_text("column “a long name of a column 5”: 12")).to_be_visible()
    assert not violations(page)
    page.get_by_role("button", name="Import").click()
    carry_out()
    page.get_by_role("link", name="Open the collection").click()
    expect(page.get_by_role("heading", name="mills")).to_be_visible()
    assert not violations(page)
