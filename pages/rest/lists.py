"""A page of a list: where it goes on is a sealed cursor over a total order, so rows that come or go shift nothing."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from accounts.sealing import sealed, unsealed
from leases.refusal import Refusal
from pages.rest.parameters import Parameter, number, text

USUAL_SIZE, MOST = 100, 500
LONGEST_CURSOR = 2000
CURSOR = "[A-Za-z0-9_=-]+"
# Rows that are read at once where some are hidden: a small page then takes few statements too.
LEAST_READ = 50
Values = list[int | str]


def parameters_of_lists(most: int) -> tuple[Parameter, ...]:
    return (
        text("cursor", None, "As `next` of the page before has it.", LONGEST_CURSOR, CURSOR),
        number(
            "page_size", None, f"At most {most}; {min(USUAL_SIZE, most)} unless given.", most=most
        ),
    )


def rows_page(
    request: Request,
    rows: QuerySet[Any],
    serializer: type[BaseSerializer[Any]],
    *,
    order: Sequence[str] = ("pk",),
    visible: Callable[[list[Any]], list[Any]] | None = None,
    shown: Callable[[list[Any]], object] | None = None,
    context: Callable[[list[Any]], dict[str, Any]] | None = None,
) -> Response:
    """The asked-for page of the rows, narrowed by the operation's parameters: {"results": […], "next": URL or null}.

    order: columns that are never null, no times (SQLite's have fewer digits than a parameter), a unique one last.
    visible: those of some rows that the person may see; the page is filled with what comes after them.
    shown: called with the rows of the page. context: of its serializer.
    """
    endpoint = request.parser_context["view"]
    asked, operation = endpoint.asked, endpoint.operation
    for parameter in operation.parameters:
        if parameter.name in asked:
            rows = parameter.narrow(rows, asked[parameter.name])
    seal = _seal(request)
    after = _opened(asked["cursor"], seal) if "cursor" in asked else []
    size = asked.get("page_size", min(USUAL_SIZE, operation.most))
    found = _filled(rows.order_by(*order), order, after, size + 1, visible)
    page = found[:size]
    if shown:
        shown(page)
    results = serializer(page, many=True, context=context(page) if context else {}).data
    goes_on = _values(page[-1], order) if len(found) > size else None
    return Response({"results": results, "next": goes_on and _next(request, [seal, *goes_on])})


def _filled(
    rows: QuerySet[Any],
    order: Sequence[str],
    after: Values,
    wanted: int,
    visible: Callable[[list[Any]], list[Any]] | None,
) -> list[Any]:
    found: list[Any] = []
    read = max(wanted, LEAST_READ) if visible else wanted
    while len(found) < wanted:
        batch = list((rows.filter(_later(order, after)) if after else rows)[:read])
        found += visible(batch) if visible else batch
        if len(batch) < read:
            break
        after = _values(batch[-1], order)
    return found[:wanted]


def _later(order: Sequence[str], values: Values) -> Q:
    """What comes after the row with these values."""
    later, same = Q(), Q()
    for column, value in zip(order, values, strict=True):
        name = column.removeprefix("-")
        later |= same & Q(**{f"{name}__{'lt' if column.startswith('-') else 'gt'}": value})
        same &= Q(**{name: value})
    return later


def _values(row: Any, order: Sequence[str]) -> Values:
    return [_value(row, column.removeprefix("-")) for column in order]


def _value(row: Any, path: str) -> int | str:
    value = row
    for name in path.split("__"):
        value = getattr(value, name)
    if isinstance(value, UUID):
        return str(value)
    if not isinstance(value, int | str):
        raise TypeError(f"A list cannot go on after {path}, which is {value!r}.")
    return value


def _seal(request: Request) -> str:
    """Of the list and its filters, and of who reads it."""
    filters = sorted(
        (name, value) for name, value in request.query_params.items() if name not in PLACE
    )
    return sha256(repr((request.path, filters, request.user.pk)).encode()).hexdigest()[:16]


PLACE = ("cursor", "page_size")


def _opened(cursor: str, seal: str) -> Values:
    try:
        found, *values = json.loads(unsealed(cursor))
    except (TypeError, ValueError):
        found, values = "", []
    if found != seal:
        raise Refusal(
            "This cursor is not of this list with these filters. Use `next` as it was given, or begin without it.",
            code="bad_cursor",
        )
    return list(values)


def _next(request: Request, place: Values) -> str:
    query = request.query_params.copy()
    # Sealed: a row's key says which of two was begun first, as of annotations that have letters.
    query["cursor"] = sealed(json.dumps(place))
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")
