"""Few passwords are hashed at the same time, so that a crowd of sign-ins leaves pages to everybody else."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.test import Client

import config.settings
from accounts import guard, invitations, turns
from accounts.models import Invitation, Person
from accounts.rates import TRIES_OF_STRANGERS
from accounts.roles import Role
from accounts.turns import PasswordHasher, Turns
from leases.refusal import TooMany
from tests.accounts.factories import use_up
from tests.factories import PASSWORD, person, stored

CROWD = "Many people are signing in at this moment. Wait 2 seconds, then try again."
NEW = "eleven slow otters"
NOBODY = Turns(0, 0)  # lets nobody in


@pytest.fixture(autouse=True)
def hasher(settings, monkeypatch):
    """The product's hasher, at a small cost."""
    settings.PASSWORD_HASHERS = config.settings.PASSWORD_HASHERS
    monkeypatch.setattr(PasswordHasher, "iterations", 1)


def test_two_passwords_are_hashed_at_a_time_two_wait_and_more_are_refused(monkeypatch):
    begun, refused, may_end = [], [], Event()
    together, two_are_refused = Barrier(6), Event()

    def encode(*given):
        begun.append(1)
        assert may_end.wait(10)
        return "hash"

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", encode)

    def ask():
        together.wait(10)
        try:
            return PasswordHasher().encode(PASSWORD, "salt")
        except TooMany:
            refused.append(1)
            if len(refused) == 2:
                two_are_refused.set()
            return "refused"

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(ask) for _ in range(6)]
        assert two_are_refused.wait(10)
        assert len(begun) <= 2
        may_end.set()
        answers = [each.result(10) for each in asked]
    assert sorted(answers) == ["hash"] * 4 + ["refused"] * 2


def test_who_waits_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(turns, "SECONDS", 0.01)
    one = Turns(1, waiting=1)
    with one.taken(), pytest.raises(TooMany), one.taken():
        pass
    with one.taken():  # and its place is free again
        pass


def known_to_alice():
    client = Client()
    assert sign_in(client).status_code == 302
    return client


def sign_in(client, username="alice", password=PASSWORD):
    return client.post("/sign-in/", {"username": username, "password": password})


def known_browser():
    client = known_to_alice()
    client.post("/sign-out/")
    return client, "/sign-in/", {"username": "alice", "password": PASSWORD}


def new_browser():
    return Client(), "/sign-in/", {"username": "alice", "password": PASSWORD}


def own_password():
    return (
        known_to_alice(),
        "/account/password/",
        {"current_password": PASSWORD, "new_password": NEW},
    )


def second_factor():
    return known_to_alice(), "/account/second-factor/", {"current_password": PASSWORD}


def invitation():
    path = invitations.invitation_path(invitations.invite(roles=[Role.JUDGE], by=None))
    return Client(), path, {"username": "bob", "name": "Bob of Bec", "password": NEW}


def password_link():
    path = invitations.password_path(Person.objects.get())
    return Client(), path, {"password": NEW}


DOORS = (known_browser, new_browser, own_password, second_factor, invitation, password_link)


@pytest.mark.django_db
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_door_that_hashes_refuses_in_a_crowd_and_changes_nothing(monkeypatch, door):
    alice = person("alice")
    client, path, entered = door()
    password = stored(alice).password
    with monkeypatch.context() as crowded:
        crowded.setattr(turns, "HASHES", NOBODY)
        answer = client.post(path, entered)
    assert (answer.status_code, answer["Retry-After"]) == (429, "2")
    page = answer.content.decode()
    assert CROWD in page
    assert PASSWORD not in page
    assert entered.get("name", "") in page
    assert stored(alice).password == password
    assert not Invitation.objects.exclude(used_by=None).exists()
    assert Person.objects.count() == 1
    assert client.post(path, entered).status_code == (200 if door is second_factor else 302)


@pytest.mark.django_db
def test_many_refused_for_the_crowd_are_no_wrong_passwords(monkeypatch):
    person("alice")
    with monkeypatch.context() as crowded:
        crowded.setattr(turns, "HASHES", NOBODY)
        assert [sign_in(Client()).status_code for _ in range(8)] == [429] * 8
    assert sign_in(Client()).status_code == 302


@pytest.mark.django_db
def test_a_crowd_of_strangers_keeps_no_known_browser_out_and_does_not_show_who_exists(monkeypatch):
    person("alice")
    client, *_ = known_browser()
    monkeypatch.setattr(guard, "STRANGERS", NOBODY)
    known, unknown = sign_in(Client()), sign_in(Client(), "nobody")
    assert known.status_code == unknown.status_code == 429
    assert CROWD in known.content.decode()
    assert CROWD in unknown.content.decode()
    assert sign_in(client).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize("door", [invitation, password_link], ids=lambda door: door.__name__)
def test_a_crowd_of_strangers_keeps_no_link_shut(monkeypatch, door):
    person("alice")
    client, path, entered = door()
    monkeypatch.setattr(guard, "STRANGERS", NOBODY)
    use_up("try of strangers", TRIES_OF_STRANGERS)
    assert client.post(path, entered).status_code == 302


def test_strangers_leave_a_turn_to_the_others():
    assert guard.STRANGERS._places._value < turns.HASHES._places._value


@pytest.mark.both
@pytest.mark.django_db
def test_the_limit_over_all_slows_new_browsers_only_and_does_not_show_who_exists():
    person("alice")
    client, *_ = known_browser()
    use_up("try of strangers", TRIES_OF_STRANGERS)
    for username in ("alice", "nobody"):
        answer = sign_in(Client(), username)
        assert answer.status_code == 429
        assert "There were many wrong passwords" in answer.content.decode()
    assert sign_in(client).status_code == 302


@pytest.mark.django_db
def test_one_address_alone_does_not_use_up_the_limit_over_all():
    (over_all,), (_, one_address) = TRIES_OF_STRANGERS, guard.TRIES_FROM_ADDRESS
    first, _ = guard.TRIES_FROM_ADDRESS
    assert first.burst < over_all.burst
    assert min(first.seconds, one_address.seconds) > over_all.seconds
