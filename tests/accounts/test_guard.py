"""Guessing passwords is slow; people who know theirs can sign in."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import allowances, invitations
from accounts.guard import Guard
from accounts.models import Allowance, Person
from accounts.rates import TRIES, Rate
from leases.refusal import TooMany
from tests.accounts.factories import let_pass
from tests.factories import PASSWORD, person
from tests.races import at_once

pytestmark = pytest.mark.django_db


def attempt(client, username="alice", password="wrong", address="192.0.2.1"):
    return client.post(
        "/sign-in/", {"username": username, "password": password}, REMOTE_ADDR=address
    )


def wrong(times, **options):
    return [attempt(Client(), **options).status_code for _ in range(times)]


def may_begin(username, address):
    """Whether an attempt is allowed; it is counted, and no password is checked."""
    request = RequestFactory().post("/sign-in/", REMOTE_ADDR=address)
    try:
        Guard(request, username).begin()
    except TooMany:
        return False
    return True


def test_five_wrong_passwords_are_free_and_the_sixth_waits(client):
    person("alice")
    assert wrong(5) == [200] * 5

    answer = attempt(client, password=PASSWORD)

    assert answer.status_code == 429
    assert 1 <= int(answer["Retry-After"]) <= 10
    page = answer.content.decode()
    assert "There were many wrong passwords, so this one was not checked. Wait" in page
    assert 'value="alice"' in page
    assert PASSWORD not in page

    let_pass(10)
    assert attempt(client, password=PASSWORD).status_code == 302


def test_the_waits_grow_from_seconds_to_half_an_hour():
    waits = []
    for _ in range(200):
        if wait := allowances.take(("try x", TRIES)):
            waits.append(wait)
            let_pass(wait)
    assert waits[0] <= 10
    assert waits[-1] > 1700
    slack = 5  # seconds, for the time that this test takes
    assert all(later >= earlier - slack for earlier, later in pairwise(waits))


def test_nothing_shows_whether_an_account_exists():
    person("alice")
    assert wrong(6) == wrong(6, username="nobody", address="192.0.2.9") == [200] * 5 + [429]


def test_other_spellings_of_a_name_are_the_same_account():
    assert wrong(3) + wrong(2, username="ALICE") + wrong(1, username="ａlice") == [200] * 5 + [429]


def test_a_strangers_attempts_do_not_lock_the_person_out(client):
    person("alice")
    assert 429 in wrong(40, address="198.51.100.7")
    assert attempt(client, password=PASSWORD).status_code == 302


def test_many_strangers_do_not_lock_the_person_out_of_a_known_browser(client):
    person("alice")
    attempt(client, password=PASSWORD)
    client.post("/sign-out/")
    assert not all(may_begin("alice", f"198.51.100.{number}") for number in range(120))

    assert attempt(client, password=PASSWORD, address="203.0.113.5").status_code == 302
    # In an unknown browser the wait is short, and the password is not checked.
    # On a slow machine attempts may be free again by now: all strangers made theirs 45 seconds later.
    Allowance.objects.update(regained_at=F("regained_at") + timedelta(seconds=45))
    new = attempt(Client(), password=PASSWORD, address="203.0.113.6")
    assert int(new["Retry-After"]) <= 60


def test_a_known_browser_is_also_known_on_the_page_to_change_the_password(client):
    person("alice")
    attempt(client, password=PASSWORD)
    (known,) = [each for name, each in client.cookies.items() if name.startswith("sicetnon_known_")]
    assert reverse("accounts:change_password").startswith(known["path"])


def test_a_browser_known_to_one_account_is_not_known_to_another(client):
    person("alice"), person("bob")
    attempt(client, username="bob", password=PASSWORD)
    (bobs,) = [name for name in client.cookies if name.startswith("sicetnon_known_")]
    (alices,) = [
        name
        for name in attempt(Client(), password=PASSWORD).cookies
        if name.startswith("sicetnon_known_")
    ]
    client.post("/sign-out/")
    client.cookies[alices] = client.cookies[bobs].value
    wrong(5)
    assert attempt(client).status_code == 429


def test_attempts_in_a_known_browser_are_counted_too(client):
    person("alice")
    attempt(client, password=PASSWORD)
    client.post("/sign-out/")
    assert [attempt(client).status_code for _ in range(6)] == [200] * 5 + [429]


def test_the_right_password_resets_the_count(client):
    person("alice")
    wrong(4)
    attempt(client, password=PASSWORD)
    assert wrong(5) == [200] * 5


def test_twenty_people_at_one_address_mistype_and_still_sign_in():
    names = [f"person{number}" for number in range(20)]
    for name in names:
        person(name)
    for name in names:
        assert wrong(3, username=name) == [200] * 3
        assert attempt(Client(), username=name, password=PASSWORD).status_code == 302


@pytest.mark.both
def test_one_address_that_tries_many_accounts_is_slowed_down():
    allowed = [may_begin(f"name{number}", "192.0.2.1") for number in range(120)]
    assert all(allowed[:100])
    assert not all(allowed)
    assert wrong(1, username="somebody", address="198.51.100.7") == [200]


def test_an_address_is_read_from_the_header_only_where_proxies_are_trusted(settings):
    def attempts(number):
        return [
            Client()
            .post(
                "/sign-in/",
                {"username": "alice", "password": "wrong"},
                REMOTE_ADDR="127.0.0.1",
                HTTP_X_FORWARDED_FOR=f"198.51.100.{n}",
            )
            .status_code
            for n in range(number)
        ]

    assert 429 in attempts(6)
    Allowance.objects.all().delete()
    settings.TRUSTED_PROXIES = 1
    assert 429 not in attempts(6)


def test_only_the_person_learns_that_their_access_has_ended(client):
    person("alice", is_active=False)
    assert "An admin has ended your access" in attempt(client, password=PASSWORD).content.decode()
    assert "An admin" not in attempt(client).content.decode()


def test_no_name_and_no_address_is_stored():
    wrong(1)
    stored = str(list(Allowance.objects.values_list("key", flat=True)))
    assert "alice" not in stored
    assert "192.0.2" not in stored
    assert Person.objects.count() == 0


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_attempts_at_the_same_time_do_not_all_pass():
    waits = []
    at_once(*[lambda: waits.append(allowances.take(("try x", TRIES)))] * 12)
    assert waits.count(0.0) == 5


@pytest.mark.both
def test_an_allowance_is_regained_and_its_row_deleted_when_all_of_it_is():
    rate = (Rate(2, 60),)
    assert [allowances.take(("a", rate)) for _ in range(2)] == [0.0, 0.0]
    assert 0 < allowances.take(("a", rate)) <= 60
    let_pass(60)
    assert allowances.take(("a", rate)) == 0.0
    assert allowances.take(("a", rate)) > 0
    assert allowances.sweep() == 0
    let_pass(120 + 3601)
    assert allowances.sweep() == 1


@pytest.mark.both
def test_nothing_is_taken_from_several_keys_when_one_is_used_up():
    allowances.take(("narrow", (Rate(1, 60),)))
    assert allowances.take(("wide", (Rate(2, 60),)), ("narrow", (Rate(1, 60),))) > 0
    assert [allowances.take(("wide", (Rate(2, 60),))) for _ in range(2)] == [0.0, 0.0]


@pytest.mark.both
def test_an_allowed_attempt_costs_one_query(django_assert_max_num_queries):
    allowances.take(("api 1", (Rate(10, 1),)))
    with django_assert_max_num_queries(1, connection=connection):
        allowances.take(("api 1", (Rate(10, 1),)))


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
@pytest.mark.parametrize("account", ["active", "deactivated", "without a password", "unknown"])
def test_each_attempt_costs_one_hash_so_that_its_time_shows_nothing(
    client, monkeypatch, account, password
):
    alice = person("alice")
    if account == "deactivated":
        invitations.set_active(alice, active=False)
    elif account == "without a password":
        alice.set_unusable_password()
        alice.save()
    hashed, encode = [], MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda *given: hashed.append(1) or encode(*given)
    )
    answer = attempt(client, "nobody" if account == "unknown" else "alice", password)
    assert answer.status_code == (302 if (account, password) == ("active", PASSWORD) else 200)
    assert len(hashed) == 1
