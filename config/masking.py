"""Paths without secrets, for the log: nobody who reads it may get access by a link in it."""

import re

from django.http import HttpRequest
from django.urls import ResolverMatch

from accounts.tokens.token_text import PREFIX

# URL parameters that give access by themselves, by their names in urlpatterns; an unknown address may hold such a one.
SECRET_PARTS = {"token", "address"}
MASK = "…"
# A program that sends its token in an address is refused, but the address is logged.
TOKEN = re.compile(rf"{PREFIX}\w*")
# Requested every few seconds by monitoring.
WATCHED = ("/healthz", "/readyz", "/metrics")


def is_watched(request: HttpRequest) -> bool:
    return request.path_info in WATCHED


def masked_path(request: HttpRequest) -> str:
    """The path without its tokens; only its first part if it is unknown, as it may be a truncated link."""
    return TOKEN.sub(MASK, _without_links(request))


def _without_links(request: HttpRequest) -> str:
    match: ResolverMatch | None = getattr(request, "resolver_match", None)
    path = request.path_info
    if match is None:
        first, *further = path.strip("/").split("/")
        return f"/{first}/{MASK}" if further else path
    for name, value in match.kwargs.items():
        if name in SECRET_PARTS:
            path = path.replace(str(value), MASK)
    return path
