"""How a request may come: to an address that is ours, and not by plain http over a network."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port

from accounts.addresses import is_loopback
from leases.refusal import NotAllowed, Refusal
from pages.refusals import refusal_answer


class TransportMiddleware:
    """Refuses what came by a wrong way before anything reads its cookies."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if refusal := transport_problem(request):
            return refusal_answer(request, refusal)
        return self.get_response(request)


def transport_problem(request: HttpRequest) -> Refusal | None:
    """Plain http from elsewhere, unless ALLOW_PLAIN_HTTP. Raises DisallowedHost for a name that is not ours."""
    host, _ = split_domain_port(request.get_host())
    if settings.ALLOW_PLAIN_HTTP or request.is_secure() or is_loopback(host):
        return None
    return NotAllowed(
        f"This came by plain http, in which anybody on the way reads passwords. Open {settings.BASE_URL} in "
        "its place. For whoever runs this server: when a proxy ends https in front of it, set "
        "TRUSTED_PROXIES (docs/operators.md)."
    )
