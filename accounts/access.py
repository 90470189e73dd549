"""Who may open which page: decorators for views."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import resolve_url
from rest_framework.request import Request

from accounts.models import Person
from accounts.roles import Role
from leases.refusal import NotAllowed
from pages.refusals import refusal_answer, typed

View = Callable[..., HttpResponseBase]


READS = ("GET", "HEAD")

SIGNED_OUT = (
    "You are signed out, so nothing was changed: your session ran out, your password was changed, or an admin "
    "ended it. Sign in in another tab, then send it again."
)


def check_role(person: Person, *roles: Role, sent: bool = False) -> None:
    """Raise NotAllowed, which names the roles, unless the person holds one of them.

    `sent`: a form was sent; the message then adds that nothing was changed.
    """
    if person.has_role(*roles):
        return
    wanted = " or ".join(role.label.lower() for role in roles)
    kept = " Nothing was changed." if sent else ""
    raise NotAllowed(
        f"This page is for the role {wanted}. Ask an admin if you should have it.{kept}"
    )


def signed_in(view: View) -> View:
    """For signed-in people; others go to the sign-in page, which leads back afterwards."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        return to_sign_in(request)

    return guarded


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page, with the reason. Shows typed text again instead, if a form was sent."""
    was_sent = request.method not in READS
    if was_sent and typed(request):
        return refusal_answer(request, NotAllowed(SIGNED_OUT, code="signed_out"))
    query = {"next": _page_left(request) if was_sent else request.get_full_path()}
    if was_sent:
        query["ended"] = "unsent"
    elif settings.SESSION_COOKIE_NAME in request.COOKIES:
        query["ended"] = "yes"
    address = f"{resolve_url(settings.LOGIN_URL)}?{urlencode(query)}"
    if request.headers.get("HX-Request"):
        # htmx would put the sign-in page into a part of this page; the whole page has to go there.
        return HttpResponse(headers={"HX-Redirect": address})
    return HttpResponseRedirect(address)


def _page_left(request: HttpRequest) -> str:
    """The page that a form was sent from, by the Referer header; else the start page."""
    came_from = urlsplit(request.headers.get("Referer", ""))
    if came_from.netloc != request.get_host():
        return resolve_url(settings.LOGIN_REDIRECT_URL)
    return came_from._replace(scheme="", netloc="").geturl()


def roles_required(*roles: Role) -> Callable[[View], View]:
    """For people with any of `roles`; the signed-out go to the sign-in page, others are refused (403)."""

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
    """The signed-in person of a request that passed one of the decorators."""
    assert isinstance(request.user, Person)
    return request.user
