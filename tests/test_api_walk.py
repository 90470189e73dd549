"""Every operation of the schema, with tokens: who may, which scope, and that each answer is as the schema says."""

# ruff: noqa: F401, F811
import json
from collections.abc import Iterator

import jsonschema
import pytest
from django.db import transaction
from django.test import Client
from django.urls import resolve
from drf_spectacular.generators import SchemaGenerator

from accounts.models import Allowance
from accounts.tokens.scopes import ROLES_OF, Scope
from pages.rest.operations import Operation
from tests.access_bodies import body_of
from tests.accounts.factories import bearer
from tests.test_access_table import rows, service, stored, world

pytestmark = pytest.mark.django_db

# Of those in the access table, one for each kind of roles; a token takes the same way for all.
PROGRAMS_OF = ("anna", "jean", "rosa", "max")


@pytest.fixture(scope="module")
def schema() -> dict:
    return as_json_schema(SchemaGenerator().get_schema(request=None, public=True))


def as_json_schema(part):
    """OpenAPI 3.0 says `nullable` where JSON Schema has null as a further type."""
    if isinstance(part, list):
        return [as_json_schema(each) for each in part]
    if not isinstance(part, dict):
        return part
    rest = {key: as_json_schema(each) for key, each in part.items() if key != "nullable"}
    return {"anyOf": [rest, {"type": "null"}]} if part.get("nullable") is True else rest


def of_the_api(world) -> Iterator[tuple[str, str, dict, dict[str, int], Operation]]:
    """(method, address, body, statuses by person, operation) of each row of the access table."""
    for method, path, expected in rows():
        address = path.format(**world)
        operations = getattr(resolve(address.partition("?")[0]).func, "operations", {})
        if method in operations:
            yield method, address, body_of(method, path, world), expected, operations[method]


def sent(client, method, address, body, **headers):
    """The answer and its contents, and everything as it was before."""
    body = {**body, "headers": {**body.get("headers", {}), **headers}}
    with transaction.atomic():
        answer = client.generic(method, address, **body)
        content = b"".join(answer)
        transaction.set_rollback(True)
    Allowance.objects.all().delete()
    return answer, content


def test_every_operation_has_the_status_of_the_table_with_a_token_too(world, schema):
    """And its answer is as the schema describes it."""
    differing, checked = [], set()
    for who in PROGRAMS_OF:
        client = Client(headers=bearer(world["everybody"][who]), raise_request_exception=False)
        for method, address, body, expected, one in of_the_api(world):
            answer, content = sent(client, method, address, body)
            if answer.status_code != expected[who]:
                differing.append(f"{who}: {method} {address} {answer.status_code}")
            elif problem := mismatch(schema, one, answer, content):
                differing.append(f"{who}: {method} {address} {problem}")
            elif answer.status_code < 300:
                checked.add(one.name)
    assert not differing, "\n".join(differing)
    assert len(checked) > 40


def mismatch(schema, one, answer, content) -> str:
    """How the answer differs from the schema; "" if it does not."""
    contents = operation_of(schema, one)["responses"][str(answer.status_code)].get("content", {})
    described = {media.partition(";")[0]: content for media, content in contents.items()}
    if not described:
        return "has a body" if content else ""
    media = answer["Content-Type"].partition(";")[0]
    if media not in described:
        return f"is {media}, not {list(described)}"
    if media != "application/json" or described[media]["schema"].get("format") == "binary":
        return ""
    whole = {**described[media]["schema"], "components": schema["components"]}
    found = jsonschema.Draft202012Validator(whole).iter_errors(json.loads(content))
    return "; ".join(f"{error.json_path} {error.message}"[:300] for error in found)


def operation_of(schema, one):
    return next(
        described
        for methods in schema["paths"].values()
        for described in methods.values()
        if described["operationId"] == one.name
    )


def test_every_operation_names_the_scope_that_is_missing(world):
    max_ = world["everybody"]["max"]
    without = {
        scope: Client(headers=bearer(max_, *(other for other in Scope if other != scope)))
        for scope in Scope
    }
    for method, address, body, _, one in of_the_api(world):
        answer, content = sent(without[one.scope], method, address, body)
        assert answer.status_code == 403, address
        assert json.loads(content)["details"] == {"scopes": [one.scope.value]}, address


def test_a_scope_is_for_the_roles_of_its_operations(world):
    roles = {scope: set() for scope in Scope}
    for *_, one in of_the_api(world):
        roles[one.scope] |= set(one.roles)
    assert roles == ROLES_OF


def test_every_operation_refuses_what_it_does_not_know(world):
    """A parameter, a body of another type, JSON that is nothing it takes."""
    client = Client(headers=bearer(world["everybody"]["max"]))
    for method, address, body, _, one in of_the_api(world):
        mark = "&" if "?" in address else "?"
        answer, content = sent(
            client, method, f"{address}{mark}created_by__password__startswith=p", body
        )
        assert answer.status_code == 400, address
        assert "created_by__password__startswith" in json.loads(content)["error"], address
        if one.takes:
            for text, media, status in (
                ("[[]]", "application/json", 400),
                ("x", "text/plain", 415),
            ):
                bad = {**body, "data": text, "content_type": media}
                answer, _ = sent(client, method, address, bad)
                assert answer.status_code in (status, 415 if one.upload else status), address


def test_every_operation_is_in_the_schema_under_its_own_name(schema, world):
    named = [one["operationId"] for methods in schema["paths"].values() for one in methods.values()]
    assert len(named) == len(set(named))
    assert {one.name for *_, one in of_the_api(world)} == {
        one["operationId"]
        for methods in schema["paths"].values()
        for one in methods.values()
        if "x-scope" in one
    }


def test_every_operation_tells_a_stranger_to_send_a_token(world):
    for method, address, body, _, _ in of_the_api(world):
        answer, _ = sent(Client(), method, address, body)
        assert answer.status_code == 401, address
        assert answer.has_header("WWW-Authenticate")
