"""An operation of the API: a function, with who may call it, what it takes and what it can answer.

`@operation` makes a view of it that checks person, role, scope, parameters and body, and its true entry in the schema.
The function is a thin layer over the one that the page calls.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import MethodNotAllowed, NotAuthenticated
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, Serializer
from rest_framework.views import APIView

from accounts.access import person_of
from accounts.models import ApiToken, Person
from accounts.roles import Role
from accounts.throttles import count_job
from accounts.tokens.scopes import ROLES_OF, Scope
from leases.refusal import NotAllowed
from pages.rest import idempotency, schema
from pages.rest.lists import MOST, parameters_of_lists
from pages.rest.parameters import Parameter, read_query
from pages.rest.parsing import StrictJsonParser, check_keys

View = Callable[..., HttpResponseBase]
SerializerClass = type[BaseSerializer[Any]]


@dataclass(frozen=True)
class Operation:
    """See `operation`."""

    method: str
    work: Callable[..., Any]
    scope: Scope
    roles: tuple[Role, ...]
    takes: type[Serializer[Any]] | None = None
    answers: SerializerClass | None = None
    status: int = 200
    refusals: tuple[int, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    listed: bool = False
    most: int = MOST
    versioned: bool = False
    once: bool = False
    counts: str = ""
    queues: bool = False
    etag: bool = False
    media: tuple[str, ...] = ()
    ranged: bool = False
    upload: bool = False
    cleans: bool = False
    url_parts: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        assert isinstance(self.media, tuple), "each type of a file"
        parts = set(inspect.signature(self.work).parameters) - {"request", "sent"}
        object.__setattr__(self, "url_parts", frozenset(parts))

    @property
    def name(self) -> str:
        return self.work.__name__

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        of_list = parameters_of_lists(self.most) if self.listed else ()
        return (*self.parameters, *of_list)

    @property
    def parser(self) -> type[BaseParser]:
        if self.upload:
            return MultiPartParser
        return JSONParser if self.cleans else StrictJsonParser

    def check(self, request: Request) -> None:
        """Raises NotAuthenticated, or NotAllowed with the role or the scope that is missing."""
        person, token = request.user, request.auth
        if not isinstance(person, Person):
            raise NotAuthenticated
        if not person.has_role(*self.roles):
            raise _missing("role", *self.roles)
        if isinstance(token, ApiToken) and not (
            self.scope in token.scopes and person.has_role(*ROLES_OF[self.scope])
        ):
            raise _missing("scope", self.scope)

    def answer(self, request: Request, url: dict[str, Any]) -> HttpResponseBase:
        given = dict(url)
        if self.takes:
            body = self.takes(data=request.data)
            check_keys(request.data, body)
            body.is_valid(raise_exception=True)
            given["sent"] = body.validated_data
        work = partial(self._finished, request, given)
        if self.counts and not (self.once and idempotency.is_kept(request)):
            # Outside the transaction of `once`, so that a refused request counts too.
            count_job(person_of(request), self.counts)
        answer = idempotency.once(request, work) if self.once else work()
        return self._conditional(request, answer) if self.etag else answer

    def _conditional(self, request: Request, answer: HttpResponseBase) -> HttpResponseBase:
        if isinstance(answer, Response):
            answer.add_post_render_callback(partial(_with_etag, request, self.listed))
            return answer
        if isinstance(answer, HttpResponse) and not answer.has_header("ETag"):
            return _with_etag(request, False, answer) or answer
        return answer  # a stored file, which has one

    def _finished(self, request: Request, given: dict[str, Any]) -> Any:
        result = self.work(request, **given)
        if isinstance(result, HttpResponseBase):
            return result
        if self.answers is None:
            return Response(status=204)
        return Response(self.answers(result).data, status=self.status)


def _missing(kind: str, *wanted: Role | Scope) -> NotAllowed:
    words = " or ".join(word.value for word in wanted)
    ask = {
        "role": "Ask an admin if you should have it.",
        "scope": "Make a token that has it, under Account.",
    }
    return NotAllowed(
        f"This needs the {kind} {words}. {ask[kind]}",
        code=f"{kind}_missing",
        details={f"{kind}s": [word.value for word in wanted]},
    )


def _with_etag(request: Request, is_list: bool, answer: HttpResponse) -> HttpResponseBase | None:
    """304 where the program has this answer already."""
    content = answer.content
    if is_list and isinstance(answer, Response) and answer.data["next"]:
        # A cursor is sealed anew each time; the one of before goes on at the same place.
        content = JSONRenderer().render({**answer.data, "next": True})
    tag = sha256(content).hexdigest()[:32]
    tag = answer["ETag"] = f'W/"{tag}"' if is_list else quote_etag(tag)
    return get_conditional_response(request._request, etag=tag, response=answer)


class Endpoint(APIView):
    """The view of the operations of one address; `asked` are the parameters of the request."""

    operations: ClassVar[dict[str, Operation]] = {}
    asked: dict[str, Any]
    operation: Operation

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method not in self.operations:
            raise MethodNotAllowed(method)
        self.operation = self.operations[method]
        super().initial(request, *args, **kwargs)
        self.asked = read_query(request.query_params, self.operation.all_parameters)

    def check_permissions(self, request: Request) -> None:
        self.operation.check(request)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """A file has the type that it has; an error in its place is JSON."""
        gives_file = hasattr(self, "operation") and bool(self.operation.media)
        return super().perform_content_negotiation(request, force or gives_file)

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        found = self.operations.get(str(request.method))
        self.parser_classes = [found.parser if found else JSONParser]
        return super().initialize_request(request, *args, **kwargs)


def methods(*views: View) -> View:
    """The view of one address with several methods, of the operations that these views are of."""
    operations: dict[str, Operation] = {}
    for view in views:
        operations |= view.operations  # type: ignore[attr-defined]
    return _view(operations)


def _view(operations: dict[str, Operation]) -> View:
    names = [method.lower() for method in operations]
    body: dict[str, Any] = {method.lower(): _handler(one) for method, one in operations.items()}
    body |= {
        "operations": operations,
        "http_method_names": [*names, *(["head"] if "get" in names else [])],
    }
    made: type[Endpoint] = type("Endpoint", (Endpoint,), body)
    view: Any = made.as_view()
    view.operations = operations
    return view


def _handler(one: Operation) -> Callable[..., HttpResponseBase]:
    def handle(self: Endpoint, request: Request, **url: Any) -> HttpResponseBase:
        return one.answer(request, url)

    handle.__name__, handle.__doc__ = one.name, one.work.__doc__
    documented: Callable[..., HttpResponseBase] = extend_schema(**schema.entry(one))(handle)
    return documented


def operation(
    method: str, *, scope: Scope, roles: tuple[Role, ...], **described: Any
) -> Callable[[Callable[..., Any]], View]:
    """A view of the function, whose name is the operationId.

    It gets the request, the parts of its address by name, and `sent`, the validated body, where it `takes` one. It
    returns what the serializer `answers` takes, or an answer (rows_page of pages/rest/lists.py where `listed`), or
    nothing where `answers` is not given (204).

    scope: what a token needs. roles: of which the person has one, with a token or a cookie. status: of success.
    refusals: statuses that it answers besides those that all do. parameters: of its query; `most`: the largest page.
    versioned: it reads If-Match. once: with an Idempotency-Key it is done once, in one transaction. counts: the kind
    of job (accounts/rates.py) that it starts. queues: it answers 202 where a worker does the rest. etag: the answer
    has one, for If-None-Match; never where what is hidden decides the answer. media: it answers with a file of one of
    these types; ranged: or with the part that Range asks for. upload: it takes a form with files. cleans: it removes
    characters that no text may hold, such as a NUL; others refuse these.
    """

    def made(work: Callable[..., Any]) -> View:
        one = Operation(method, work, scope, roles, **described)
        return _view({method: one})

    return made


def asked(request: Request) -> dict[str, Any]:
    """The parameters that the request has, read."""
    values: dict[str, Any] = request.parser_context["view"].asked
    return values
