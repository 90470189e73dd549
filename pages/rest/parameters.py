"""Query parameters of operations: an allow-list, each with its values; most narrow a list. And the header If-Match."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Choices, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from leases.refusal import Refusal

Lookup = str | Callable[[QuerySet[Any], Any], QuerySet[Any]] | None
MOST_KEY = 2**63 - 1  # of every database
# Within the range of every database.
MOST_DIGITS = 18
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description="The version that was read.",
)


@dataclass(frozen=True)
class Parameter:
    """`read` makes the value of its text, ValueError for one that it does not take; `takes` says what it does."""

    name: str
    read: Callable[[str], Any]
    takes: str
    lookup: Lookup
    schema: dict[str, Any]
    about: str = ""

    def narrow(self, rows: QuerySet[Any], value: Any) -> QuerySet[Any]:
        if self.lookup is None:
            return rows
        if isinstance(self.lookup, str):
            return rows.filter(**{self.lookup: value})
        return self.lookup(rows, value)

    @property
    def documented(self) -> OpenApiParameter:
        return OpenApiParameter(
            self.name, self.schema, description=self.about or f"Takes {self.takes}."
        )


def choice(
    name: str, among: type[Choices] | Iterable[str], lookup: Lookup, about: str = ""
) -> Parameter:
    """One of some words; `among` may be the choices of a column."""
    words = tuple(str(word) for word in (among.values if isinstance(among, type) else among))

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    schema = {"type": "string", "enum": list(words)}
    return Parameter(name, read, f"one of {', '.join(words)}", lookup, schema, about)


def flag(name: str, lookup: Lookup, about: str = "") -> Parameter:
    values = {"true": True, "false": False}

    def read(text: str) -> bool:
        if text not in values:
            raise ValueError
        return values[text]

    return Parameter(name, read, "true or false", lookup, {"type": "boolean"}, about)


def number(
    name: str, lookup: Lookup, about: str = "", least: int = 1, most: int = MOST_KEY
) -> Parameter:

    def read(text: str) -> int:
        if not (text.isdecimal() and text.isascii() and len(text) <= len(str(MOST_KEY))):
            raise ValueError
        if not least <= int(text) <= most:
            raise ValueError
        return int(text)

    takes = f"a whole number from {least}{f' to {most}' if most < MOST_KEY else ''}"
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Parameter(name, read, takes, lookup, schema, about)


def moment(name: str, lookup: Lookup, about: str = "") -> Parameter:
    """A date and time of ISO 8601; without an offset it is in UTC."""

    def read(text: str) -> datetime:
        # An unescaped plus is a space in a query.
        found = parse_datetime(text.replace(" ", "+"))
        if found is None:
            raise ValueError
        aware = (
            found if found.tzinfo else timezone.make_aware(found, timezone.get_default_timezone())
        )
        return aware.astimezone(timezone.get_default_timezone())

    takes = "a date and time such as 2026-05-01T12:00:00Z"
    schema = {"type": "string", "format": "date-time"}
    return Parameter(name, read, takes, lookup, schema, about)


def text(
    name: str, lookup: Lookup, about: str = "", longest: int = 200, form: str = ""
) -> Parameter:
    """`form`: a regular expression that the whole text matches. For the schema: who uses the text refuses another."""

    def read(given: str) -> str:
        if not 0 < len(given) <= longest:
            raise ValueError
        return given

    schema: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": longest}
    if form:
        schema["pattern"] = f"^{form}$"
    takes = f"a text of 1 to {longest} characters"
    return Parameter(name, read, takes, lookup, schema, about)


def read_query(query: QueryDict, parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The values by name. Raises Refusal for a name or a value that is not in the list, and says what is."""
    known = {parameter.name: parameter for parameter in parameters}
    problems = {name: _problem(query, name, known) for name in query}
    if wrong := {name: [problem] for name, problem in problems.items() if problem}:
        raise Refusal(" ".join(said for (said,) in wrong.values()), code="bad_query", fields=wrong)
    return {name: known[name].read(str(query[name])) for name in query}


def no_such(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not among the known ones."""
    allowed = ", ".join(known)
    said = f"Allowed are: {allowed}." if allowed else "None is allowed."
    return f"There is no {what} {name[:60]!r} here. {said}"


def _problem(query: QueryDict, name: str, known: dict[str, Parameter]) -> str:
    if name not in known:
        return no_such("parameter", name, known)
    if len(query.getlist(name)) > 1:
        return f"{name} is given more than once."
    try:
        known[name].read(str(query[name]))
    except (ValueError, OverflowError):
        return f"{name} takes {known[name].takes}."
    return ""


def version_of(request: Request) -> int:
    """The version of the row that a change was made from, in If-Match. Raises Refusal (428) without it."""
    named = request.headers.get("If-Match", "").strip().strip('"')
    if not (named.isdecimal() and len(named) <= MOST_DIGITS):
        raise Refusal(
            'Name the version that you read in the header If-Match, such as "3".', status=428
        )
    return int(named)
