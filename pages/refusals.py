"""Turning a Refusal into an answer: a page for people, JSON for programs."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from rest_framework.response import Response
from rest_framework.views import exception_handler

from leases.refusal import Refusal

NO_PAGE = Refusal(
    "Nothing was done: this is the address of a button, not of a page. Go to the page with the button, and "
    "press it there.",
    status=405,
)


def refusal_data(refusal: Refusal) -> dict[str, object]:
    data: dict[str, object] = {"error": refusal.message, "retry": refusal.retry}
    if refusal.details is not None:
        data["details"] = refusal.details
    return data


def refusal_answer(
    request: HttpRequest, refusal: Refusal, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """The refusal with its status, as JSON under /api/, as a page elsewhere."""
    if request.path_info.startswith("/api/"):
        answer: HttpResponse = JsonResponse(refusal_data(refusal), status=refusal.status)
    else:
        answer = render(request, "refused.html", {"refusal": refusal}, status=refusal.status)
    for name, value in (headers or {}).items():
        answer[name] = value
    return answer


class RefusalMiddleware:
    """Answers a Refusal that a view let escape, and says in words that a button's address is no page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            # Reached by reloading, or by signing in after a session ended at the press of a button.
            return refusal_answer(request, NO_PAGE, headers={"Allow": response["Allow"]})
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return refusal_answer(request, exception) if isinstance(exception, Refusal) else None


def api_exception_handler(error: Exception, context: dict[str, object]) -> Response | None:
    """DRF's handler, with the house's refusals beside its own errors."""
    if isinstance(error, RecursionError):
        error = Refusal("The JSON is nested too deeply to be read.")
    if isinstance(error, Refusal):
        return Response(refusal_data(error), status=error.status)
    return exception_handler(error, context)
