"""What is asked too often is refused with 429: who is counted for what, and the words of the refusal."""

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
from accounts.hiding import hidden
from accounts.models import Person
from accounts.rates import API, JOBS, LINKS
from leases.refusal import TooMany

View = Callable[..., HttpResponseBase]


def address_of(request: HttpRequest) -> str:
    """The client's address; "" where the server cannot know it."""
    meta = request.META
    peer, forwarded = meta.get("REMOTE_ADDR", ""), meta.get("HTTP_X_FORWARDED_FOR", "")
    return client_address(peer, forwarded, settings.TRUSTED_PROXIES)


def count_job(person: Person, kind: str) -> None:
    """Count one more of these jobs by this person; raises TooMany when it is one too many now."""
    if wait := allowances.take((f"{kind} {person.pk}", JOBS[kind])):
        raise TooMany(f"You have started many {kind} in a short time.", wait=wait)


def counted(kind: str) -> Callable[[View], View]:
    """For a view that starts such a job whenever it is called; to stand below roles_required."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            assert isinstance(request.user, Person)
            count_job(request.user, kind)
            return view(request, *args, **kwargs)

        return guarded

    return decorate


def count_useless_link(request: HttpRequest) -> None:
    """Count a link that opened nothing. A good link is never counted, whoever tries others beside it."""
    if wait := allowances.take((f"link {hidden(address_of(request))}", LINKS)):
        raise TooMany("Many links that open nothing were tried from your address.", wait=wait)


class PersonThrottle(BaseThrottle):
    """Counts what a person's scripts and programs ask of the API. Who is not let in is not counted."""

    def allow_request(self, request: Request, view: object) -> bool:
        person = request.user
        if isinstance(person, Person) and (wait := allowances.take((f"api {person.pk}", API))):
            raise TooMany("Your programs or pages ask for too much at once.", wait=wait)
        return True
