"""Signing in by an institution and with a second factor, in a real browser."""

import re
from urllib.parse import urlsplit

import pyotp
import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts import institution, invitations, second_factor
from accounts.models import Identity, SecondFactor
from accounts.roles import Role
from leases.clock import now
from tests.accounts.provider import CLIENT_ID, CLIENT_SECRET, Provider
from tests.browser.test_every_page import look, look_at
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def provider(settings, watch):
    provider = Provider()
    settings.OIDC_ISSUER, settings.OIDC_NAME = provider.issuer, "Abbey College"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT_ID, CLIENT_SECRET
    institution._client.cache_clear()
    watch.expect(f"request off the host: {provider.issuer}/authorize")
    yield provider
    provider.stop()


@pytest.fixture
def bob():
    return person("bob", Role.JUDGE)


def at_the_institution(page):
    page.get_by_role("link", name="Bob").click()


def heading(page, text):
    expect(page.get_by_role("heading", name=text, level=1)).to_be_visible()


def give_password(page):
    page.goto("/sign-in/")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_a_person_joins_signs_out_and_signs_in_with_the_institution(open_page, provider):
    token = invitations.invite(roles=[Role.JUDGE], by=person("olga", Role.ADMIN))
    page = open_page()
    wrong = look_at(page, invitations.invitation_path(token))
    page.get_by_role("link", name="Join with Abbey College").click()
    at_the_institution(page)
    expect(page.get_by_label("Password")).to_have_count(0)
    wrong += look(page, "join with an identity")
    page.get_by_label("Username").fill("bob")
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("link", name="your account")).to_have_text(
        re.compile("Bob of the Abbey")
    )
    wrong += look_at(page, "/account/") + look_at(page, "/account/institution/")
    wrong += look_at(page, "/account/second-factor/")
    page.get_by_role("button", name="Sign out").click()
    wrong += look_at(page, "/sign-in/?next=/judge/")
    page.get_by_role("link", name="Sign in with Abbey College").click()
    at_the_institution(page)
    page.wait_for_url(lambda url: urlsplit(url).path == "/judge/")
    assert wrong == []


def test_a_person_links_an_account_and_removes_the_link(open_page, provider, bob):
    page = open_page(bob)
    page.goto("/account/")
    page.get_by_role("link", name="link it").click()
    wrong = look(page, "not linked")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Link it").click()
    wrong += look(page, "away")
    page.get_by_role("link", name="Continue to Abbey College").click()
    at_the_institution(page)
    expect(
        page.get_by_text("From now on you can sign in as Bob of the Abbey at Abbey College too.")
    ).to_be_visible()
    assert Identity.objects.get().person == bob
    wrong += look(page, "linked")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Remove the link").click()
    expect(page.get_by_text("you sign in with your password, and")).to_be_visible()
    assert not Identity.objects.exists()
    assert wrong == []


def test_an_unknown_identity_reads_why_on_the_sign_in_page(page, provider, watch):
    watch.expect("403 (Forbidden)")
    page.goto("/sign-in/")
    page.get_by_role("link", name="Sign in with Abbey College").click()
    at_the_institution(page)
    expect(page.get_by_role("alert")).to_contain_text("is not linked to an account here")
    heading(page, "Sign in")
    assert look(page, "refused") == []


def test_a_second_factor_is_set_up_used_and_removed(open_page, bob, watch):
    watch.expect("400 (Bad Request)")
    page = open_page(bob)
    page.goto("/account/")
    page.get_by_role("link", name="turn it on").click()
    wrong = look(page, "off")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it on").click()
    secret = page.locator("code").inner_text().replace(" ", "")
    shown = page.get_by_alt_text("QR code").evaluate("image => image.naturalWidth")
    assert shown > 100
    wrong += look(page, "secret")
    page.get_by_label("Code", exact=True).fill("000000")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("alert")).to_contain_text("This code is wrong")
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(now()))
    page.get_by_role("button", name="Confirm").click()
    heading(page, "Recovery codes")
    codes = page.locator("li code").all_inner_texts()
    assert len(codes) == 10
    wrong += look(page, "recovery codes")
    page.get_by_role("button", name="Sign out").click()

    give_password(page)
    heading(page, "Your second factor")
    wrong += look(page, "code")
    page.get_by_label("Code", exact=True).fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("link", name="your account")).to_be_visible()
    wrong += look_at(page, "/account/")
    page.get_by_role("link", name="see or remove it").click()
    expect(page.get_by_text("9 recovery codes left")).to_be_visible()
    wrong += look(page, "on")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("Code", exact=True).fill(codes[1])
    page.get_by_role("button", name="Remove the second factor").click()
    expect(page.get_by_text("Your second factor is off.")).to_be_visible()
    assert not SecondFactor.objects.exists()
    assert wrong == []


def test_an_admin_removes_the_second_factor_of_a_lost_phone(open_page, bob):
    secret = second_factor.new_secret()
    assert second_factor.turn_on(bob, secret, pyotp.TOTP(secret).at(now()))
    page = open_page(person("olga", Role.ADMIN))
    assert look_at(page, reverse("accounts:person", args=[bob.pk])) == []
    page.get_by_text("Remove the second factor", exact=True).click()
    page.get_by_role("button", name="Yes, remove the second factor").click()
    expect(page.get_by_text("their sessions and tokens have ended")).to_be_visible()
    assert not SecondFactor.objects.exists()
