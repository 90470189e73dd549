"""The entry of an operation in the schema: what it takes, and every status that it can answer."""

from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, cast

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework import serializers

from pages.rest import idempotency
from pages.rest.errors import ErrorOut
from pages.rest.parameters import IF_MATCH

if TYPE_CHECKING:
    from pages.rest.operations import Operation

WHY = {
    304: "You have this answer already.",
    400: "The body or a parameter cannot be read, or breaks a rule.",
    401: "No credentials, or none that hold.",
    403: "Your roles, or the scopes of the token, do not allow it.",
    404: "There is none, or none that you may see.",
    406: "The answer is JSON, and Accept does not take it.",
    409: "The state of things does not allow it; with `agree`, it waits for your consent.",
    410: "It is no longer there.",
    412: "It was changed since the version in If-Match; `details` has what is stored.",
    413: "The body is too large.",
    415: "The body is of another type.",
    416: "The file ends before the range begins.",
    422: "The Idempotency-Key came with another request.",
    428: "If-Match is missing.",
    429: "Too many requests; wait as long as Retry-After says.",
    500: "A stored file is missing or damaged.",
    502: "The service that was asked failed.",
    503: "The database does not answer; try again as Retry-After says.",
    507: "The server's disk is full.",
}
JSON = "application/json"
ALWAYS = (400, 401, 403, 406, 429, 503, 507)
CHALLENGE = OpenApiParameter(
    "WWW-Authenticate", str, OpenApiParameter.HEADER, required=True, response=[401]
)
WAIT = OpenApiParameter(
    "Retry-After", int, OpenApiParameter.HEADER, required=True, response=[429, 503, 507],
    description="Seconds.",
)  # fmt: skip
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="The ETag of an earlier answer."
)

RANGE = OpenApiParameter(
    "Range", str, OpenApiParameter.HEADER, description='One range of bytes, such as "bytes=0-999".'
)


def statuses(one: "Operation") -> list[int]:
    """All but that of success, in order."""
    found = {*ALWAYS, *one.refusals}
    found |= {404} if one.url_parts else set()
    found |= {413, 415} if one.takes else set()
    found |= {412, 428} if one.versioned else set()
    found |= {416} if one.ranged else set()
    found |= {422} if one.once else set()
    found |= {304} if one.etag else set()
    return sorted(found - ({406} if one.media else set()))


def entry(one: "Operation") -> dict[str, Any]:
    """The arguments of extend_schema."""
    refused = {
        status: OpenApiResponse(None if status == 304 else ErrorOut, WHY[status])
        for status in statuses(one)
    }
    roles = ", ".join(role.value for role in one.roles)
    said = cleandoc(one.work.__doc__ or "")
    body = one.takes or None
    return {
        "operation_id": one.name,
        "tags": [one.work.__module__.partition(".")[0]],
        "summary": said.partition("\n")[0],
        "description": f"{said}\n\nScope: {one.scope.value}. Roles: {roles}.",
        "request": {"multipart/form-data": body} if one.upload else body,
        "parameters": [
            *(parameter.documented for parameter in one.all_parameters),
            *([IF_MATCH] if one.versioned else []),
            *([idempotency.HEADER] if one.once else []),
            *([IF_NONE_MATCH] if one.etag else []),
            *([RANGE] if one.ranged else []),
            CHALLENGE,
            WAIT,
        ],
        "responses": {**_success(one), **refused},
        "extensions": {"x-scope": one.scope.value, "x-roles": [role.value for role in one.roles]},
    }


def _content(one: "Operation", media: str) -> OpenApiTypes:
    """Of a file that is JSON beside other types, it is not said what it holds."""
    if len(one.media) == 1 and media.endswith("json"):
        return OpenApiTypes.OBJECT
    return OpenApiTypes.ANY if media.partition(";")[0] == JSON else OpenApiTypes.BINARY


def _success(one: "Operation") -> dict[Any, Any]:
    if one.media:
        whole = {(one.status, media): _content(one, media) for media in one.media}
        part = {(206, *one.media): OpenApiTypes.BINARY} if one.ranged else {}
        return {**whole, **part}
    if one.answers is None:
        return {204: None}
    if one.queues:
        return {one.status: one.answers, 202: one.answers}
    return {one.status: _page_of(cast(Any, one.answers)) if one.listed else one.answers}


@cache
def _page_of(row: Any) -> serializers.Serializer[Any]:
    """The page of a list with such rows."""
    fields = {
        "results": row(many=True),
        "next": serializers.URLField(
            allow_null=True, help_text="The address of the next page; null on the last one."
        ),
    }
    return inline_serializer(f"{row.__name__}Page", fields)
