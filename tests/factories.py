"""Rows that every room's tests need, as plain functions. A room keeps its own beside its tests."""

from hashlib import sha256

from accounts.models import ALPHABET, Person, RoleGrant
from accounts.roles import Role

PASSWORD = "a long way to Canossa"


def person(username: str, *roles: Role, **fields: object) -> Person:
    """Somebody with these roles who signs in with PASSWORD; further fields as the model names them."""
    usual = {"name": username.capitalize(), "pseudonym": pseudonym(username)}
    someone = Person(username=username, **{**usual, **fields})
    someone.set_password(PASSWORD)
    someone.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=someone, role=role) for role in roles)
    return someone


def pseudonym(username: str) -> str:
    """The same for the same name in every run: who judges what is drawn by pseudonyms."""
    drawn = sha256(username.encode()).digest()[:6]
    return "P-" + "".join(ALPHABET[byte % len(ALPHABET)] for byte in drawn)
