"""Who guesses passwords is slowed down; whoever knows theirs gets in."""

from itertools import pairwise

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts import allowances
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


def wrong(times, **how):
    return [attempt(Client(), **how).status_code for _ in range(times)]


def begun(username, address):
    """Whether a try that is then given up may begin."""
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
    assert "There were many wrong passwords, so this was not tried. Wait" in page
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
    slack = 5  # seconds: the clock goes on while this runs
    assert all(later >= earlier - slack for earlier, later in pairwise(waits))


def test_nothing_tells_whether_there_is_such_an_account():
    person("alice")
    assert wrong(6) == wrong(6, username="nobody", address="192.0.2.9") == [200] * 5 + [429]


def test_other_spellings_of_a_name_are_the_same_account():
    assert wrong(3) + wrong(2, username="ALICE") + wrong(1, username="ａlice") == [200] * 5 + [429]


def test_a_strangers_tries_do_not_keep_the_person_out(client):
    person("alice")
    assert 429 in wrong(40, address="198.51.100.7")
    assert attempt(client, password=PASSWORD).status_code == 302


def test_a_crowd_of_strangers_does_not_keep_the_person_out_of_a_browser_they_know(client):
    person("alice")
    attempt(client, password=PASSWORD)
    client.post("/sign-out/")
    assert not all(begun("alice", f"198.51.100.{number}") for number in range(120))

    assert attempt(client, password=PASSWORD, address="203.0.113.5").status_code == 302
    # In a browser that is new to the account the wait is short, and the password is not tried.
    new = attempt(Client(), password=PASSWORD, address="203.0.113.6")
    assert int(new["Retry-After"]) <= 60


def test_a_known_browser_is_known_where_the_password_is_changed_too(client):
    person("alice")
    attempt(client, password=PASSWORD)
    (known,) = [each for name, each in client.cookies.items() if name.startswith("sicetnon_known_")]
    assert reverse("accounts:change_password").startswith(known["path"])


def test_a_browser_known_to_one_account_is_not_known_to_another(client):
    person("alice"), person("bob")
    attempt(client, username="bob", password=PASSWORD)
    (mine,) = [name for name in client.cookies if name.startswith("sicetnon_known_")]
    (theirs,) = [
        name
        for name in attempt(Client(), password=PASSWORD).cookies
        if name.startswith("sicetnon_known_")
    ]
    client.post("/sign-out/")
    client.cookies[theirs] = client.cookies[mine].value
    wrong(5)
    assert attempt(client).status_code == 429


def test_tries_in_a_known_browser_are_counted_too(client):
    person("alice")
    attempt(client, password=PASSWORD)
    client.post("/sign-out/")
    assert [attempt(client).status_code for _ in range(6)] == [200] * 5 + [429]


def test_the_right_password_makes_earlier_slips_forgotten(client):
    person("alice")
    wrong(4)
    attempt(client, password=PASSWORD)
    assert wrong(5) == [200] * 5


def test_twenty_people_behind_one_address_mistype_and_get_in():
    names = [f"person{number}" for number in range(20)]
    for name in names:
        person(name)
    for name in names:
        assert wrong(3, username=name) == [200] * 3
        assert attempt(Client(), username=name, password=PASSWORD).status_code == 302


def test_one_address_that_tries_many_accounts_is_slowed_down():
    got = [begun(f"name{number}", "192.0.2.1") for number in range(120)]
    assert all(got[:100])
    assert not all(got)
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


def test_a_person_who_may_not_sign_in_any_more_is_told_so_and_nobody_else_is(client):
    person("alice", is_active=False)
    assert "An admin has ended your access" in attempt(client, password=PASSWORD).content.decode()
    assert "An admin" not in attempt(client).content.decode()


def test_no_name_and_no_address_is_kept():
    wrong(1)
    kept = str(list(Allowance.objects.values_list("key", flat=True)))
    assert "alice" not in kept
    assert "192.0.2" not in kept
    assert Person.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_tries_at_one_instant_do_not_slip_through_together():
    got = []
    at_once(*[lambda: got.append(allowances.take(("try x", TRIES)))] * 12)
    assert got.count(0.0) == 5


def test_what_was_taken_comes_back_and_is_swept_when_all_is_back():
    rate = (Rate(2, 60),)
    assert [allowances.take(("a", rate)) for _ in range(2)] == [0.0, 0.0]
    assert 0 < allowances.take(("a", rate)) <= 60
    let_pass(60)
    assert allowances.take(("a", rate)) == 0.0
    assert allowances.take(("a", rate)) > 0
    assert allowances.sweep() == 0
    let_pass(120 + 3601)
    assert allowances.sweep() == 1


def test_of_several_counts_none_is_taken_when_one_is_used_up():
    allowances.take(("narrow", (Rate(1, 60),)))
    assert allowances.take(("wide", (Rate(2, 60),)), ("narrow", (Rate(1, 60),))) > 0
    assert [allowances.take(("wide", (Rate(2, 60),))) for _ in range(2)] == [0.0, 0.0]


def test_a_try_that_is_allowed_costs_few_queries(django_assert_max_num_queries):
    allowances.take(("api 1", (Rate(10, 1),)))
    with django_assert_max_num_queries(1, connection=connection):
        allowances.take(("api 1", (Rate(10, 1),)))
