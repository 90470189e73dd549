"""A changed SECRET_KEY, after a restore or a restart, ends sessions and password links; nothing else breaks."""

import pytest
from django.test import Client

from accounts import invitations
from accounts.models import Person
from accounts.roles import Role
from tests.annotation import factories as annotation
from tests.factories import PASSWORD, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice():
    return person("alice", Role.ANNOTATOR, Role.ADMIN)


@pytest.fixture
def change_the_key(settings):
    def change():
        settings.SECRET_KEY = "another-" + "1" * 50

    return change


def test_everyone_signs_in_again_with_the_same_password(alice, client, change_the_key):
    assert client.login(username="alice", password=PASSWORD)
    assert client.get("/people/").status_code == 200
    change_the_key()
    answer = client.get("/people/")
    assert answer.status_code == 302
    assert answer.url.startswith("/sign-in/?next=")
    page = client.get("/sign-in/")
    assert page.status_code == 200
    answer = client.post("/sign-in/", {"username": "alice", "password": PASSWORD})
    assert answer.status_code == 302
    assert client.get("/people/").status_code == 200


def test_an_open_page_with_a_message_waiting_is_answered(alice, client, change_the_key):
    client.login(username="alice", password=PASSWORD)
    client.post(f"/people/{alice.pk}/", {"roles": ["admin", "annotator"]})  # leaves a message
    change_the_key()
    assert client.get("/sign-in/").status_code == 200


def test_a_draft_in_an_open_page_is_refused_and_not_lost(alice, client, change_the_key):
    draft = annotation.draft(alice, valid_comment="kept")
    client.login(username="alice", password=PASSWORD)
    change_the_key()
    answer = client.patch(
        f"/api/drafts/{draft.pk}/",
        {"entries": {"valid_comment": "more"}},
        content_type="application/json",
        headers={"If-Match": '"1"'},
    )
    assert answer.status_code == 401
    draft.refresh_from_db()
    assert draft.valid_comment == "kept"


def test_links_for_a_new_password_end_and_invitations_stay_valid(alice, change_the_key):
    password = invitations.password_path(alice)
    invitation = invitations.invitation_path(invitations.invite(roles=[Role.JUDGE], by=alice))
    change_the_key()
    assert Client().get(password).status_code == 410
    answer = Client().post(invitation, {"username": "bob", "name": "Bob", "password": PASSWORD})
    assert answer.status_code == 302
    assert Person.objects.filter(username="bob").exists()
