"""Refuse requests to a foreign host name, and by plain http over a network."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port

from accounts.addresses import is_loopback
from leases.refusal import NotAllowed, Refusal
from pages.refusals import refusal_answer


class TransportMiddleware:
    """Refuses such a request before anything reads its cookies."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if refusal := transport_problem(request):
            return refusal_answer(request, refusal)
        return self.get_response(request)


def transport_problem(request: HttpRequest) -> Refusal | None:
    """Refuses plain http from other machines, unless ALLOW_PLAIN_HTTP. Raises DisallowedHost."""
    host, _ = split_domain_port(request.get_host())
    if settings.ALLOW_PLAIN_HTTP or request.is_secure() or is_loopback(host):
        return None
    return NotAllowed(
        "This request came by plain http: anyone on the network can read a password in it. Open "
        f"{settings.BASE_URL} instead. For the operator: if a proxy in front of this server handles https, set "
        "TRUSTED_PROXIES (docs/operators/install.md)."
    )
