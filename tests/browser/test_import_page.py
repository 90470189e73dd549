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
    expect(page.get_by_role("link", name="Open knot")).to_be_visible()
    assert not violations(page)
    assert list(Collection.objects.get().file_kept) == ["implicit"]
