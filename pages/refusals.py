"""Turning a Refusal into an answer: a page for people, JSON for programs."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from rest_framework.response import Response
from rest_framework.views import exception_handler

from leases.refusal import Refusal


def refusal_data(refusal: Refusal) -> dict[str, object]:
    data: dict[str, object] = {"error": refusal.message, "retry": refusal.retry}
    if refusal.details is not None:
        data["details"] = refusal.details
    return data


def refusal_answer(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The refusal with its status, as JSON under /api/, as a page elsewhere."""
    if request.path_info.startswith("/api/"):
        return JsonResponse(refusal_data(refusal), status=refusal.status)
    return render(request, "refused.html", {"refusal": refusal}, status=refusal.status)


class RefusalMiddleware:
    """Answers a Refusal that a view let escape."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return refusal_answer(request, exception) if isinstance(exception, Refusal) else None


def api_exception_handler(error: Exception, context: dict[str, object]) -> Response | None:
    """DRF's handler, with the house's refusals beside its own errors."""
    if isinstance(error, RecursionError):
        error = Refusal("The JSON is nested too deeply to be read.")
    if isinstance(error, Refusal):
        return Response(refusal_data(error), status=error.status)
    return exception_handler(error, context)
