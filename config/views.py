"""The page that says what is next, and the pages for when something is wrong."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of
from config.next_steps import next_steps
from leases.refusal import NotAllowed, NotFoundHere, Refusal
from pages.refusals import refusal_answer


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """What the signed-in person can do now, most pressing first."""
    return render(request, "home.html", {"steps": next_steps(person_of(request))})


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The web process answers."""
    return JsonResponse({"ok": True})


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without the token of a page: mostly one that was open while its sender signed in anew."""
    problem = (
        "This form was made before you last signed in, or by another site. Nothing was changed. Go back, "
        "copy what you typed, and load the page again."
    )
    return refusal_answer(request, NotAllowed(problem))


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    problem = "This request cannot be read: it is too large, has too many fields, or came by a wrong address."
    return refusal_answer(request, Refusal(problem))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal_answer(request, NotAllowed("You may not open this page."))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refusal_answer(
        request, NotFoundHere("There is no such page, or it is not yours to see.")
    )


def failed(request: HttpRequest) -> HttpResponse:
    problem = (
        "Something went wrong here, not with what you entered. It has been written to the log."
    )
    return refusal_answer(request, Refusal(problem, status=500, retry=True))
