"""What every request meets: a safe way, a body of a bounded size, no NUL in its address. And what every answer says.

Answers tell browsers to store nothing of them, and to give their page no device: a page shows one person's work, and is
read on shared machines.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.utils.cache import add_never_cache_headers

from accounts.addresses import is_loopback
from leases.refusal import NotAllowed, Refusal
from pages.refusals import is_api, refusal_answer

NO_DEVICES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
# Bytes; signing in and joining send less than a thousandth of this.
SIGNED_OUT = 64 * 1024
# Bytes of the largest file that a form takes (wikifetch.forms), with the form around it.
UPLOAD = 257 * 1024**2


class NotStoredMiddleware:
    """Adds `Cache-Control: private, no-store, …` and `Permissions-Policy`. Static files are answered before it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        add_never_cache_headers(response)
        response["Permissions-Policy"] = NO_DEVICES
        return response


class TransportMiddleware:
    """Refuses a foreign host name, and plain http over a network, before anything reads a request's cookies."""

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


class BoundsMiddleware:
    """Refuses a request before anything reads its body. Comes after the session's middleware.

    Django parses a posted form before it calls the view, to read the CSRF token. Without a limit anyone, signed in
    or not, could fill the disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if refusal := address_problem(request) or size_problem(request):
            return refusal_answer(request, refusal)
        return self.get_response(request)


def address_problem(request: HttpRequest) -> Refusal | None:
    """Refuses a NUL in the path or query: no name has one, and PostgreSQL fails on one in a comparison."""
    if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
        return Refusal("This address holds a NUL character. Check how it was copied.")
    return None


def size_problem(request: HttpRequest) -> Refusal | None:
    """Refuses a body whose Content-Length is over the sender's limit; Django reads no more than that length."""
    size = int(request.META.get("CONTENT_LENGTH") or 0)
    if size <= SIGNED_OUT:
        return None
    largest = SIGNED_OUT
    if request.user.is_authenticated:
        is_upload = request.content_type == "multipart/form-data"
        largest = UPLOAD if is_upload else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if size <= largest:
        return None
    what = "Send less at a time." if is_api(request) else "Go back and send less at a time."
    return Refusal(
        f"This is larger than {in_words(largest)}, the limit. Nothing was stored. {what}",
        status=413,
    )


def in_words(size: int) -> str:
    """A number of bytes in words, e.g. "12 MB"."""
    return f"{size // 1024**2} MB" if size >= 1024**2 else f"{size // 1024} KB"
