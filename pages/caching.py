"""What every answer tells browsers: to store nothing of it, and to give its page no device.

A page shows one person's work, and is read on shared machines.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers

NO_DEVICES = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"


class NotStoredMiddleware:
    """Adds `Cache-Control: private, no-store, …` and `Permissions-Policy`. Static files are answered before it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        add_never_cache_headers(response)
        response["Permissions-Policy"] = NO_DEVICES
        return response
