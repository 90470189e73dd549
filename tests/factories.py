"""Rows that every room's tests need, as plain functions. A room keeps its own beside its tests."""

from accounts.models import Person, RoleGrant
from accounts.roles import Role

PASSWORD = "a long way to Canossa"


def person(username: str, *roles: Role, **fields: object) -> Person:
    """Somebody with these roles who signs in with PASSWORD; further fields as the model names them."""
    someone = Person(username=username, **{"name": username.capitalize(), **fields})
    someone.set_password(PASSWORD)
    someone.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=someone, role=role) for role in roles)
    return someone
