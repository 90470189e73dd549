"""Who may open what: the decorator for pages, the permission for the API."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import Person
from accounts.roles import Role
from leases.refusal import NotAllowed

View = Callable[..., HttpResponseBase]


def check_role(person: Person, *roles: Role) -> None:
    """Raise NotAllowed, with the roles that would do, unless the person holds one of them."""
    if not person.has_role(*roles):
        wanted = " or ".join(role.label.lower() for role in roles)
        raise NotAllowed(f"This page is for the role {wanted}. Ask an admin if you should have it.")


def roles_required(*roles: Role) -> Callable[[View], View]:
    """Let people with any of `roles` in; send the signed-out to the sign-in page, refuse the others (403)."""

    def decorate(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            check_role(person_of(request), *roles)
            return view(request, *args, **kwargs)

        guarded.roles = roles  # type: ignore[attr-defined]
        return guarded

    return decorate


def person_of(request: HttpRequest | Request) -> Person:
    """The signed-in person of a request that a decorator has let in."""
    assert isinstance(request.user, Person)
    return request.user


class HasRole(BasePermission):
    """DRF permission: `@permission_classes([HasRole.of(Role.ADMIN)])`."""

    roles: tuple[Role, ...] = ()

    @classmethod
    def of(cls, *roles: Role) -> type["HasRole"]:
        return type("HasRole", (cls,), {"roles": roles})

    def has_permission(self, request: Request, view: object) -> bool:
        return isinstance(request.user, Person) and request.user.has_role(*self.roles)
