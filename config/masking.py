"""Paths as the log may keep them, if at all: whoever reads it must not be able to open a door with it."""

from django.http import HttpRequest
from django.urls import ResolverMatch

# Parts of addresses that open something by themselves, by their names in urlpatterns.
SECRET_PARTS = {"token"}
MASK = "…"
# Asked for every few seconds by programs that watch.
WATCHED = ("/healthz", "/readyz", "/metrics")


def is_watched(request: HttpRequest) -> bool:
    return request.path_info in WATCHED


def masked_path(request: HttpRequest) -> str:
    """The path without its tokens; of an address that is none of ours, which may be one cut off, the first part."""
    match: ResolverMatch | None = getattr(request, "resolver_match", None)
    path = request.path_info
    if match is None:
        first, *further = path.strip("/").split("/")
        return f"/{first}/{MASK}" if further else path
    for name, value in match.kwargs.items():
        if name in SECRET_PARTS:
            path = path.replace(str(value), MASK)
    return path
