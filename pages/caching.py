"""No browser or proxy stores what the app answers: a page shows one person's work, and is read on shared machines."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers


class NotStoredMiddleware:
    """Adds `Cache-Control: private, no-store, …` to each answer. Static files are answered before it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        add_never_cache_headers(response)
        return response
