"""Who may open which page."""

import pytest
from django.urls import reverse

from accounts import invitations
from accounts.roles import Role
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


def test_a_signed_out_visitor_is_sent_to_the_sign_in_page(client):
    page = client.get(reverse("accounts:people"))
    assert page.status_code == 302
    assert page["Location"].startswith(reverse("accounts:sign_in"))


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMIN])
def test_only_admins_open_the_people_page(client, role):
    client.force_login(person("bob", role))
    page = client.get(reverse("accounts:people"))
    assert page.status_code == 403
    assert "role admin" in page.content.decode()


def test_a_change_of_roles_acts_on_the_next_request(client):
    alice, bob = person("alice", Role.ADMIN), person("bob", Role.ADMIN)
    client.force_login(bob)
    assert client.get(reverse("accounts:people")).status_code == 200

    invitations.grant(bob, roles=[Role.JUDGE], by=alice)

    assert client.get(reverse("accounts:people")).status_code == 403


def test_a_person_who_may_no_longer_sign_in_is_out_at_once(client):
    bob = person("bob", Role.JUDGE)
    client.force_login(bob)
    invitations.set_active(bob, active=False)
    assert client.get(reverse("home")).status_code == 302


def test_an_admin_saves_roles(client):
    client.force_login(person("alice", Role.ADMIN))
    bob = person("bob")

    client.post(reverse("accounts:person", args=[bob.pk]), {"roles": ["judge", "annotator"]})

    assert set(bob.grants.values_list("role", flat=True)) == {"judge", "annotator"}


@pytest.mark.parametrize("path", ["/sign-in/", "/no-such-page/"])
def test_every_answer_carries_the_strict_policy(client, path):
    policy = client.get(path)["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_signing_in_does_not_follow_an_address_elsewhere(client):
    person("bob", Role.JUDGE)
    page = client.post(
        reverse("accounts:sign_in") + "?next=https://evil.example/",
        {"username": "bob", "password": PASSWORD, "next": "https://evil.example/"},
    )
    assert page["Location"] == reverse("home")


def test_a_refused_invitation_still_lists_the_others(client):
    client.force_login(person("alice", Role.ADMIN))
    client.post(reverse("accounts:invite"), {"people": "Bob of the abbey", "roles": ["judge"]})
    answer = client.post(reverse("accounts:invite"), {"people": "Charlie"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Charlie" in page
    assert "Bob of the abbey" in page
