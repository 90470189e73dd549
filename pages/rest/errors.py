"""Every error below /api/ in one shape: `error`, `code`, `retry`, and `fields`, `details`, `agree` where they apply."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.tokens.bearer import token_of
from accounts.tokens.token_text import PREFIX
from leases.outage import outage
from leases.refusal import NotAllowed, NotAuthenticated, NotFoundHere, Refusal
from pages.refusals import OUTAGE_WAIT, refusal_answer, refusal_data

NO_CREDENTIALS = f"Send a token: Authorization: Bearer {PREFIX}… People make tokens under Account."
OLD_PAGE = "This page is from before you last signed in. Load it again."
MOST_NAMED = 20  # fields whose sentences the message has


class AgreeOut(serializers.Serializer[Any]):
    post_to = serializers.CharField(help_text="The address that says yes.")
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.CharField(), help_text="What to send there."
    )


class ErrorOut(serializers.Serializer[Any]):
    """A refusal."""

    error = serializers.CharField(help_text="What is wrong, and what to do.")
    code = serializers.CharField(help_text="The same in a word, for programs.")
    retry = serializers.BooleanField(help_text="Whether the same request can help later.")
    fields = serializers.DictField(  # type: ignore[assignment]
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="What is wrong with each field or parameter.",
    )
    details = serializers.JSONField(required=False, help_text="More about it, by its code.")
    agree = AgreeOut(
        required=False,
        help_text="What to send, and where, to be shown what was asked for. The error says what that costs.",
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Django REST framework's EXCEPTION_HANDLER; None for an error of ours, which is logged and answered with 500."""
    refusal = outage(error) or as_refusal(error, context["request"])
    if refusal is None:
        return None
    headers = dict(refusal.headers)
    if refusal.status in (503, 507):
        headers["Retry-After"] = str(OUTAGE_WAIT)
    data = refusal_data(refusal, context["request"].path)
    return Response(data, status=refusal.status, headers=headers)


def as_refusal(error: Exception, request: Request) -> Refusal | None:
    """Errors of the frameworks as refusals that say what to do."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, RecursionError):
        return Refusal("The JSON is nested too deeply to be read.")
    if isinstance(error, UnreadablePostError):
        return Refusal("The body ended before its Content-Length.", retry=True)
    if isinstance(error, exceptions.NotAuthenticated):
        return NotAuthenticated(NO_CREDENTIALS)  # a page has words of its own
    if isinstance(error, exceptions.PermissionDenied):
        return NotAllowed(OLD_PAGE, code="csrf")  # the only one that is raised: no CSRF token
    if isinstance(error, exceptions.ValidationError):
        return not_valid(error.detail)
    if isinstance(error, exceptions.MethodNotAllowed):
        methods = ", ".join(_allowed(request))
        return Refusal(f"{request.method} is not possible here, only {methods}.", status=405)
    if isinstance(error, exceptions.NotAcceptable):
        return Refusal("This answers with JSON: send Accept: application/json.", status=406)
    if isinstance(error, exceptions.UnsupportedMediaType):
        media = ", ".join(str(parser.media_type) for parser in request.parsers or [])
        return Refusal(f"Send the body with Content-Type: {media}.", status=415)
    if isinstance(error, exceptions.APIException):
        return Refusal(str(error.detail), status=error.status_code)
    return None


def _allowed(request: Request) -> list[str]:
    view = (request.parser_context or {}).get("view")
    return list(view.allowed_methods) if view else []


def not_valid(detail: Any) -> Refusal:
    """A body that its serializer refused: which fields, and why."""
    fields: dict[str, list[str]] = {}
    for name, sentence in _sentences(detail):
        fields.setdefault(name, []).append(sentence)
    named = list(fields.items())[:MOST_NAMED]
    said = " ".join(
        " ".join(sentences) if not name else f"{name}: {' '.join(sentences)}"
        for name, sentences in named
    )
    return Refusal(
        said or "This cannot be read.", fields={n: s for n, s in fields.items() if n} or None
    )


def _sentences(detail: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """(field, sentence) of each error; a field within another as "outer.inner"."""
    if isinstance(detail, dict):
        for key, inner in detail.items():
            own = "" if key == "non_field_errors" else str(key)
            yield from _sentences(inner, ".".join(filter(None, (name, own))))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _sentences(inner, name)
    else:
        yield name, str(detail)


@csrf_exempt
def no_such_address(request: HttpRequest, address: str) -> HttpResponse:
    """Any other address below /api/; Django would answer one without its last slash with a redirect."""
    token_of(request)  # one in the address is refused as such
    slash = "" if address.endswith("/") else " Addresses of the API end with a slash."
    problem = f"There is no such address.{slash} /api/schema.json lists all."
    return refusal_answer(request, NotFoundHere(problem))
