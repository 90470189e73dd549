"""A program that sends requests to the API with a token of a person."""

import json

from django.http import HttpResponseBase
from django.test import Client

from accounts.models import Person
from accounts.tokens.scopes import Scope
from tests.accounts.factories import bearer


class Program(Client):
    """`scopes`: those of its token; without them all that the person may have. Bodies are JSON."""

    def __init__(self, person: Person, *scopes: Scope) -> None:
        super().__init__(headers=bearer(person, *scopes))

    def send(self, method: str, path: str, body: object = None, **headers: str) -> HttpResponseBase:
        """`headers` by their names with underscores, as `if_match`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = json.dumps({} if body is None else body)
        return self.generic(method, path, data, "application/json", headers=named)
