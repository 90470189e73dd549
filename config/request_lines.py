"""One line in the log for each request, and an id that follows it to the workers and back to the browser."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from structlog.contextvars import bound_contextvars

from config.masking import is_watched, masked_path

log = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
READABLE = re.compile(r"[A-Za-z0-9._-]{8,80}")


class RequestLineMiddleware:
    """Stands in front of all that may log; static files, which stand before it, have no lines."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        identity = request_id(request)
        began = time.perf_counter()
        with bound_contextvars(request_id=identity):
            response = self.get_response(request)
            response[HEADER] = identity
            tell(request, response.status_code, round((time.perf_counter() - began) * 1000))
        return response


def request_id(request: HttpRequest) -> str:
    """The proxy's, where its headers are believed and it can be read; else one of our own."""
    given = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
    return given if READABLE.fullmatch(given) else uuid.uuid4().hex


def tell(request: HttpRequest, status: int, milliseconds: int) -> None:
    usual = log.warning if status >= 500 else log.info
    say = log.debug if is_watched(request) else usual
    say(
        "request",
        method=request.method,
        path=masked_path(request),
        status=status,
        ms=milliseconds,
        person=person_of(request),
    )


def person_of(request: HttpRequest) -> int | None:
    """The key of the person, where the request had to know it: nobody's session is read for the log alone."""
    user = request.__dict__.get("_cached_user")
    return user.pk if user is not None else None
