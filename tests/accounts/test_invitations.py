"""Invitation links, the first administrator, new passwords, roles."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.http import urlsafe_base64_encode

from accounts import invitations
from accounts.models import Invitation, Person
from accounts.roles import Role
from leases.refusal import NotFoundHere, Refusal
from operations import forgetting
from tests.factories import person

pytestmark = pytest.mark.django_db

JOINING = {"username": "bob", "name": "Bob", "password": "seven quiet herons"}


def join(client, token, **changes):
    return client.post(reverse("accounts:join", args=[token]), {**JOINING, **changes})


def test_an_invitation_lets_one_person_in_with_its_roles(client):
    token = invitations.invite(roles=[Role.JUDGE, Role.ANNOTATOR], by=person("alice", Role.ADMIN))

    assert join(client, token).status_code == 302

    bob = Person.objects.get(username="bob")
    assert bob.roles == {Role.JUDGE, Role.ANNOTATOR}
    assert client.get(reverse("home")).status_code == 200


@pytest.mark.both
def test_a_used_invitation_says_so(client):
    token = invitations.invite(roles=[Role.JUDGE], by=None)
    join(client, token)

    again = join(client, token, username="charlie")

    assert again.status_code == 410
    assert "has been used" in again.content.decode()
    assert not Person.objects.filter(username="charlie").exists()


def test_an_expired_invitation_says_so(client):
    token = invitations.invite(
        roles=[Role.JUDGE], by=person("alice"), valid_for=timedelta(seconds=-1)
    )
    page = client.get(reverse("accounts:join", args=[token]))
    assert page.status_code == 410
    assert "has expired" in page.content.decode()


def test_a_withdrawn_invitation_lets_nobody_in(client):
    alice = person("alice", Role.ADMIN)
    token = invitations.invite(roles=[Role.ADMIN], by=alice)
    client.force_login(alice)
    client.post(reverse("accounts:withdraw_invitation", args=[Invitation.objects.get().pk]))
    client.logout()

    assert join(client, token).status_code == 410


def test_an_unknown_token_is_not_found(client):
    assert client.get(reverse("accounts:join", args=["nonsense"])).status_code == 404


def test_only_the_hash_of_a_token_is_stored():
    token = invitations.invite(roles=[Role.JUDGE], by=None)
    assert token not in str(list(Invitation.objects.values()))


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"username": ""}, "required"),
        ({"username": "ALICE"}, "taken"),
        ({"username": "no spaces"}, "Letters, digits"),
        ({"password": "short"}, "too short"),
        ({"password": "password123"}, "too common"),
    ],
)
def test_a_refused_form_leaves_the_invitation_unused(client, changes, error):
    person("alice")
    token = invitations.invite(roles=[Role.JUDGE], by=None)

    page = join(client, token, **changes)

    assert error in page.content.decode()
    assert Invitation.objects.get().used_by is None


def test_the_first_admin_link_works_once_and_holds_every_role(client, capsys):
    call_command("first_admin_link")
    token = capsys.readouterr().out.strip().rsplit("/", 2)[-2]

    join(client, token)

    assert Person.objects.get().roles == set(Role)
    call_command("first_admin_link")
    assert "administrator already" in capsys.readouterr().err


def test_a_newer_first_admin_link_replaces_the_older():
    older, newer = invitations.first_admin_token(), invitations.first_admin_token()
    with pytest.raises(NotFoundHere):
        invitations.open_invitation(older)
    assert invitations.open_invitation(newer)


def test_the_first_admin_link_ends_when_there_is_an_admin():
    token = invitations.first_admin_token()
    person("alice", Role.ADMIN)
    with pytest.raises(NotFoundHere):
        invitations.open_invitation(token)


@pytest.mark.both
def test_the_last_admin_stays_one():
    alice = person("alice", Role.ADMIN)
    with pytest.raises(Refusal, match="last admin"):
        invitations.grant(alice, roles=[Role.JUDGE], by=alice)
    with pytest.raises(Refusal, match="last admin"):
        invitations.set_active(alice, active=False)


@pytest.mark.both
def test_a_password_link_works_once(client):
    bob = person("bob", Role.JUDGE)
    path = invitations.password_path(bob)

    assert client.post(path, {"password": "eleven slow otters"}).status_code == 302
    client.logout()

    assert client.get(path).status_code == 410
    assert client.login(username="BOB", password="eleven slow otters")


@pytest.mark.parametrize("change", ["grant", "set_active"])
def test_a_password_link_ends_when_its_maker_is_no_longer_an_admin(client, change):
    """Or they could come back by it for three days."""
    person("alice", Role.ADMIN)
    carol, bob = person("carol", Role.ADMIN), person("bob", Role.JUDGE)
    path = invitations.password_path(bob, by=carol)
    assert client.get(path).status_code == 200
    if change == "grant":
        invitations.grant(carol, roles=[Role.JUDGE], by=carol)
    else:
        invitations.set_active(carol, active=False)
    assert client.get(path).status_code == 410


def test_a_password_link_cannot_be_given_another_maker(client):
    """Not even 0, which stands for the command line."""
    carol, bob = person("carol", Role.ADMIN), person("bob", Role.JUDGE)
    token = invitations.password_path(bob, by=carol).rstrip("/").rsplit("/", 1)[1]
    for key in (f"{bob.pk}.0", str(bob.pk), f"{bob.pk}.{10**30}", f"{bob.pk}.{bob.pk}"):
        forged = urlsafe_base64_encode(key.encode())
        answer = client.get(reverse("accounts:new_password", args=[forged, token]))
        assert answer.status_code == 410, key


def test_a_link_shown_to_an_admin_carries_the_base_url_once(client, settings):
    settings.BASE_URL, settings.FORCE_SCRIPT_NAME = "https://lab.example/sicetnon", "/sicetnon"
    client.force_login(person("alice", Role.ADMIN))

    page = client.post(reverse("accounts:invite"), {"roles": ["judge"], "people": "Bob"})

    assert "https://lab.example/sicetnon/join/" in page.content.decode()


def test_nobody_becomes_a_person_of_the_demonstration(client):
    client.force_login(person("alice", Role.ADMIN))
    odile = person("demo.odile", is_demonstration=True)
    page = client.post(reverse("accounts:password_link", args=[odile.pk]))
    assert page.status_code == 404


@pytest.mark.parametrize("chosen", ["ﬁona", "Ｄora"])
def test_a_name_can_be_entered_as_it_was_chosen(client, chosen):
    """The sign-in form normalizes look-alike letters; so does joining."""
    token = invitations.invite(roles=[Role.JUDGE], by=person("alice", Role.ADMIN))
    answer = {"username": chosen, "name": "Dora", "password": "eleven slow otters"}
    assert client.post(invitations.invitation_path(token), answer).status_code == 302
    client.logout()
    signed_in = client.post("/sign-in/", {"username": chosen, "password": "eleven slow otters"})
    assert signed_in.status_code == 302


@pytest.mark.both
def test_a_name_that_looks_like_another_is_taken(client):
    person("fiona")
    token = invitations.invite(roles=[Role.JUDGE], by=person("alice", Role.ADMIN))
    answer = {"username": "ﬁona", "name": "F", "password": "eleven slow otters"}
    page = client.post(invitations.invitation_path(token), answer).content.decode()
    assert "This name is taken" in page


def test_a_request_without_a_value_locks_nobody_out(client):
    client.force_login(person("alice", Role.ADMIN))
    bob = person("bob")
    assert client.post(reverse("accounts:set_active", args=[bob.pk])).status_code == 400
    bob.refresh_from_db()
    assert bob.is_active


def roles_taken(alice, by):
    invitations.grant(alice, roles=[Role.JUDGE], by=by)


def access_ended(alice, by):
    invitations.set_active(alice, active=False)


def forgotten(alice, by):
    forgetting.forget(alice)


@pytest.mark.parametrize("change", [roles_taken, access_ended, forgotten])
def test_a_former_admin_cannot_come_back_by_their_own_link(client, change):
    alice, olga = person("alice", Role.ADMIN), person("olga", Role.ADMIN)
    token = invitations.invite(roles=[Role.ADMIN], by=alice)
    others = invitations.invite(roles=[Role.JUDGE], by=olga)
    change(alice, olga)
    assert join(client, token).status_code == 410
    assert join(client, others).status_code == 302


def test_an_admin_whose_other_roles_change_keeps_their_invitations(client):
    alice = person("alice", Role.ADMIN)
    token = invitations.invite(roles=[Role.JUDGE], by=alice)
    invitations.grant(alice, roles=[Role.ADMIN, Role.RESEARCHER], by=alice)
    assert join(client, token).status_code == 302
