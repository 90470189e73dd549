"""Who sent a request: the person of its token, or the one that comes with the session."""

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from accounts.models import Person
from accounts.tokens.bearer import token_of
from leases.refusal import Refusal


class PersonMiddleware:
    """Sets `request.user`, which reads the session on its first use. Django's own reads person and roles after it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.user = SimpleLazyObject(lambda: user_of(request))  # type: ignore[assignment]
        return self.get_response(request)


def user_of(request: HttpRequest) -> Person | AnonymousUser:
    try:
        if token := token_of(request):
            return token.person
    except Refusal:  # the API says why; until then nobody sent it
        return AnonymousUser()
    request._cached_user = request.session.signed_in() or AnonymousUser()  # type: ignore[attr-defined]
    return request._cached_user  # type: ignore[attr-defined]
