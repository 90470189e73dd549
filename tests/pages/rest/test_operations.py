"""What all operations share: roles, methods, bodies, parameters, and one shape of every refusal."""

import json

import pytest
from django.db import OperationalError
from django.test import Client

from accounts.rates import API
from accounts.roles import Role
from accounts.tokens.scopes import Scope
from datasets.models import Collection
from pages import middleware
from tests.accounts.factories import bearer, use_up
from tests.factories import person
from tests.pages.rest import urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.pages.rest.urls")]

MILLS, JSON = "/api/mills/", "application/json"


@pytest.fixture
def rosa():
    return person("rosa", Role.RESEARCHER)


@pytest.fixture(params=["token", "cookie"])
def program(rosa, request):
    """Signed in by either; what all of these tests see is the same."""
    if request.param == "token":
        return Client(headers=bearer(rosa))
    client = Client()
    client.force_login(rosa)
    return client


def send(client, body, path=MILLS, **more):
    text = body if isinstance(body, bytes | str) else json.dumps(body)
    return client.generic("POST", path, text, JSON, **more)


REFUSED = [
    ("GET", "/api/nothing/", {}, 404, "not_found"),
    ("GET", "/api/mills", {}, 404, "not_found"),
    ("PUT", MILLS, {}, 405, "method_not_allowed"),
    ("OPTIONS", MILLS, {}, 405, "method_not_allowed"),
    ("GET", MILLS, {"Accept": "text/html"}, 406, "not_acceptable"),
    ("POST", MILLS, {}, 415, "unsupported_media_type"),
    ("GET", f"{MILLS}?state=open", {}, 400, "bad_query"),
    ("DELETE", "/api/mills/weir/", {}, 403, "role_missing"),
    ("GET", f"{MILLS}?words=%00", {}, 400, "invalid"),
    ("GET", "/api/mills.csv/?busy=true", {}, 429, "too_many_requests"),
]


@pytest.mark.parametrize(("method", "path", "headers", "status", "code"), REFUSED)
def test_every_refusal_has_one_shape(program, method, path, headers, status, code):
    """tests/documented.py checks the shape itself."""
    answer = program.generic(method, path, b"x", "text/plain", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == JSON
    if status == 415:
        assert answer.json()["error"] == "Send the body with Content-Type: application/json."
    if status == 405:
        assert answer["Allow"] == "GET, POST, HEAD"
    if status == 429:
        assert answer["Retry-After"] == "7"
        assert answer.json()["retry"]


def test_too_many_requests_wait(program, rosa):
    use_up(f"api {rosa.pk}", API)
    answer = program.get(MILLS)
    assert answer.status_code == 429
    assert 20 < int(answer["Retry-After"]) < 60


@pytest.mark.both
def test_an_outage_of_the_database_is_named(program, monkeypatch):
    def down(*_, **__):
        raise OperationalError("no connection")

    monkeypatch.setattr(urls.Collection.objects, "get", down)
    answer = program.get("/api/mills/weir/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "15")
    assert answer.json()["retry"]


def test_a_version_is_asked_for(client):
    client.force_login(person("olga", Role.ADMIN))
    answer = client.delete("/api/mills/weir/")
    assert (answer.status_code, answer.json()["code"]) == (428, "version_required")
    assert client.delete("/api/mills/weir/", headers={"If-Match": '"1"'}).status_code == 204


def nested(depth):
    return '{"name": "weir", "anything": ' + '{"a": ' * depth + "1" + "}" * depth + "}"


BAD_BODIES = [
    ("{", "JSON parse error"),
    (nested(10_000), "nested too deeply"),
    ("[" * 10_000, "nested too deeply"),
    ('{"name": "we\x00ir"}', "JSON parse error"),
    (r'{"name": "weir", "anything": {"a": ["\u0000"]}}', "NUL"),
    (r'{"name": "weir", "anything": {"\u0000": 1}}', "NUL"),
    (r'{"name": "weir", "anything": {"a": "\ud800"}}', "half a character"),
    ('{"name": "weir", "anything": {"a": NaN}}', "JSON parse error"),
    ('{"name": ' + "9" * 5000 + "}", "JSON parse error"),
    ("\ufeff{}", "JSON parse error"),
    (b'{"name": "\xff"}', "JSON parse error"),
    ("[]", "Expected a dictionary"),
    ("null", "No data"),
    ('"weir"', "Expected a dictionary"),
    ("{}", "name: This field is required."),
    ('{"name": ""}', "name: This field may not be blank."),
    ('{"name": {"a": 1}}', "name: Not a valid string."),
    ('{"name": "weir", "inner": {"year": -1}}', "inner.year: "),
    (
        '{"name": "weir", "nmae": 1}',
        "There is no field 'nmae' here. Allowed are: name, anything, inner.",
    ),
    (
        '{"name": "weir", "inner": {"year": 1, "yaer": 2}}',
        "There is no field 'inner.yaer' here. Allowed are: year.",
    ),
    (f'{{"name": "weir", "{"x" * 99_999}": 1}}', "There is no field 'xxx"),
]


@pytest.mark.parametrize(("body", "said"), BAD_BODIES)
def test_a_body_that_cannot_be_read_is_named(program, body, said):
    answer = send(program, body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert not Collection.objects.exists()


def test_the_fields_of_a_bad_body_are_named(program):
    answer = send(program, {"name": "x" * 30, "inner": {"year": "no"}})
    assert set(answer.json()["fields"]) == {"name", "inner.year"}


def test_unknown_fields_of_a_form_are_named(program):
    answer = program.post("/api/imports/", {"name": "weir", "file": b"x", "titel": "Weir"})
    assert answer.status_code == 400
    assert answer.json()["fields"] == {
        "titel": ["There is no field 'titel' here. Allowed are: name, file."]
    }


@pytest.mark.parametrize("text", [r"\\u0000", r"\ud83d\ude00", "é"])
def test_what_only_looks_like_a_bad_character_is_taken(program, text):
    answer = send(program, '{"name": "weir", "anything": {"a": "TEXT"}}'.replace("TEXT", text))
    assert answer.status_code == 201


def test_a_body_of_50_mb_is_refused_before_it_is_read(program, rosa):
    answer = program.generic("POST", MILLS, CONTENT_TYPE=JSON, CONTENT_LENGTH=str(50 * 1024**2))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "Go back" not in answer.json()["error"]


def test_a_token_may_send_as_much_as_its_person(client, rosa):
    """Without one that holds, no more than a stranger."""
    size = middleware.SIGNED_OUT + 1
    body = json.dumps({"name": "weir", "anything": {"a": "x" * size}})
    assert send(client, body, headers=bearer(rosa)).status_code == 201
    wrong = {"Authorization": "Bearer sicetnon_x"}
    assert send(client, body, headers=wrong).status_code == 413


def test_a_client_that_leaves_midway_changes_nothing(rosa):
    class Gone:
        def read(self, *_):
            raise OSError("connection reset")

        readline = read

    came = {"wsgi.input": Gone(), "CONTENT_TYPE": JSON, "CONTENT_LENGTH": "16"}
    answer = Client(headers=bearer(rosa)).generic("POST", MILLS, **came)
    assert answer.status_code == 400
    assert "ended before" in answer.json()["error"]
    assert not Collection.objects.exists()


def test_a_program_that_has_the_answer_is_told_so(program):
    Collection.objects.create(name="weir", title="Weir")
    first = program.get("/api/mills/weir/")
    again = program.get("/api/mills/weir/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Collection.objects.update(title="The weir")
    changed = program.get("/api/mills/weir/", headers={"If-None-Match": first["ETag"]})
    assert (changed.status_code, changed.json()["title"]) == (200, "The weir")


def test_a_page_of_a_list_is_known_though_its_cursor_is_sealed_anew(program):
    for name in ("mill", "weir"):
        Collection.objects.create(name=name)
    first, second = (program.get("/api/others/?page_size=1") for _ in range(2))
    assert first.json()["next"] != second.json()["next"]
    for method in (program.get, program.head):
        known = method("/api/others/?page_size=1", headers={"If-None-Match": second["ETag"]})
        assert (known.status_code, known.content) == (304, b"")
        assert known["ETag"] == first["ETag"]
    [row] = program.get(first.json()["next"]).json()["results"]
    assert row["name"] == "weir"
    Collection.objects.filter(name="weir").delete()
    last = program.get("/api/others/?page_size=1", headers={"If-None-Match": first["ETag"]})
    assert (last.status_code, last.json()["next"]) == (200, None)


def test_the_schema_has_an_etag(program):
    first = program.get("/api/schema.json")
    known = program.get("/api/schema.json", headers={"If-None-Match": first["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


def test_a_file_is_given_whatever_is_accepted_and_its_refusal_is_json(program):
    answer = program.get("/api/mills.csv/", headers={"Accept": "text/csv"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv")
    refused = program.get("/api/mills.csv/?busy=maybe", headers={"Accept": "text/csv"})
    assert refused.json()["error"] == "busy takes true or false."


def test_a_head_is_answered_as_its_get(program):
    assert program.head(MILLS).status_code == 200


def test_a_scope_is_of_no_concern_to_a_page(client, rosa):
    client.force_login(rosa)
    assert client.get("/api/mills.csv/").status_code == 200
    assert client.get("/api/mills.csv/", headers=bearer(rosa, Scope.READ)).status_code == 403
