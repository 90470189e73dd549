"""Turn a Refusal into a response: a page for people, JSON for programs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.request import Request

from leases.outage import outage
from leases.refusal import AsksFirst, Refusal, TooMany

# Form fields that a person did not type, and the codes of a second factor.
NOT_TYPED = {
    "csrfmiddlewaretoken", "annotation", "provenance", "filled", "version", "step", "seconds", "action", "next", "code",
}  # fmt: skip

MOST_TYPED = 1024**2  # bytes

# Codes of refusals after which the same form can be sent again, once the person is signed in.
SENT_TOO_LATE = ("signed_out", "csrf")

# Seconds after which to retry during an outage of the database.
OUTAGE_WAIT = 15

NO_PAGE = Refusal(
    "Nothing was done: this is the address of a button, not of a page. Go to the page with the button, and "
    "press it there.",
    status=405,
)


def refusal_data(refusal: Refusal, asked_for: str = "") -> dict[str, object]:
    """What programs get of every refusal; pages/rest has its form. `asked_for`: the path of the request."""
    data: dict[str, object] = {
        "error": refusal.message,
        "code": refusal.code,
        "retry": refusal.retry,
    }
    if refusal.fields is not None:
        data["fields"] = refusal.fields
    if refusal.details is not None:
        data["details"] = refusal.details
    if isinstance(refusal, AsksFirst):
        fields = {**refusal.agreeing, "next": asked_for}
        data["agree"] = {"post_to": reverse(refusal.operation), "fields": fields}
    return data


def page_to_read(request: HttpRequest) -> str:
    """The address of what was asked for; of a button, which has no page of its own, the page that it is on."""
    if request.method in ("GET", "HEAD"):
        return request.get_full_path()
    page = request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(page, {request.get_host()}, request.is_secure()):
        return reverse("home")
    return urlsplit(page)._replace(scheme="", netloc="", fragment="").geturl()


def is_api(request: HttpRequest | Request) -> bool:
    return request.path_info.startswith("/api/")


def refusal_answer(
    request: HttpRequest, refusal: Refusal, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """The refusal with its status, as JSON under /api/, as a page elsewhere."""
    if is_api(request):
        data = refusal_data(refusal, request.path)
        answer: HttpResponse = JsonResponse(data, status=refusal.status)
    else:
        asks = isinstance(refusal, AsksFirst)
        shows_typed = asks or refusal.status == 403
        context = {"refusal": refusal, "typed": typed(request) if shows_typed else []}
        if asks:
            context["next"] = page_to_read(request)
        if refusal.code in SENT_TOO_LATE:
            context["again"] = to_send_again(request)
        template = "asks_first.html" if asks else "refused.html"
        answer = render(request, template, context, status=refusal.status)
    for name, value in {**refusal.headers, **(headers or {})}.items():
        answer[name] = value
    return answer


def typed(request: HttpRequest) -> list[tuple[str, str]]:
    """The typed text of a refused form, to show it again: (name in words, text).

    Never a password or a code, and nothing that another site has sent.
    """
    origin = request.headers.get("Origin", "")
    same_origin = not origin or origin == f"{request.scheme}://{request.get_host()}"
    # A form with a file may be too large to parse only for this; the person still has the file.
    if not same_origin or int(request.META.get("CONTENT_LENGTH") or 0) > MOST_TYPED:
        return []
    return [
        (name.replace("_", " ").replace("-", " ").capitalize(), text)
        for name, texts in request.POST.lists()
        for text in texts
        if text.strip() and "password" not in name and name not in NOT_TYPED
    ]


def to_send_again(request: HttpRequest) -> list[tuple[str, str]]:
    """All fields of a refused form as (name, text); none where it had a file or a secret, or is another site's."""
    fields = [(name, text) for name, texts in request.POST.lists() for text in texts]
    has_secret = any("password" in name or name == "code" for name, _ in fields)
    if request.FILES or has_secret or not typed(request):
        return []
    return [(name, text) for name, text in fields if name != "csrfmiddlewaretoken"]


@contextmanager
def refused_in(
    form: BaseForm, field: str | None = None, kind: type[Refusal] = Refusal
) -> Iterator[None]:
    """A refusal of the work inside becomes an error of the form or of its `field`, and is its `refusal`.

    That of too much work is of no field.
    """
    try:
        yield
    except kind as refusal:
        form.refusal = refusal  # type: ignore[attr-defined]
        form.add_error(None if isinstance(refusal, TooMany) else field, refusal.message)


@contextmanager
def refused_in_message(request: HttpRequest) -> Iterator[None]:
    """A refusal of the work inside is said on the page to which the view leads."""
    try:
        yield
    except Refusal as refusal:
        messages.error(request, refusal.message)


def form_page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    bad: bool | None = None,
    form: BaseForm | None = None,
) -> HttpResponse:
    """A page with a form, context["form"] unless given, that keeps what was entered.

    Its status is 400 if the form has errors, or as `bad` says; 429 if the form's `refusal` is TooMany.
    """
    form = form or context["form"]
    refused: Refusal | None = getattr(form, "refusal", None)
    if bad is None:
        bad = bool(form.errors)
    status = 429 if isinstance(refused, TooMany) else 400 if bad else 200
    answer = render(request, template, context, status=status)
    for name, value in (refused.headers if refused else {}).items():
        answer[name] = value
    return answer


def outage_answer(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """As refusal_answer, but without the database: it does not even read who is signed in."""
    if is_api(request):
        answer: HttpResponse = JsonResponse(refusal_data(refusal), status=refusal.status)
    else:
        page = render_to_string("refused.html", {"refusal": refusal, "is_outage": True})
        answer = HttpResponse(page, status=refusal.status)
    answer["Retry-After"] = str(OUTAGE_WAIT)
    return answer


class RefusalMiddleware:
    """Answers a Refusal that a view raised, and a GET to an address that only takes POST."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, HttpResponseNotAllowed) and not response.content:
            # People get here by a reload, or when a session ended before they pressed a button.
            return refusal_answer(request, NO_PAGE, headers={"Allow": response["Allow"]})
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return refusal_answer(request, exception)
        refusal = outage(exception)
        return outage_answer(request, refusal) if refusal else None
