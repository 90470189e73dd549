"""The start page and the error pages."""

import sys

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, signed_in, to_sign_in
from accounts.audit import told
from config.next_steps import cards
from config.whole_way import whole_way
from leases.outage import has_room, outage
from leases.refusal import NotAllowed, NotFoundHere, Refusal
from pages.refusals import outage_answer, refusal_answer, to_send_again

OTHER_HOST = (
    "This server does not answer under this name. Open {} instead. For the operator: BASE_URL is the address that "
    "people use."
)

OTHER_ADDRESS = (
    "This form was not sent from {0}, the address of this server. Nothing was changed. Open {0}, and enter it there. "
    "For the operator: BASE_URL is the address that people use; where {0} is what was open, the proxy in front has to "
    "pass on Host and X-Forwarded-Proto, and TRUSTED_PROXIES to count it."
)


@require_safe
@signed_in
def home(request: HttpRequest) -> HttpResponse:
    """What the signed-in person can do now, what waits first; and how far the work is on its whole way."""
    person = person_of(request)
    context = {"cards": cards(person), "told": told(person), "way": whole_way(person)}
    return render(request, "home.html", context)


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The web process answers, and can store what it is sent."""
    if has_room():
        return JsonResponse({"ok": True})
    return JsonResponse({"ok": False, "error": "The disk is full."}, status=507)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without a valid CSRF token: mostly one that was open while the person signed out or in again.

    Under another address than BASE_URL a browser sends no cookies, or another origin.
    """
    opened = request.headers.get("Origin") or f"{request.scheme}://{request.get_host()}"
    if not f"{settings.BASE_URL}/".startswith(f"{opened}/"):
        return refusal_answer(request, NotAllowed(OTHER_ADDRESS.format(settings.BASE_URL)))
    if not request.user.is_authenticated and to_send_again(request):
        return to_sign_in(request)
    problem = (
        "This form was made before you last signed in, or by another site. Nothing was changed. Load its page "
        "again, and enter it there."
    )
    return refusal_answer(request, NotAllowed(problem, code="csrf"))


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, DisallowedHost):
        return refusal_answer(request, Refusal(OTHER_HOST.format(settings.BASE_URL)))
    problem = (
        "This request cannot be read: it is too large, has too many fields, or is not well formed."
    )
    return refusal_answer(request, Refusal(problem))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal_answer(request, NotAllowed("You may not open this page."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    prefix = settings.FORCE_SCRIPT_NAME
    if prefix and f"{request.path_info}/".startswith(f"{prefix}/"):
        return refusal_answer(request, misdirected(prefix))
    return refusal_answer(
        request, NotFoundHere("There is no such page, or it is not yours to see.")
    )


def misdirected(prefix: str) -> Refusal:
    """The proxy does not remove the sub-path of BASE_URL, so every address is unknown."""
    return Refusal(
        f"The proxy in front of this server passes {prefix}, the sub-path in BASE_URL, on. It has to remove it: "
        f"in nginx, end proxy_pass with a slash inside location {prefix}/; with docker-compose.yml, set "
        f"BASE_PATH={prefix}.",
        status=500,
    )


def failed(request: HttpRequest) -> HttpResponse:
    """Django calls it while it handles the error of a view or of middleware, e.g. of reading the session."""
    if refusal := outage(sys.exc_info()[1]):
        return outage_answer(request, refusal)
    problem = (
        "Something went wrong here, not with what you entered. It has been written to the log."
    )
    return refusal_answer(request, Refusal(problem, status=500, retry=True))
