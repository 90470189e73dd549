"""Functions that make rows for the tests of all rooms; each room has further ones next to its tests."""

from hashlib import sha256
from typing import Any

from django.db.models import Model
from django.test import Client

from accounts.models import ALPHABET, Person, RoleGrant
from accounts.roles import Role

PASSWORD = "a long way to Canossa"


def person(username: str, *roles: Role, **fields: object) -> Person:
    """A person with these roles and PASSWORD; `fields` are columns of the model."""
    usual = {"name": username.capitalize(), "pseudonym": pseudonym(username)}
    someone = Person(username=username, **{**usual, **fields})
    someone.set_password(PASSWORD)
    someone.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=someone, role=role) for role in roles)
    return someone


def pseudonym(username: str) -> str:
    """The same for a name in every run: pseudonyms decide who judges which item."""
    drawn = sha256(username.encode()).digest()[:6]
    return "P-" + "".join(ALPHABET[byte % len(ALPHABET)] for byte in drawn)


def stored(row: Model) -> Any:
    """The row as the database has it now."""
    return type(row)._default_manager.get(pk=row.pk)


def signed_in(client: Client, who: Person) -> Person:
    """The person, whose pages the client shows from now on."""
    client.force_login(who)
    return who
