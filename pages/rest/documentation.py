"""The schema as JSON, and the page that shows it: both are made from the operations themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request

from accounts.access import signed_in
from accounts.roles import Role
from accounts.tokens.scopes import WHAT_THEY_ALLOW, Scope
from pages.rest.operations import operation
from pages.rest.schema import WHY

Json = dict[str, Any]
DEEPEST = 5  # levels of fields within fields that the page shows


@dataclass(frozen=True)
class ShownField:
    """A parameter, or a field of a body or an answer; within another it is "outer.inner", in a list "outer[].inner"."""

    name: str
    kind: str
    about: str
    is_required: bool


@dataclass(frozen=True)
class ShownOperation:
    name: str
    method: str
    path: str
    text: str
    scope: str
    roles: Sequence[str]
    parameters: list[ShownField]
    body: list[ShownField]
    body_about: str
    answer: list[ShownField]
    answer_about: str
    refusals: list[str]


@cache
def schema() -> Json:
    """OpenAPI 3.0. The same for everybody, and made once in a process."""
    made: Json = SchemaGenerator().get_schema(request=None, public=True)
    return made


@operation(
    "GET",
    scope=Scope.READ,
    roles=tuple(Role),
    media=("application/vnd.oai.openapi+json",),
    etag=True,
)
def schema_read(request: Request) -> HttpResponse:
    """This description of all operations, as OpenAPI 3.0."""
    return JsonResponse(schema(), content_type="application/vnd.oai.openapi+json")


@require_safe
@signed_in
def operations(request: HttpRequest) -> HttpResponse:
    """All operations by room."""
    rooms: dict[str, list[ShownOperation]] = {}
    for room, shown in shown_operations(schema()):
        rooms.setdefault(room, []).append(shown)
    error = list(_fields(schema(), {"$ref": "#/components/schemas/ErrorOut"}))
    scopes = [(scope.value, allows) for scope, allows in WHAT_THEY_ALLOW.items()]
    context = {
        "rooms": rooms.items(),
        "error": error,
        "scopes": scopes,
        "statuses": WHY.items(),
    }
    return render(request, "api/operations.html", context)


def shown_operations(made: Json) -> Iterator[tuple[str, ShownOperation]]:
    """(room, operation) of each that has a scope, in the order of the schema."""
    for path, methods in made["paths"].items():
        for method, one in methods.items():
            if "x-scope" in one:
                yield one["tags"][0], _shown(made, path, method, one)


def _shown(made: Json, path: str, method: str, one: Json) -> ShownOperation:
    text, _, _ = one["description"].rpartition("\n\nScope: ")
    done = next(status for status in one["responses"] if status < "300")
    sent, given = one.get("requestBody", {}), one["responses"][done]
    return ShownOperation(
        name=one["operationId"],
        method=method.upper(),
        path=path,
        text=text,
        scope=one["x-scope"],
        roles=one["x-roles"],
        parameters=[_parameter(made, each) for each in one.get("parameters", [])],
        body=list(_contents(made, sent)),
        body_about=_about(made, sent),
        answer=list(_contents(made, given)),
        answer_about=_about(made, given),
        refusals=[status for status in one["responses"] if status != done],
    )


def _parameter(made: Json, one: Json) -> ShownField:
    where = {"path": "in the address", "header": "a header"}.get(one["in"], "")
    about = ". ".join(filter(None, (where.capitalize(), one.get("description", ""))))
    kind = _kind(made, one["schema"])
    return ShownField(one["name"], kind, about, bool(one.get("required")))


def _about(made: Json, holder: Json) -> str:
    """What is said of a body as a whole; of the page of a list, what is said of its rows."""
    for content in holder.get("content", {}).values():
        of = _resolved(made, content["schema"])
        rows = of.get("properties", {}).get("results", {}).get("items")
        return str((_resolved(made, rows) if rows else of).get("description", ""))
    return ""


def _contents(made: Json, holder: Json) -> Iterator[ShownField]:
    """The fields of a body; one line for a file."""
    for media, content in holder.get("content", {}).items():
        fields = list(_fields(made, content["schema"]))
        yield from fields or [ShownField(media, "file", "", is_required=True)]


def _fields(made: Json, of: Json, name: str = "", depth: int = 0) -> Iterator[ShownField]:
    of = _resolved(made, of)
    if of.get("type") == "array":
        yield from _fields(made, of["items"], f"{name}[]", depth)
        return
    for key, inner in of.get("properties", {}).items():
        own = f"{name}.{key}" if name else key
        whole = _resolved(made, inner)
        about = whole.get("description", "")
        yield ShownField(own, _kind(made, inner), about, key in of.get("required", ()))
        if depth < DEEPEST:
            yield from _fields(made, inner, own, depth + 1)


def _resolved(made: Json, of: Json) -> Json:
    """A schema without $ref; one that is only wrapped, with what the wrapping says."""
    while True:
        if "$ref" in of:
            found = made["components"]["schemas"][of["$ref"].rpartition("/")[2]]
            of = {**found, **{key: value for key, value in of.items() if key != "$ref"}}
        elif len(of.get("allOf", ())) == 1:
            of = {**of["allOf"][0], **{key: value for key, value in of.items() if key != "allOf"}}
        else:
            return of


def _kind(made: Json, of: Json) -> str:
    """A type in words: "integer", "date-time", "list of string", or its words."""
    of = _resolved(made, of)
    if of.get("nullable"):
        return f"{_kind(made, {**of, 'nullable': False})} or null"
    if "enum" in of:
        return ", ".join(str(word) for word in of["enum"] if word not in ("", None))
    if of.get("type") == "array":
        return f"list of {_kind(made, of['items'])}"
    if several := of.get("oneOf") or of.get("anyOf"):
        return " or ".join(dict.fromkeys(_kind(made, each) for each in several))
    return str(of.get("format") or of.get("type") or "any")
