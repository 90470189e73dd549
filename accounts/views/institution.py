"""Signing in, joining and linking an account by the institution; away to it, and back."""

import time
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts import institution, invitations
from accounts.access import View, person_of, signed_in
from accounts.forms import CurrentPasswordForm, SignInForm, proof_form
from accounts.models import Identity
from accounts.sealing import sealed, unsealed
from accounts.throttles import count_leaving
from accounts.views.sign_in import FORM, JOINING, invitation_of, sign_in_now
from accounts.views.tokens import PROVEN
from leases.refusal import Conflict, NotAllowed, Refusal
from pages.refusals import form_page


def where_it_is_on(view: View) -> View:
    """There is no such page where the settings name no institution."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not institution.name():
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@where_it_is_on
def sign_in(request: HttpRequest) -> HttpResponse:
    """Away to the institution. Signed-in people go to the start page, as on the sign-in page."""
    if request.user.is_authenticated:
        return redirect("home")
    to = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(to, {request.get_host()}, request.is_secure()):
        to = ""
    return _away(request, {"for": "sign in", "to": to})


@require_safe
@where_it_is_on
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Away to the institution with an invitation. The database sees the token only encrypted."""
    invitation_of(request, token)
    return _away(request, {"for": "join", "token": sealed(token)})


def _away(request: HttpRequest, purpose: dict[str, Any]) -> HttpResponse:
    if not request.user.is_authenticated:
        request.session.set_expiry(institution.SECONDS_AWAY)
    try:
        count_leaving(request)
        return HttpResponseRedirect(_address(request, purpose))
    except Refusal as refused:
        return _sign_in_page(request, refused)


def _address(request: HttpRequest, purpose: dict[str, Any]) -> str:
    """For what changes how somebody signs in, the person who is signed in at the institution is not enough."""
    back_to = invitations.full_address(reverse("accounts:institution_back"))
    return institution.leave(request, back_to, purpose, anew=purpose["for"] != "sign in")


@require_safe
@where_it_is_on
def back(request: HttpRequest) -> HttpResponse:
    """Back from the institution, to do what the person left for."""
    try:
        arrival = institution.arrive(request)
        if (purpose := arrival.purpose["for"]) != "sign in":
            arrival.check_anew(must_be_said=purpose == "token")
        if purpose == "link":
            return _link(request, arrival)
        if purpose == "token":
            return _prove(request, arrival)
        if purpose == "join":
            return _go_on_joining(request, arrival)
        person = institution.person_of(arrival.subject)
        return sign_in_now(request, person, arrival.purpose["to"], "an institution")
    except Refusal as refused:
        if request.user.is_authenticated:
            raise
        return _sign_in_page(request, refused)


def _go_on_joining(request: HttpRequest, arrival: institution.Arrival) -> HttpResponse:
    token = unsealed(arrival.purpose["token"])
    invitation = invitations.open_invitation(token)
    request.session[JOINING] = {
        "invitation": invitation.pk,
        "issuer": settings.OIDC_ISSUER,
        "subject": arrival.subject,
        "name": arrival.name,
        "shown": arrival.shown,
        "since": time.time(),
    }
    return redirect(invitations.invitation_path(token))


def _link(request: HttpRequest, arrival: institution.Arrival) -> HttpResponse:
    if not request.user.is_authenticated or request.user.pk != arrival.purpose["person"]:
        raise NotAllowed("You are signed out, so nothing was linked. Sign in, and begin again.")
    institution.link(person_of(request), arrival.subject)
    there = f"as {arrival.shown} at {institution.name()}"
    messages.success(request, f"From now on you can sign in {there} too.")
    return redirect("accounts:linked")


@require_safe
@where_it_is_on
@signed_in
def prove(request: HttpRequest) -> HttpResponse:
    """Away to the institution, to sign in there anew before a token is made."""
    count_leaving(request)
    return HttpResponseRedirect(
        _address(request, {"for": "token", "person": person_of(request).pk})
    )


def _prove(request: HttpRequest, arrival: institution.Arrival) -> HttpResponse:
    person = institution.person_of(arrival.subject)
    if person != request.user or person.pk != arrival.purpose["person"]:
        raise NotAllowed(
            f"At {institution.name()} you signed in as somebody else. Nothing was changed; begin again as yourself."
        )
    request.session[PROVEN] = time.time()
    return redirect("accounts:tokens")


def _sign_in_page(request: HttpRequest, refused: Refusal) -> HttpResponse:
    """The reason, with the form for a password."""
    context = {
        "form": SignInForm(request),
        "refused": refused,
        "institution": institution.name(),
        "next": "",
    }
    answer = render(request, "accounts/sign_in.html", context, status=refused.status)
    for header, value in refused.headers.items():
        answer[header] = value
    return answer


@FORM
@where_it_is_on
@signed_in
@sensitive_post_parameters("current_password", "code")
def linked(request: HttpRequest) -> HttpResponse:
    """The person's identity at the institution; after the password, the way there to link one."""
    if request.method != "POST":
        return _page(request)
    person = person_of(request)
    if Identity.objects.filter(person=person).exists():
        raise Conflict("Your account is linked already.")
    form = proof_form(request, request.POST)
    if not form.is_valid():
        return _page(request, form)
    # A link, since the content policy lets no form lead to another host.
    there = _address(request, {"for": "link", "person": person.pk})
    context = {"there": there, "institution": institution.name()}
    return render(request, "accounts/to_institution.html", context)


@require_POST
@where_it_is_on
@signed_in
@sensitive_post_parameters("current_password", "code")
def unlink(request: HttpRequest) -> HttpResponse:
    """By the password, so that nobody is left without a way to sign in."""
    form = proof_form(request, request.POST)
    if not form.is_valid():
        return _page(request, form)
    person = person_of(request)
    institution.unlink(person, by=person, but=request.session.session_key)
    messages.success(
        request,
        "From now on you sign in with your password, and your other sessions and your tokens have ended.",
    )
    return redirect("accounts:linked")


def _page(request: HttpRequest, form: CurrentPasswordForm | None = None) -> HttpResponse:
    person = person_of(request)
    form = form or proof_form(request)
    context = {
        "form": form,
        "identity": Identity.objects.filter(person=person).first(),
        "institution": institution.name(),
        "has_password": person.has_usable_password(),
    }
    return form_page(request, "accounts/linked.html", context)
