"""Refusals as pages and as JSON."""

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from accounts import invitations
from accounts.roles import Role
from tests.factories import person

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("view", ["accounts:invite", "annotation:next"])
def test_the_address_of_a_button_says_that_it_is_no_page(client, view):
    client.force_login(person("alice", *Role))
    answer = client.get(reverse(view))
    assert answer.status_code == 405
    assert "POST" in answer["Allow"]
    assert "the address of a button" in answer.content.decode()


def test_a_programs_wrong_method_is_answered_in_json(client):
    client.force_login(person("alice", *Role))
    answer = client.post("/api/collections/")
    assert answer.status_code == 405
    assert answer["Content-Type"] == "application/json"


def test_a_used_link_is_no_longer_valid(client):
    token = invitations.invite(roles=[Role.JUDGE], by=None)
    invitations.accept(token, username="bob", name="Bob", password="x")
    answer = client.get(invitations.invitation_path(token))
    assertContains(answer, "No longer valid", status_code=410)
    assert "Not found" not in answer.content.decode()
