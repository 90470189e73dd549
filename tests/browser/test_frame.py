"""The frame of every page: signing in, and the `watch` fixture of the browser tests."""

import pytest
from playwright.sync_api import expect

from accounts.models import SecondFactor
from accounts.roles import Role
from tests.browser.axe import violations
from tests.browser.conftest import Watch
from tests.factories import PASSWORD, person


def test_alice_signs_in_with_her_password_and_out_again(page, live_server):
    person("alice", Role.ANNOTATOR)
    page.goto("/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Password")).to_be_visible()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [320, 1440])
def test_the_first_page_never_scrolls_sideways(open_page, width, dark):
    long = "Alice Konstantinowna von Hohenlohe-Waldenburg"
    page = open_page(person("alice", *Role, name=long), width=width, dark=dark)
    page.goto("/")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_open_confirmation_fits_on_a_narrow_screen(open_page):
    page = open_page(person("alice", Role.ADMIN), width=320)
    someone = person("bob")
    SecondFactor.objects.create(person=someone, secret="sealed", last_step=0)
    page.goto(f"/people/{someone.pk}/")
    page.locator("summary", has_text="Remove the second factor").press("Enter")
    expect(page.get_by_role("button", name="Yes, remove the second factor")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_watch_sees_what_a_page_must_not_do(open_page, watch: Watch):
    page = open_page()
    page.goto("/")
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">styled</p>')"
    )
    page.evaluate("new Image().src = 'http://192.0.2.1/picture.png'")
    page.wait_for_function("true")
    seen = watch.unexpected()
    assert any("Content Security Policy" in line for line in seen)
    watch.complaints.clear()


def test_axe_sees_what_a_page_must_not_have(page, live_server):
    page.goto("/")
    assert violations(page) == []
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert violations(page) == ["image-alt: <img>"]


def test_axe_sees_the_one_row_among_many_alike_that_is_hard_to_read(page, live_server):
    page.goto("/")
    page.evaluate(
        """() => {
          const rows = Array.from({ length: 500 }, () => "<li><b>Alike</b></li>").join("");
          document.querySelector("main").insertAdjacentHTML("beforeend", `<ol>${rows}</ol>`);
        }"""
    )
    assert violations(page) == []
    page.evaluate("document.querySelectorAll('ol b')[400].style.color = 'silver'")
    assert violations(page) == ['color-contrast: <b style="color: silver;">Alike</b>']
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.querySelectorAll('ol b')[400].style.color = 'dimgray'")
    assert len(violations(page, only_colours=True)) == 1


def test_the_fields_of_a_toolbar_are_equally_high(open_page):
    """A browser makes a date higher than a text, and its label is then above the others."""
    page = open_page(person("alice", Role.ADMIN), width=1440)
    page.goto("/audit/")
    tops = "all => all.map(one => one.getBoundingClientRect().top)"
    for part in ("label", "input, select"):
        found = page.locator(".toolbar .field").locator(part).evaluate_all(tops)
        assert (len(found), len(set(found))) == (4, 1)
