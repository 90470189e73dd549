"""One log line for each request, and a request id that is passed on to the workers and the browser."""

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
    """Comes before all middleware that may log, and after the one for static files, which have no lines."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        identity = request_id(request)
        start = time.perf_counter()
        with bound_contextvars(request_id=identity):
            response = self.get_response(request)
            response[HEADER] = identity
            log_request(request, response.status_code, round((time.perf_counter() - start) * 1000))
        return response


def request_id(request: HttpRequest) -> str:
    """The id of a trusted proxy if it is well formed, else a new one."""
    given = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
    return given if READABLE.fullmatch(given) else uuid.uuid4().hex


def log_request(request: HttpRequest, status: int, milliseconds: int) -> None:
    usual = log.warning if status >= 500 else log.info
    write = log.debug if is_watched(request) else usual
    write(
        "request",
        method=request.method,
        path=masked_path(request),
        status=status,
        ms=milliseconds,
        person=person_of(request),
    )


def person_of(request: HttpRequest) -> int | None:
    """The person's key, if the request has read the session anyway; the log alone reads none."""
    user = request.__dict__.get("_cached_user")
    return user.pk if user is not None else None
