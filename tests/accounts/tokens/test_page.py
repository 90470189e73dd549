"""The page of one's tokens, and an admin's view of somebody's."""

import re

import pyotp
import pytest
from pytest_django.asserts import assertContains, assertNotContains

from accounts import second_factor
from accounts.models import ApiToken
from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import Scope
from leases.clock import in_seconds, now
from tests.factories import PASSWORD, person, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/account/tokens/"


@pytest.fixture
def rosa(client):
    return signed_in(client, person("rosa", Role.RESEARCHER))


def make(client, **changed):
    fields = {"name": "notebook", "scopes": ["read"], "days": 90, "current_password": PASSWORD}
    return client.post(PAGE, fields | changed)


def test_a_new_token_is_shown_once_and_works(client, rosa):
    answer = make(client, scopes=["read", "export"])
    (text,) = set(re.findall(r"sicetnon_\w{40}", answer.content.decode()))
    assertNotContains(client.get(PAGE), text)
    assertContains(client.get(PAGE), "read, export")
    client.logout()
    headers = {"Authorization": f"Bearer {text}"}
    assert client.get("/api/schema.json", headers=headers).status_code == 200


WRONG = [
    ({"current_password": "guessed"}, "This is not your current password."),
    ({"current_password": ""}, "This field is required."),
    ({"name": ""}, "This field is required."),
    ({"name": "x" * 81}, "at most 80 characters"),
    ({"scopes": []}, "This field is required."),
    ({"scopes": ["annotate"]}, "annotate is not one of the available choices"),
    ({"days": 366}, "less than or equal to 365"),
    ({"days": 0}, "greater than or equal to 1"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG)
def test_what_is_wrong_is_named_and_nothing_is_made(client, rosa, changed, said):
    answer = make(client, **changed)
    assertContains(answer, said, status_code=400)
    assert not ApiToken.objects.exists()


def test_a_second_factor_is_asked_for(client, rosa, monkeypatch):
    secret = pyotp.random_base32()
    at = now()  # else the next code may begin meanwhile
    monkeypatch.setattr(second_factor, "now", lambda: at)
    code = pyotp.TOTP(secret).at(at)
    second_factor.turn_on(rosa, secret, pyotp.TOTP(secret).at(at.timestamp() - 30))
    assert make(client).status_code == 400
    assert make(client, code="000000").status_code == 400
    assert make(client, code=code, name="").status_code == 400  # does not use up the code
    assert make(client, code=code).status_code == 200
    assert make(client, code=code).status_code == 400


def test_somebody_without_a_password_is_told_how_to_get_one(client):
    ida = person("ida", Role.RESEARCHER)
    ida.set_unusable_password()
    ida.save()
    client.force_login(ida)
    assertContains(client.get(PAGE), "ask an admin for a link for a new password")
    assert make(client).status_code == 400


def test_somebody_without_a_role_is_told_so(client):
    client.force_login(person("nina"))
    assertContains(client.get(PAGE), "a token could do nothing")


def test_own_tokens_are_revoked_here_and_nobody_elses(client, rosa):
    make(client)
    other = person("ruth", Role.RESEARCHER)
    issuing.make(other, name="script", scopes=[Scope.READ])
    of_other = ApiToken.objects.get(person=other)
    assert client.post(f"{PAGE}{of_other.pk}/revoke/").status_code == 404
    own = ApiToken.objects.get(person=rosa)
    assertContains(client.post(f"{PAGE}{own.pk}/revoke/", follow=True), "The token is revoked")
    assert list(ApiToken.objects.all()) == [of_other]


def test_an_admin_sees_and_revokes_somebodys_tokens(client, rosa):
    make(client)
    ApiToken.objects.update(expires_at=in_seconds(-1))
    token = ApiToken.objects.get()
    client.force_login(person("olga", Role.ADMIN))
    page = client.get(f"/people/{rosa.pk}/")
    assertContains(page, "notebook")
    assertContains(page, "Expired")
    client.post(f"/people/{rosa.pk}/tokens/{token.pk}/revoke/")
    assert not ApiToken.objects.exists()


def test_a_new_password_revokes_all(client, rosa):
    make(client)
    new = {"current_password": PASSWORD, "new_password": "another long way"}
    client.post("/account/password/", new)
    assertContains(client.get("/account/"), "you have none")
