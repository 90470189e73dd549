"""Middleware of all tests: an answer below /api/ whose status its operation does not document fails the test."""

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from pages.refusals import is_api
from pages.rest.schema import statuses

SHAPE = {"error": str, "code": str, "retry": bool}
FURTHER = {"fields", "details", "agree"}


class DocumentedMiddleware:
    """Comes last, so that it sees the answers of views; those of other middleware have the shape alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if is_api(request):
            named = f"{request.method} {request.path_info}: {answer.status_code}"
            if answer.status_code >= 400:
                check_shape(answer, named)
            if request.resolver_match:
                check_documented(request, answer.status_code, named)
        return answer


def check_shape(answer: HttpResponse, named: str) -> None:
    data = json.loads(answer.content)
    assert {key: type(data[key]) for key in SHAPE} == SHAPE, f"{named} {data}"
    assert data.keys() <= SHAPE.keys() | FURTHER, f"{named} {data}"
    if answer.status_code == 401:
        assert answer.has_header("WWW-Authenticate"), named
    if answer.status_code in (429, 503, 507):
        assert answer.has_header("Retry-After"), named


def check_documented(request: HttpRequest, status: int, named: str) -> None:
    operations = getattr(request.resolver_match.func, "operations", {})
    one = operations.get("GET" if request.method == "HEAD" else request.method)
    if one is not None:
        done = 204 if one.answers is None and not one.media else one.status
        further = ({206} if one.ranged else set()) | ({202} if one.queues else set())
        assert status in {done, *further, *statuses(one)}, f"{named} is not documented"
