"""A request with a token: whose it is, when it does not hold, and what it writes."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import invitations, second_factor
from accounts.models import ApiToken, AuditEvent, SecondFactor
from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import Scope, scopes_of
from accounts.tokens.token_text import new_text
from leases.clock import in_seconds, now
from leases.refusal import NotFoundHere, Refusal
from operations import forgetting
from tests.accounts.factories import bearer
from tests.factories import person, stored

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.pages.rest.urls")]

LIST, FILE = "/api/mills/", "/api/mills.csv/"


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


def expire(rosa):
    ApiToken.objects.update(expires_at=in_seconds(-1))


def revoke(rosa):
    issuing.revoke(rosa, ApiToken.objects.get().pk, by=rosa)


def end_access(rosa):
    invitations.set_active(rosa, active=False)


def end_and_allow_again(rosa):
    invitations.set_active(rosa, active=False)
    invitations.set_active(rosa, active=True)


def forget(rosa):
    forgetting.forget(rosa)


def new_password(rosa):
    invitations.set_password(stored(rosa), "another long way")


def new_password_by_link(rosa):
    *_, key, token = invitations.password_path(rosa).strip("/").split("/")
    invitations.set_password_by_link(key, token, "another long way")


def lost_phone(rosa):
    SecondFactor.objects.create(person=rosa, secret="", last_step=0)
    second_factor.take_away(rosa, by=None)


ENDINGS = [
    (expire, "expired"),
    *((each, "revoked") for each in (
        revoke, end_access, end_and_allow_again, forget, new_password, new_password_by_link, lost_phone,
    )),
]  # fmt: skip


@pytest.mark.parametrize(("ends", "said"), ENDINGS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_token_that_has_ended_is_refused_with_the_reason(client, rosa, ends, said):
    headers = bearer(rosa)
    assert client.get(LIST, headers=headers).status_code == 200
    ends(rosa)
    answer = client.get(LIST, headers=headers)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="Sic et Non", error="invalid_token"'
    assert said in answer.json()["error"]
    assert answer.json()["code"] == "invalid_token"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("", "Authorization: Bearer sicetnon_"),
        ("Bearer", "no whole token"),
        ("Bearer sicetnon_abc", "no whole token"),
        ("Bearer {new}", "was revoked"),
        ("bearer {new}", "was revoked"),
        ("Basic cm9zYTpyb3Nh", "Authorization: Bearer sicetnon_"),
    ],
)
def test_without_a_token_that_holds_a_program_is_told_what_to_send(client, sent, said):
    headers = {"Authorization": sent.format(new=new_text())} if sent else {}
    answer = client.get(LIST, headers=headers)
    assert answer.status_code == 401
    assert said in answer.json()["error"]


def test_a_token_is_refused_in_an_address(client, rosa):
    text = bearer(rosa)["Authorization"].removeprefix("Bearer ")
    for address in (f"{LIST}?token={text}", f"/api/mills/{text}/", f"/api/{text}/"):
        answer = client.get(address)
        assert answer.status_code == 400
        assert answer.json()["code"] == "token_in_address"
        assert text not in answer.content.decode()


def test_beside_another_persons_cookie_the_token_alone_counts(rosa):
    olga = person("olga", Role.ADMIN)
    client = Client(enforce_csrf_checks=True)
    client.force_login(olga)
    made = {"name": "weir"}
    headers = bearer(rosa, Scope.EXPORT, Scope.READ)
    sent = client.post("/api/mills/", made, content_type="application/json", headers=headers)
    assert sent.status_code == 201  # without a CSRF token
    remove = client.delete("/api/mills/weir/", headers=headers | {"If-Match": '"1"'})
    assert remove.json()["details"] == {"roles": ["admin"]}  # as rosa
    revoke(rosa)
    assert client.get(LIST, headers=headers).status_code == 401  # not as olga
    assert client.post("/api/mills/", made, content_type="application/json").status_code == 403


def test_no_cookie_is_set(client, rosa):
    assert not client.get(LIST, headers=bearer(rosa)).cookies


def test_too_small_a_scope_is_named(client, rosa):
    answer = client.get(FILE, headers=bearer(rosa, Scope.READ))
    assert answer.status_code == 403
    assert answer.json()["code"] == "scope_missing"
    assert answer.json()["details"] == {"scopes": ["export"]}
    assert client.get(FILE, headers=bearer(rosa, Scope.EXPORT)).status_code == 200


def test_a_role_that_is_taken_away_takes_its_scopes(client):
    """What another role still allows needs the scope of that role."""
    mary = person("mary", Role.JUDGE, Role.RESEARCHER)
    headers = bearer(mary)
    assert client.post("/api/verdicts/", headers=headers).status_code == 204
    invitations.grant(mary, roles=[Role.RESEARCHER], by=None)
    refused = client.post("/api/verdicts/", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    invitations.grant(mary, roles=[Role.ANNOTATOR], by=None)
    refused = client.get(FILE, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "role_missing")
    assert refused.json()["details"] == {"roles": ["researcher", "admin"]}


def test_nobody_makes_a_token_beyond_their_roles(rosa):
    assert scopes_of(rosa.roles) == [Scope.READ, Scope.EXPORT]
    for scopes in ([Scope.JUDGE], [Scope.READ, Scope.ANNOTATE], []):
        with pytest.raises(Refusal, match="beyond your roles"):
            issuing.make(rosa, name="notebook", scopes=scopes)
    for days in (0, 366):
        with pytest.raises(Refusal, match="1 to 365 days"):
            issuing.make(rosa, name="notebook", scopes=[Scope.READ], days=days)


def test_only_the_hash_of_a_token_is_stored(rosa):
    text = issuing.make(rosa, name="notebook", scopes=[Scope.READ])
    row = ApiToken.objects.get()
    assert text not in str(vars(row))
    assert now() + timedelta(days=89) < row.expires_at < now() + timedelta(days=91)


@pytest.mark.both
def test_the_last_use_is_written_once_in_some_minutes(client, rosa):
    headers = bearer(rosa)
    client.get(LIST, headers=headers)
    first = ApiToken.objects.get().last_used_at
    assert first
    with CaptureQueriesContext(connection) as asked:
        client.get(LIST, headers=headers)
    assert not [one for one in asked if "UPDATE" in one["sql"] and "apitoken" in one["sql"]]
    ApiToken.objects.update(last_used_at=F("last_used_at") - timedelta(minutes=6))
    client.get(LIST, headers=headers)
    assert ApiToken.objects.get().last_used_at >= first


@pytest.mark.both
def test_a_token_is_read_in_one_statement_with_person_and_roles(client, rosa):
    headers = bearer(rosa)
    client.get("/api/others/", headers=headers)
    with CaptureQueriesContext(connection) as asked:
        client.get("/api/others/", headers=headers)
    assert len([one for one in asked if "accounts_allowance" not in one["sql"]]) == 2


def test_a_token_opens_no_page(client, rosa):
    assert client.get("/account/", headers=bearer(rosa)).status_code == 302


def test_made_and_revoked_are_in_the_audit_log_without_a_secret(rosa):
    olga = person("olga", Role.ADMIN)
    text = issuing.make(rosa, name="notebook", scopes=[Scope.READ, Scope.EXPORT], days=7)
    issuing.revoke(rosa, ApiToken.objects.get().pk, by=olga)
    made, revoked = AuditEvent.objects.order_by("pk")
    assert (made.by, made.person) == (rosa, None)
    assert made.about == "notebook: made for 7 days: read, export"
    assert (revoked.by, revoked.person, revoked.about) == (olga, rosa, "notebook: revoked")
    assert text not in made.about
    with pytest.raises(NotFoundHere):
        issuing.revoke(rosa, 1, by=rosa)


@pytest.mark.both
def test_expired_tokens_are_deleted_a_month_later(rosa):
    bearer(rosa)
    expire(rosa)
    assert issuing.sweep() == 0
    ApiToken.objects.update(expires_at=in_seconds(-31 * 24 * 3600))
    assert issuing.sweep() == 1


def test_one_person_has_fifty_tokens_at_most(rosa, monkeypatch):
    monkeypatch.setattr(issuing, "MOST_TOKENS", 1)
    bearer(rosa)
    with pytest.raises(Refusal, match="Revoke one"):
        bearer(rosa)
