"""The account in a real browser: losing access during work, and the switch for single-key shortcuts."""

import pytest
from playwright.sync_api import expect

from accounts import invitations
from accounts.roles import Role
from annotation.models import Annotation
from tests.annotation import factories as make
from tests.browser.axe import violations
from tests.browser.conftest import settled, sign_in
from tests.browser.test_every_page import look_at
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db(transaction=True)

TYPED = "In the edit summary."


@pytest.fixture
def alice():
    return make.annotator("alice")


@pytest.fixture
def desk(page, alice):
    """Alice's page of a draft."""
    draft = make.draft(alice)
    sign_in(page, alice)
    page.goto(f"/annotate/{draft.assignment_id}/")
    settled(page)
    return page


def comment(page):
    return page.get_by_label("Comment").first


def state_is(page, state):
    expect(page.locator(".save-state")).to_have_attribute("data-save-state", state)


def enter(page):
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_a_person_who_loses_access_reads_why_and_loses_no_text(desk, watch, alice):
    watch.expect("401 (Unauthorized)")
    watch.expect("403 (Forbidden)")
    invitations.set_active(alice, active=False)
    comment(desk).fill(TYPED)
    state_is(desk, "refused")
    expect(desk.get_by_text("You are signed out. Sign in in another tab.")).to_be_visible()

    desk.get_by_role("button", name="Submit", exact=True).first.click()
    expect(desk.get_by_text("You are signed out, so nothing was changed")).to_be_visible()
    expect(desk.get_by_label("Valid comment")).to_have_value(TYPED)

    invitations.set_active(alice, active=True)
    with desk.expect_popup() as opened:
        desk.get_by_role("link", name="Sign in in another tab").click()
    watch.follow(opened.value)
    enter(opened.value)
    opened.value.get_by_role("heading", name="What next").wait_for()
    desk.go_back()
    expect(comment(desk)).to_have_value(TYPED)
    state_is(desk, "saved")
    assert Annotation.objects.get().valid_comment == TYPED


def test_without_any_cookie_the_page_has_words_of_its_own_and_what_was_typed_waits(desk, watch):
    watch.expect("401 (Unauthorized)")
    desk.context.clear_cookies()
    comment(desk).fill(TYPED)
    expect(desk.get_by_text("You are signed out. Sign in in another tab.")).to_be_visible()
    with desk.expect_popup() as opened:
        desk.get_by_role("link", name="Sign in in another tab").click()
    enter(opened.value)
    state_is(desk, "saved")
    assert Annotation.objects.get().valid_comment == TYPED


def test_the_sign_in_pages_are_accessible(open_page, watch):
    watch.expect("403 (Forbidden)")
    alice = person("alice", *Role)
    page, other = open_page(alice), open_page(alice)
    other.goto("/account/")
    wrong = look_at(page, "/account/")
    out = open_page()
    wrong += look_at(out, "/sign-in/?ended=yes") + look_at(out, "/sign-in/?ended=unsent")
    invitations.grant(person("bob", Role.ADMIN), roles=[Role.ADMIN], by=None)
    page.goto("/people/")
    page.get_by_label("For whom").fill("Dora, of the abbey")
    page.get_by_label("Judge: gives").check()
    invitations.grant(alice, roles=[], by=None)
    page.get_by_role("button", name="Create invitation links").click()
    expect(page.get_by_label("People")).to_have_value("Dora, of the abbey")
    assert violations(page) == []
    assert wrong == []


def test_the_switch_for_single_keys_is_on_the_account_page(desk, alice):
    desk.get_by_role("link", name="your account").click()
    desk.get_by_label("Single-key shortcuts").uncheck()
    desk.get_by_role("button", name="Save", exact=True).click()
    expect(desk.get_by_text("Saved.")).to_be_visible()
    alice.refresh_from_db()
    assert not alice.shortcuts


def test_changing_the_password_ends_the_other_tabs_session_and_keeps_ones_own(open_page):
    bob = person("alice", Role.JUDGE)
    here, there = open_page(bob), open_page(bob)
    here.goto("/account/")
    here.get_by_label("Current password").fill(PASSWORD)
    here.get_by_label("New password").fill("eleven slow otters")
    here.get_by_role("button", name="Change the password").click()
    expect(here.get_by_text("your other sessions and your tokens have ended")).to_be_visible()
    there.goto("/judge/")
    expect(there.get_by_text("Your session has ended")).to_be_visible()
