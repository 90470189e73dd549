"""Requests that nobody meant to send, made from the schema by a fixed seed, for each role and each scope alone.

None of them ends in an error of ours, each status is documented (tests/documented.py), and each answer is as the schema
says.
"""

# ruff: noqa: F401, F811
import json
from random import Random
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from accounts.tokens.scopes import scopes_of
from tests.accounts.factories import bearer
from tests.test_access_table import service, stored, world
from tests.test_api_walk import PROGRAMS_OF, mismatch, of_the_api, operation_of, schema, sent

pytestmark = pytest.mark.django_db

TIMES = 2  # for each operation and person
TEXTS = (
    "", " ", "0", "-1", "true", "null", "é", "\u202e", "x" * 5_000, "\U0001f600", "%00", "../../etc", "a\nb", "=1+1",
    "0001-01-01T00:00:00Z", "2026-13-01", "9" * 40, "mills", "1.0", "correct", "Invalid", "'; --", "{{x}}", "\x01",
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 2**31, 2**63, 2**70, 1.5, 1e308)
ODD = (None, True, [], {}, [[]], {"a": {"b": [None]}}, *TEXTS, *NUMBERS)
VERSIONS = ('"0"', '"1"', "*", "x", '"99999999999999999999"', "")


class Odd:
    """Values for schemas: mostly of the type that is asked for, seldom of its meaning."""

    def __init__(self, schema: dict, random: Random) -> None:
        self.schema, self.random = schema, random

    def value(self, of: dict):
        of = self.resolved(of)
        if self.random.random() < 0.2:
            return self.random.choice(ODD)
        if "enum" in of:
            return self.random.choice(of["enum"])
        kind = of.get("type")
        if kind == "object":
            return self.fields(of)
        if kind == "array":
            return [self.value(of["items"]) for _ in range(self.random.choice((0, 1, 3)))]
        if kind == "boolean":
            return self.random.random() < 0.5
        return self.random.choice(NUMBERS if kind in ("integer", "number") else TEXTS)

    def fields(self, of: dict) -> dict:
        named = of.get("properties") or {text: {} for text in self.random.sample(TEXTS, 2)}
        kept = [name for name in named if self.random.random() < 0.85]
        return {name: self.value(named[name]) for name in kept}

    def resolved(self, of: dict) -> dict:
        while "$ref" in of or "allOf" in of or "anyOf" in of:
            inner = of.get("allOf") or of.get("anyOf") or [None]
            name = of.get("$ref", "").rpartition("/")[2]
            of = self.schema["components"]["schemas"][name] if name else inner[0]
        return of

    def request(self, address: str, described: dict, right: dict) -> tuple[str, dict]:
        """The address with a query, and body and headers; `right` is a body that is taken."""
        query = [each for each in described.get("parameters", []) if each["in"] == "query"]
        pairs = {
            each["name"]: self.value(each["schema"]) for each in query if self.random.random() < 0.3
        }
        headers = {
            each["name"]: self.random.choice(VERSIONS)
            for each in described.get("parameters", [])
            if each["in"] == "header" and self.random.random() < 0.8
        }
        mark = "&" if "?" in address else "?"
        whole = f"{address}{mark}{urlencode(pairs)}" if pairs else address
        return whole, {"headers": headers, **self.body(described.get("requestBody", {}), right)}

    def body(self, described: dict, right: dict) -> dict:
        for media, content in described.get("content", {}).items():
            value = self.value(content["schema"])
            if media == "application/json":
                if isinstance(value, dict) and value and self.random.random() < 0.6:
                    name = self.random.choice(list(value))  # this one alone is odd
                    value = {**json.loads(right["data"]), name: value[name]}
                return {"data": json.dumps(value), "content_type": media}
            texts = (
                {str(name): str(text) for name, text in value.items()}
                if isinstance(value, dict)
                else {}
            )
            return {"data": encode_multipart(BOUNDARY, texts), "content_type": MULTIPART_CONTENT}
        return {}


def test_what_nobody_meant_to_send_is_answered_as_the_schema_says(world, schema):
    odd = Odd(schema, Random(36))
    differing, statuses = [], set()
    for who in PROGRAMS_OF:
        person = world["everybody"][who]
        clients = {
            scope: Client(headers=bearer(person, scope), raise_request_exception=False)
            for scope in scopes_of(person.roles)
        }
        for method, address, right, _, one in of_the_api(world):
            for _ in range(TIMES if one.scope in clients else 0):
                at, body = odd.request(address, operation_of(schema, one), right)
                answer, content = sent(clients[one.scope], method, at, body)
                statuses.add(answer.status_code)
                if problem := problem_of(schema, one, answer, content):
                    differing.append(f"{who}: {method} {at[:200]} {body} {problem}"[:1_000])
    assert not differing, "\n".join(differing)
    assert {200, 304, 400, 403, 404, 409, 428} <= statuses


def problem_of(schema, one, answer, content) -> str:
    if answer.status_code == 500:
        return f"failed {content[:300]!r}"
    return mismatch(schema, one, answer, content)
