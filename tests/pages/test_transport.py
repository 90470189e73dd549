"""Requests by plain http, or to another host name, are refused."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains

pytestmark = pytest.mark.django_db


@pytest.fixture
def on_a_server(settings):
    """A team's server with one proxy in front of it that handles https."""
    settings.ALLOW_PLAIN_HTTP = False
    settings.BASE_URL = "https://lab.example"
    settings.ALLOWED_HOSTS = ["lab.example", "127.0.0.1", "localhost", "[::1]"]
    settings.TRUSTED_PROXIES = 1
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    return settings


def status(path="/sign-in/", *, host="lab.example", **headers):
    return Client().get(path, headers={"host": host, **headers}).status_code


def test_plain_http_over_a_network_is_refused_with_what_to_do(on_a_server):
    answer = Client().get("/sign-in/", headers={"host": "lab.example"})
    assert answer.status_code == 403
    page = answer.content.decode()
    assert "Open https://lab.example instead" in page
    assert "TRUSTED_PROXIES" in page
    assert "Set-Cookie" not in answer
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_a_password_sent_by_plain_http_is_not_checked(on_a_server):
    answer = Client().post(
        "/sign-in/", {"username": "a", "password": "b"}, headers={"host": "lab.example"}
    )
    assert answer.status_code == 403


def test_a_program_is_refused_in_json(on_a_server):
    answer = Client().get("/api/runs/", headers={"host": "lab.example"})
    assert answer.status_code == 403
    assert "plain http" in answer.json()["error"]


def test_https_is_answered(on_a_server):
    assert status(**{"x-forwarded-proto": "https"}) == 200
    assert status(**{"x-forwarded-proto": "http"}) == 403


def test_a_claim_to_come_by_https_is_not_believed_where_no_proxy_is_trusted(on_a_server):
    # As in config.settings without TRUSTED_PROXIES.
    on_a_server.SECURE_PROXY_SSL_HEADER = None
    assert status(**{"x-forwarded-proto": "https"}) == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost", "localhost:8000", "[::1]:8000"])
def test_this_machine_may_ask_by_plain_http(on_a_server, host):
    assert status("/healthz", host=host) == 200


def test_plain_http_is_answered_where_it_is_allowed(on_a_server):
    on_a_server.ALLOW_PLAIN_HTTP = True
    assert status() == 200


def test_a_wrong_host_is_answered_with_the_right_one(on_a_server):
    answer = Client().get("/sign-in/", headers={"host": "other.example"}, secure=True)
    assertContains(answer, "Open https://lab.example instead", status_code=400)
    answer = Client().get("/api/runs/", headers={"host": "other.example"}, secure=True)
    assert "Open https://lab.example" in answer.json()["error"]
