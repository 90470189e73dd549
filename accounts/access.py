"""Who may open what: the decorators for pages, the permission for the API."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import Person
from accounts.roles import Role
from leases.refusal import NotAllowed
from pages.refusals import refusal_answer, typed

View = Callable[..., HttpResponseBase]


READS = ("GET", "HEAD")

SIGNED_OUT = (
    "You are signed out, so nothing was changed: your session ran out, your password was changed, or an admin "
    "ended it. Sign in in another tab, and enter it again."
)


def check_role(person: Person, *roles: Role, sent: bool = False) -> None:
    """Raise NotAllowed, with the roles that would do, unless the person holds one of them.

    `sent`: a form was sent, perhaps begun while they still held it.
    """
    if person.has_role(*roles):
        return
    wanted = " or ".join(role.label.lower() for role in roles)
    kept = " Nothing was changed." if sent else ""
    raise NotAllowed(
        f"This page is for the role {wanted}. Ask an admin if you should have it.{kept}"
    )


def signed_in(view: View) -> View:
    """Let the signed-in in; send others to the sign-in page, which brings them back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        return to_sign_in(request)

    return guarded


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """To the sign-in page, which is told why; what somebody has typed and sent is handed back instead."""
    was_sent = request.method not in READS
    if was_sent and typed(request):
        return refusal_answer(request, NotAllowed(SIGNED_OUT))
    query = {"next": _page_left(request) if was_sent else request.get_full_path()}
    if was_sent:
        query["ended"] = "unsent"
    elif settings.SESSION_COOKIE_NAME in request.COOKIES:
        query["ended"] = "yes"
    address = f"{resolve_url(settings.LOGIN_URL)}?{urlencode(query)}"
    if request.headers.get("HX-Request"):
        # A fragment's place is in a page: the whole page has to go there.
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def _page_left(request: HttpRequest) -> str:
    """The page that a form was sent from, as far as the browser says; a button's own address is none."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    if came_from.netloc != request.get_host():
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    return came_from._replace(scheme="", netloc="").geturl()


def roles_required(*roles: Role) -> Callable[[View], View]:
    """Let people with any of `roles` in; send the signed-out to the sign-in page, refuse the others (403)."""

    def decorate(view: View) -> View:
        @signed_in
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            check_role(person_of(request), *roles, sent=request.method not in READS)
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
        if not isinstance(request.user, Person):
            return False
        check_role(request.user, *self.roles)
        return True
