"""Error pages."""

import pytest
from django.test import Client

from accounts.roles import Role
from tests.factories import person

pytestmark = pytest.mark.django_db


def text_of(answer):
    return answer.content.decode()


def test_a_form_from_before_the_last_sign_in_is_refused_with_the_reason():
    client = Client(enforce_csrf_checks=True)
    client.force_login(person("alice", Role.ADMIN))
    here = {"host": "127.0.0.1:8000"}
    answer = client.post("/people/1/active/", {"active": "no"}, headers=here)
    assert answer.status_code == 403
    assert "before you last signed in" in text_of(answer)
    assert "<style" not in text_of(answer)


@pytest.mark.parametrize(
    "headers", [{"host": "localhost:9000"}, {"origin": "https://127.0.0.1:8000"}]
)
def test_a_form_under_another_address_names_the_right_one(headers):
    answer = Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "a"}, headers=headers)
    assert answer.status_code == 403
    assert "This form was not sent from http://127.0.0.1:8000, the address" in text_of(answer)


@pytest.mark.parametrize(
    "options", [{"headers": {"host": "evil.example"}}, {"headers": {"host": "a b"}}]
)
def test_another_host_is_answered_without_its_name(client, options):
    answer = client.get("/sign-in/", **options)
    assert answer.status_code == 400
    assert "Open http://127.0.0.1:8000 instead" in text_of(answer)
    assert "evil" not in text_of(answer)


def test_too_many_fields_are_refused_with_the_reason(client, settings):
    client.force_login(person("anna", Role.ANNOTATOR))
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 10
    answer = client.post("/annotate/next/", {f"field-{n}": "x" for n in range(11)})
    assert answer.status_code == 400
    assert "too many fields" in text_of(answer)


def test_a_server_error_shows_nothing_of_the_program(monkeypatch, settings):
    from datasets.views import collections

    def broken(*_):
        raise RuntimeError("a secret of the program")

    monkeypatch.setattr(collections, "sizes", broken)
    client = Client(raise_request_exception=False)
    client.force_login(person("rosa", Role.RESEARCHER))
    answer = client.get("/collections/")
    assert answer.status_code == 500
    assert "Something went wrong" in text_of(answer)
    assert "secret" not in text_of(answer)
    assert "default-src 'none'" in answer["Content-Security-Policy"]
