"""The second factor: codes of an app after the password, recovery codes, setting up, removing."""

import json
from datetime import UTC, datetime
from io import StringIO
from urllib.parse import unquote

import pyotp
import pytest
import segno
from django.core.management import CommandError, call_command
from django.test import Client

from accounts import invitations, second_factor
from accounts.models import Identity, RecoveryCode, SecondFactor, Session
from accounts.roles import Role
from leases.clock import in_seconds
from operations import forgetting
from operations.serialization import SerializedTable
from tests.accounts.factories import let_pass
from tests.accounts.test_audit import logged
from tests.factories import PASSWORD, person
from tests.races import at_once

pytestmark = pytest.mark.django_db

AT = 1_800_000_000  # the time of these tests, at the beginning of a step of 30 seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Codes depend on the time only."""
    monkeypatch.setattr(second_factor, "now", lambda: datetime.fromtimestamp(AT, UTC))


@pytest.fixture
def secret():
    return pyotp.random_base32()


def code_at(secret, seconds=0):
    return pyotp.TOTP(secret).at(AT + seconds)


@pytest.fixture
def bob():
    return person("bob", Role.JUDGE)


@pytest.fixture
def codes(bob, secret):
    """Bob's second factor is on, confirmed by an earlier code; his recovery codes."""
    codes = second_factor.turn_on(bob, secret, code_at(secret, -30))
    assert codes is not None
    return codes


def give_password(client, username="bob", **further):
    return client.post("/sign-in/", {"username": username, "password": PASSWORD, **further})


def give_code(client, code):
    return client.post("/sign-in/code/", {"code": code})


def signed_in(secret, seconds=0):
    client = Client()
    give_password(client)
    assert give_code(client, code_at(secret, seconds)).status_code == 302
    return client


def is_in(client):
    return client.get("/account/").status_code == 200


# ---------------------------------------------------------------- signing in


def test_without_a_second_factor_the_password_is_enough(client, bob):
    assert give_password(client)["Location"] == "/"
    assert is_in(client)


def test_after_the_password_a_code_is_asked_for(client, bob, secret, codes):
    assert give_password(client, next="/judge/")["Location"] == "/sign-in/code/"
    assert not is_in(client)
    assert not Session.objects.filter(person=bob).exists()
    assert not [name for name in client.cookies if name.startswith("sicetnon_known_")]
    assert Session.objects.filter(expire_date__lt=in_seconds(601)).count() == 1
    page = client.get("/sign-in/code/")
    assert 'autocomplete="one-time-code"' in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert give_code(client, code_at(secret))["Location"] == "/judge/"
    assert is_in(client)
    session = Session.objects.get(person=bob)
    assert (session.expire_date - session.signed_in_at).days in (29, 30)


@pytest.mark.parametrize(
    "wrong", ["000000", "12345", "", "ABCDE-FGHJK", "１２３４５６", "\x00", "9" * 20]
)
def test_a_wrong_code_signs_nobody_in(client, bob, codes, wrong):
    give_password(client)
    assert give_code(client, wrong).status_code == 200
    assert not is_in(client)


def test_a_code_is_typed_with_spaces_too(client, bob, secret, codes):
    give_password(client)
    code = code_at(secret)
    give_code(client, f" {code[:3]} {code[3:]} ")
    assert is_in(client)


def test_a_code_is_accepted_once(client, bob, secret, codes):
    signed_in(secret)
    give_password(client)
    answer = give_code(client, code_at(secret))
    assert "it was used before" in answer.content.decode()
    assert not is_in(client)


def test_an_earlier_code_than_the_last_is_refused(client, bob, secret, codes):
    signed_in(secret, 30)
    give_password(client)
    give_code(client, code_at(secret))
    assert not is_in(client)


@pytest.mark.parametrize(
    ("seconds", "accepted"), [(-60, False), (-30, True), (30, True), (60, False)]
)
def test_clocks_may_differ_by_one_step(client, bob, secret, seconds, accepted):
    second_factor.turn_on(bob, secret, code_at(secret, 0))
    SecondFactor.objects.update(last_step=0)
    give_password(client)
    give_code(client, code_at(secret, seconds))
    assert is_in(client) is accepted


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["of the app", "for a lost phone"])
def test_one_code_sent_twice_at_once_is_accepted_once(bob, secret, codes, kind):
    factor = SecondFactor.objects.get()
    given = code_at(secret) if kind == "of the app" else codes[0]
    accepted = []
    at_once(*[lambda: accepted.append(second_factor.accepts(factor, given))] * 6)
    assert accepted.count(True) == 1


def test_wrong_codes_are_slowed_down_also_from_other_addresses(client, bob, secret, codes):
    give_password(client)
    assert [give_code(client, "000000").status_code for _ in range(5)] == [200] * 5
    other = Client(REMOTE_ADDR="198.51.100.7")
    give_password(other)
    for who in (client, other):
        answer = give_code(who, code_at(secret))
        assert answer.status_code == 429
        assert "many wrong codes, so this one was not checked" in answer.content.decode()
        assert int(answer["Retry-After"]) >= 1
    let_pass(10)
    assert give_code(client, code_at(secret)).status_code == 302


def test_the_right_password_does_not_reset_the_count_of_wrong_codes(client, bob, codes):
    statuses = []
    for _ in range(6):
        give_password(client)
        statuses.append(give_code(client, "000000").status_code)
    assert statuses == [200] * 5 + [429]


def test_no_code_is_asked_of_somebody_who_gave_no_password(client, bob, secret, codes):
    for answer in (client.get("/sign-in/code/"), give_code(client, code_at(secret))):
        assert answer["Location"] == "/sign-in/"
    assert not is_in(client)


@pytest.mark.parametrize("change", ["deactivated", "new password", "factor removed"])
def test_a_change_between_password_and_code_starts_again(client, bob, secret, codes, change):
    give_password(client)
    if change == "deactivated":
        invitations.set_active(bob, active=False)
    elif change == "new password":
        bob.set_password("eleven slow otters")
        bob.save()
    else:
        second_factor.take_away(bob, by=None)
    assert give_code(client, code_at(secret))["Location"] == "/sign-in/"
    assert not is_in(client)


def test_a_link_for_a_new_password_does_not_replace_the_code(client, bob, secret, codes):
    path = invitations.password_path(bob)
    assert client.post(path, {"password": "eleven slow otters"})["Location"] == "/sign-in/code/"
    assert not is_in(client)
    give_code(client, code_at(secret))
    assert is_in(client)


def test_a_new_password_by_link_ends_the_wait_that_a_strangers_codes_made(
    client, bob, secret, codes
):
    stranger = Client()
    give_password(stranger)
    assert [give_code(stranger, "000000").status_code for _ in range(6)] == [200] * 5 + [429]
    client.post(invitations.password_path(bob), {"password": "eleven slow otters"})
    assert give_code(client, code_at(secret)).status_code == 302
    assert is_in(client)


def test_a_link_for_a_new_password_ends_the_session_of_somebody_else(client, bob, secret, codes):
    quin = person("quin")
    client.force_login(quin)
    answer = client.post(invitations.password_path(bob), {"password": "eleven slow otters"})
    assert answer["Location"] == "/sign-in/code/"
    assert not Session.objects.filter(person=quin).exists()
    assert not is_in(client)
    give_code(client, code_at(secret))
    assert "bob" in client.get("/account/").content.decode()


@pytest.mark.parametrize("following", ["foo", "foo?a=b", "judge/", "/judge/"])
def test_the_address_after_a_code_is_kept_as_it_is(client, bob, secret, codes, following):
    give_password(client, next=following)
    assert give_code(client, code_at(secret))["Location"] == following


def test_a_refused_code_is_not_shown_again(client, bob, codes, secret):
    wrong, theirs = "734105", "ABCDE-FGHJK"
    give_password(client)
    for code in (wrong, theirs):
        assert code not in give_code(client, code).content.decode()
    answer = Client().post("/account/second-factor/remove/", {"code": theirs, "note": "typed"})
    page = answer.content.decode()
    assert (answer.status_code, "typed" in page, theirs in page) == (403, True, False)


# ---------------------------------------------------------------- recovery codes


@pytest.mark.both
def test_a_recovery_code_replaces_one_code_once(client, bob, codes):
    assert len(set(codes)) == 10
    give_password(client)
    give_code(client, codes[0].lower())
    assert is_in(client)
    assert "9 recovery codes left" in client.get("/account/second-factor/").content.decode()
    other = Client()
    give_password(other)
    assert give_code(other, codes[0]).status_code == 200
    give_code(other, codes[1].replace("-", " "))
    assert is_in(other)


def test_recovery_codes_of_another_person_are_wrong(client, bob, codes, secret):
    theirs = second_factor.turn_on(person("alice"), secret, code_at(secret))
    give_password(client)
    give_code(client, theirs[0])
    assert not is_in(client)


def test_neither_secret_nor_recovery_code_is_stored_as_it_is(bob, secret, codes):
    stored = str([*SecondFactor.objects.values(), *RecoveryCode.objects.values()])
    for text in (secret, *codes, *(code.replace("-", "") for code in codes)):
        assert text not in stored


# ---------------------------------------------------------------- turning it on


@pytest.fixture
def here(client, bob):
    client.force_login(bob)
    return client


def begin(client):
    return client.post("/account/second-factor/", {"current_password": PASSWORD})


def shown_secret(page):
    return page.context["secret"].replace(" ", "")


def confirm(client, code):
    return client.post("/account/second-factor/confirm/", {"code": code})


def test_it_is_turned_on_by_a_first_code(here, bob):
    page = begin(here)
    secret = shown_secret(page)
    assert "no-store" in page["Cache-Control"]
    assert not SecondFactor.objects.exists()
    page = confirm(here, code_at(secret))
    codes = page.context["codes"]
    assert all(code in page.content.decode() for code in codes)
    assert "no-store" in page["Cache-Control"]
    for path in ("/account/", "/account/second-factor/"):
        later = here.get(path).content.decode()
        assert not [text for text in (secret, page.context["codes"][0]) if text in later]
    assert second_factor.accepts(SecondFactor.objects.get(person=bob), codes[0])
    assert not second_factor.accepts(SecondFactor.objects.get(person=bob), code_at(secret))


def test_the_qr_code_is_an_image_that_the_content_policy_allows(here, settings, monkeypatch):
    settings.BASE_URL = "https://lab.example/sicetnon"
    drawn, make = [], segno.make
    monkeypatch.setattr(segno, "make", lambda text: drawn.append(text) or make(text))
    page = begin(here)
    secret = shown_secret(page)
    issuer = "Sic%20et%20Non%20%28lab.example%29"
    assert drawn == [f"otpauth://totp/{issuer}:bob?secret={secret}&issuer={issuer}"]
    picture = unquote(page.context["qr_code"])
    assert picture.startswith("data:image/svg+xml")
    assert "script" not in picture
    assert "img-src 'self' data:" in page["Content-Security-Policy"]


def test_turning_it_on_ends_the_other_sessions(here, bob):
    other = Client()
    give_password(other)
    confirm(here, code_at(shown_secret(begin(here))))
    assert (is_in(here), is_in(other)) == (True, False)


def test_a_wrong_first_code_turns_nothing_on_and_keeps_the_secret(here):
    secret = shown_secret(begin(here))
    answer = confirm(here, "000000")
    assert (answer.status_code, shown_secret(answer)) == (400, secret)
    assert "000000" not in answer.content.decode()
    assert not SecondFactor.objects.exists()
    assert "codes" in confirm(here, code_at(secret)).context


def test_nothing_begins_without_the_password(here):
    answer = here.post("/account/second-factor/", {"current_password": "wrong"})
    assert answer.status_code == 400
    assert "secret" not in answer.context
    assert confirm(here, "000000").status_code == 400
    for _ in range(5):
        answer = here.post("/account/second-factor/", {"current_password": "wrong"})
    assert answer.status_code == 429


def test_it_is_not_turned_on_twice(here, bob, secret):
    shown = shown_secret(begin(here))
    second_factor.turn_on(bob, secret, code_at(secret))
    assert confirm(here, code_at(shown)).status_code == 409
    assert begin(here).status_code == 409
    assert RecoveryCode.objects.count() == 10


# ---------------------------------------------------------------- removing it


def remove(client, password=PASSWORD, code="000000"):
    return client.post(
        "/account/second-factor/remove/", {"current_password": password, "code": code}
    )


def test_removing_it_needs_the_password_and_a_code(here, bob, secret, codes):
    assert remove(here, code="000000").status_code == 400
    assert remove(here, password="wrong", code=code_at(secret)).status_code == 400
    assert SecondFactor.objects.exists()
    # The wrong password has not used the code up.
    assert remove(here, code=code_at(secret)).status_code == 302
    assert not SecondFactor.objects.exists()
    assert not RecoveryCode.objects.exists()
    assert remove(here).status_code == 409


def test_codes_cannot_be_guessed_on_an_open_page(here, secret, codes):
    assert [remove(here).status_code for _ in range(6)] == [400] * 5 + [429]


def test_an_admin_removes_it_for_somebody_else_and_their_sessions_end(bob, secret, codes):
    theirs, admin = signed_in(secret), Client()
    admin.force_login(person("olga", Role.ADMIN))
    path = f"/people/{bob.pk}/second-factor/remove/"
    assert "Remove the second factor" in admin.get(f"/people/{bob.pk}/").content.decode()
    assert admin.post(path).status_code == 302
    assert not is_in(theirs)
    assert give_password(Client())["Location"] == "/"
    assert admin.post(path).status_code == 404


def test_an_admin_removes_ones_own_only_by_a_code(client, secret):
    olga = person("olga", Role.ADMIN)
    second_factor.turn_on(olga, secret, code_at(secret))
    Identity.objects.create(person=olga, issuer="https://login.example.org", subject="olga")
    client.force_login(olga)
    page = client.get(f"/people/{olga.pk}/").content.decode()
    assert "Remove the" not in page  # neither this nor the link to the institution is offered
    assert client.post(f"/people/{olga.pk}/second-factor/remove/").status_code == 400
    assert SecondFactor.objects.exists()


def test_on_the_server_it_is_removed_for_an_admin_whom_nobody_else_can_help(secret, codes):
    theirs = signed_in(secret)
    call_command("remove_second_factor", "BOB", stdout=StringIO())
    assert not is_in(theirs)
    with pytest.raises(CommandError, match="off already"):
        call_command("remove_second_factor", "bob")
    with pytest.raises(CommandError, match="Nobody here signs in as 'nobody'"):
        call_command("remove_second_factor", "nobody")


def test_forgetting_a_person_removes_it_and_gives_the_secret_to_nobody(bob, codes):
    data = "".join(forgetting.own_data(bob))
    assert SecondFactor.objects.get().secret not in data
    forgetting.forget(bob)
    assert not SecondFactor.objects.exists()
    assert not RecoveryCode.objects.exists()


def test_after_a_restore_with_the_same_secret_key_all_codes_work(client, bob, secret, codes):
    kept = [
        (SerializedTable(model), [*SerializedTable(model).rows("default")])
        for model in (SecondFactor, RecoveryCode)
    ]
    stored = json.loads(json.dumps([rows for _, rows in kept]))
    second_factor.turn_off(bob)
    for (table, _), rows in zip(kept, stored, strict=True):
        table.write(rows, "default")
    for code in (code_at(secret), codes[0]):
        give_password(client)
        give_code(client, code)
        assert is_in(client)
        client.post("/sign-out/")


def test_after_a_change_of_the_secret_key_it_says_so_and_can_be_removed(
    client, bob, secret, codes, settings
):
    settings.SECRET_KEY = "another-" + "1" * 50
    give_password(client)
    answer = give_code(client, code_at(secret))
    assert answer.status_code == 409
    assert "The secret key of this installation has changed" in answer.content.decode()
    give_code(client, codes[0])
    assert not is_in(client)
    second_factor.take_away(bob, by=None)
    assert give_password(client)["Location"] == "/"


def test_it_is_in_the_audit_log_without_a_code(bob, secret, codes):
    client = signed_in(secret)
    give_password(other := Client())
    give_code(other, "000000")
    remove(client, code=codes[0])
    second_factor.turn_on(bob, secret, code_at(secret))
    admin = Client()
    admin.force_login(person("olga", Role.ADMIN))
    admin.post(f"/people/{bob.pk}/second-factor/remove/")
    assert logged() == [
        ("second-factor", "bob", "None", "on"),
        ("sign-in", "bob", "None", "with a second factor"),
        ("failure", "None", "bob", "wrong code"),
        ("second-factor", "bob", "None", "off"),
        ("second-factor", "bob", "None", "on"),
        ("sign-in", "olga", "None", ""),
        ("second-factor", "olga", "bob", "off"),
    ]
