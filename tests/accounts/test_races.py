"""Races: people who join, sign in or use a link at once, two admins who remove each other at once."""

from threading import Condition

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client

import config.settings
from accounts import invitations, turns
from accounts.models import AuditEvent, Invitation, Person, RoleGrant
from accounts.roles import Role
from leases.clock import now
from leases.refusal import Conflict, Refusal
from tests.factories import PASSWORD, person, stored
from tests.races import at_once, overlapping

pytestmark = [pytest.mark.both, pytest.mark.alone, pytest.mark.django_db(transaction=True)]


def link() -> str:
    olga = Person.objects.filter(username="olga").first() or person("olga", Role.ADMIN)
    return invitations.invite(roles=[Role.JUDGE], by=olga)


def join(token: str, username: str) -> Person:
    return invitations.accept(token, username=username, name="Dora", password=PASSWORD)


def test_of_two_people_who_choose_one_name_the_second_is_refused():
    tokens = [link(), link()]
    refused = overlapping(lambda: join(tokens[0], "dora"), lambda: join(tokens[1], "Dora"))
    assert isinstance(refused, Conflict)
    assert "This name was taken" in refused.message
    assert Person.objects.filter(username__iexact="dora").count() == 1
    assert Invitation.objects.filter(used_by=None).count() == 1


@pytest.mark.parametrize("made", [link, invitations.first_admin_token])
def test_one_link_clicked_twice_lets_one_person_in(made):
    token = made()
    refused = at_once(*[lambda name=name: join(token, name) for name in ("dora", "emil")])
    assert refused.count(None) == 1
    assert Person.objects.filter(username__in=["dora", "emil"]).count() == 1


def test_a_link_that_is_withdrawn_while_a_person_joins_creates_nobody(monkeypatch):
    token = link()
    opened = invitations.open_invitation

    def opened_then_withdrawn(given):
        invitation = opened(given)
        Invitation.objects.update(withdrawn_at=now())
        return invitation

    monkeypatch.setattr(invitations, "open_invitation", opened_then_withdrawn)
    with pytest.raises(Conflict, match="withdrawn"):
        join(token, "dora")
    assert not Person.objects.filter(username="dora").exists()


@pytest.mark.parametrize("change", ["roles", "sign-in"])
def test_two_admins_who_remove_each_other_leave_one(change):
    olga, omar = person("olga", Role.ADMIN), person("omar", Role.ADMIN)

    def take(other, by):
        if change == "roles":
            invitations.grant(other, roles=[], by=by)
        else:
            invitations.set_active(other, active=False)

    refused = overlapping(lambda: take(omar, olga), lambda: take(olga, omar))
    assert isinstance(refused, Refusal)
    assert "last admin" in refused.message
    assert invitations.has_admin()


def test_a_role_given_twice_at_once_is_given_once():
    olga, dora = person("olga", Role.ADMIN), person("dora")
    roles = [Role.JUDGE, Role.ANNOTATOR]
    click = [lambda: invitations.grant(dora, roles=roles, by=olga)] * 4
    assert at_once(*click) == [None] * 4
    assert RoleGrant.objects.filter(person=dora).count() == 2


def answers_at_once(*acts):
    """The status of each request, sent together."""
    statuses = []
    assert set(at_once(*[lambda act=act: statuses.append(act().status_code) for act in acts])) == {
        None
    }
    return sorted(statuses)


def test_a_password_link_used_six_times_at_once_works_once():
    dora = person("dora")
    path = invitations.password_path(dora)
    passwords = [f"{number} slow otters" for number in range(6)]
    browsers = [(Client(), password) for password in passwords]
    statuses = answers_at_once(
        *[
            lambda c=client, p=password: c.post(path, {"password": p})
            for client, password in browsers
        ]
    )
    assert statuses == [302] + [410] * 5
    (winner,) = [password for password in passwords if stored(dora).check_password(password)]
    for client, password in browsers:
        assert client.get("/account/").status_code == (200 if password == winner else 302)
    assert AuditEvent.objects.filter(kind=AuditEvent.Kind.PASSWORD).count() == 1


def test_a_password_link_ends_with_a_sign_in_while_its_form_is_sent(monkeypatch):
    dora = person("dora")
    path = invitations.password_path(dora)
    found = invitations.person_of_link

    def found_then_signed_in(*given):
        read = found(*given)
        Person.objects.update(last_login=now())
        return read

    monkeypatch.setattr(invitations, "person_of_link", found_then_signed_in)
    assert Client().post(path, {"password": "eleven slow otters"}).status_code == 410
    assert stored(dora).check_password(PASSWORD)


def test_of_two_who_change_one_password_at_once_the_second_is_told():
    dora = person("dora")
    refused = overlapping(
        lambda: invitations.set_password(Person.objects.get(), "eleven slow otters"),
        lambda: invitations.set_password(Person.objects.get(), "twelve slow otters"),
    )
    assert isinstance(refused, Conflict)
    assert "changed in another place" in refused.message
    assert stored(dora).check_password("eleven slow otters")


def test_no_password_is_hashed_in_a_transaction(monkeypatch):
    """SQLite has one writer: everybody's saves would wait for it."""
    dora, within = person("dora"), []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher,
        "encode",
        lambda *given: within.append(connection.in_atomic_block) or encode(*given),
    )
    client = Client()
    client.post(invitations.password_path(dora), {"password": "eleven slow otters"})
    changed = {"current_password": "eleven slow otters", "new_password": "twelve slow otters"}
    client.post("/account/password/", changed)
    join(link(), "emil")
    assert stored(dora).check_password("twelve slow otters")
    assert len(within) > 3
    assert not any(within)


def test_thirty_people_of_one_address_sign_in_at_once(settings, monkeypatch):
    """In new browsers, each trying again as the page says until it is their turn; one in three mistypes first."""
    settings.PASSWORD_HASHERS = config.settings.PASSWORD_HASHERS
    monkeypatch.setattr(turns.PasswordHasher, "iterations", 1000)
    for number in range(30):
        person(f"dora{number}")
    wrong, refused, free = [], [], Condition()

    def sign_in(number):
        client, typed = Client(), ["mistyped", PASSWORD] if number % 3 == 0 else [PASSWORD]
        while typed:
            entered = {"username": f"dora{number}", "password": typed[0]}
            answer = client.post("/sign-in/", entered)
            if answer.status_code == 429:
                refused.append(answer)
                assert b"Many people are signing in" in answer.content
                with free:
                    free.wait(1)
                continue
            with free:
                free.notify()
            typed.pop(0)
            wrong.append(answer.status_code == 200)
        assert answer.status_code == 302

    assert at_once(*[lambda number=number: sign_in(number) for number in range(30)]) == [None] * 30
    assert wrong.count(True) == 10
    assert refused
