"""Refuse too many requests with 429: what is counted for whom, and the messages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts import allowances
from accounts.addresses import client_address
from accounts.audit import AuditKind, record
from accounts.hashing import keyed_hash
from accounts.models import Person
from accounts.rates import API, JOBS, LEAVINGS, LINKS
from leases.refusal import TooMany

View = Callable[..., HttpResponseBase]


def address_of(request: HttpRequest) -> str:
    """The client's address; "" if it is unknown."""
    meta = request.META
    peer, forwarded = meta.get("REMOTE_ADDR", ""), meta.get("HTTP_X_FORWARDED_FOR", "")
    return client_address(peer, forwarded, settings.TRUSTED_PROXIES)


def count_job(person: Person, kind: str) -> None:
    """Count one more job of this kind by this person. Raises TooMany."""
    if wait := allowances.take((f"{kind} {person.pk}", JOBS[kind])):
        raise TooMany(f"You have started many {kind} in a short time.", wait=wait)


def counted(kind: str) -> Callable[[View], View]:
    """For a view that starts such a job on every call. Goes below roles_required. Downloads are in the audit log."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            assert isinstance(request.user, Person)
            count_job(request.user, kind)
            response = view(request, *args, **kwargs)
            # 206: a range may be the whole file.
            is_given = response.status_code in (200, 206) and request.method == "GET"
            if kind == "downloads" and is_given:
                record(AuditKind.EXPORT, request.user, request.path_info)
            return response

        return guarded

    return decorate


def count_useless_link(request: HttpRequest) -> None:
    """Count an invalid link. A valid link always opens, even from an address that reached the limit."""
    if wait := allowances.take((f"link {keyed_hash(address_of(request))}", LINKS)):
        raise TooMany("Many invalid links were tried from your address.", wait=wait)


def count_leaving(request: HttpRequest) -> None:
    """Count a way to the institution: each makes a session and asks the institution."""
    if wait := allowances.take((f"institution {keyed_hash(address_of(request))}", LEAVINGS)):
        raise TooMany("Many people at your address are signing in at once.", wait=wait)


class PersonThrottle(BaseThrottle):
    """Counts the API requests of each signed-in person."""

    def allow_request(self, request: Request, view: object) -> bool:
        person = request.user
        if isinstance(person, Person) and (wait := allowances.take((f"api {person.pk}", API))):
            raise TooMany("Your pages or programs send too many requests.", wait=wait)
        return True
