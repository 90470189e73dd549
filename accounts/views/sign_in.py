"""Signing in, joining by invitation, and setting a new password by an admin's link."""

import time
from typing import Any

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, resolve_url
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import institution, invitations, second_factor, sessions
from accounts.audit import SIGNED_IN_WITH
from accounts.forms import JoinByInstitutionForm, JoinForm, NewPasswordForm, SignInForm
from accounts.guard import forget_codes, remember
from accounts.models import Invitation, Person
from accounts.roles import Role
from accounts.throttles import count_useless_link
from leases.refusal import NotFoundHere, TooMany
from pages.refusals import form_page, refused_in

BACKEND = "django.contrib.auth.backends.ModelBackend"
# Keys of a session: who has given the password and not yet the code; who has come from the institution to join.
WAITING = "second_factor_waits"
JOINING = "joining_by_institution"
SECONDS_FOR_CODE = 600

FORM = require_http_methods(["GET", "HEAD", "POST"])


@method_decorator(sensitive_post_parameters("password"), name="dispatch")
class SignIn(LoginView):
    """The sign-in page. After a failed attempt it keeps the typed name, never the password."""

    form_class = SignInForm
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["ended"] = self.request.GET.get("ended", "")
        context["institution"] = institution.name()
        return context

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        assert isinstance(form, SignInForm)
        return after_password(self.request, form.person, self.get_success_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        context = self.get_context_data(form=form)
        return form_page(self.request, self.template_name, context, bad=False)


sign_in = FORM(SignIn.as_view())


@FORM
@sensitive_post_parameters("password")
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation link."""
    invitation = invitation_of(request, token)
    joining = _joining(request, invitation)
    subject = joining.get("subject", "")
    fitting = JoinByInstitutionForm if subject else JoinForm
    form = fitting(request.POST or None, initial={"name": joining.get("name", "")})
    if request.method == "POST" and form.is_valid():
        with refused_in(form, kind=TooMany):
            person = invitations.accept(token, **form.cleaned_data, subject=subject)
            request.session.pop(JOINING, None)
            return sign_in_now(request, person, using="an institution" if subject else "")
    context = {
        "form": form,
        "roles": [Role(role).label for role in invitation.roles],
        "institution": institution.name(),
        "identified": joining.get("shown", ""),
        "token": token,
    }
    return form_page(request, "accounts/join.html", context, bad=False)


def _joining(request: HttpRequest, invitation: Invitation) -> dict[str, str]:
    """The identity that came from the institution for this invitation; {} for none that counts."""
    joining: dict[str, Any] = request.session.get(JOINING, {})
    wanted = {"invitation": invitation.pk, "issuer": settings.OIDC_ISSUER}
    if "password" in request.GET or not wanted.items() <= joining.items():
        return {}
    return joining if time.time() - joining["since"] < institution.SECONDS_AWAY else {}


def invitation_of(request: HttpRequest, token: str) -> Invitation:
    try:
        return invitations.open_invitation(token)
    except NotFoundHere:
        count_useless_link(request)
        raise


@FORM
@sensitive_post_parameters("password")
def new_password(request: HttpRequest, key: str, token: str) -> HttpResponse:
    """The page of a link for a new password."""
    person = _person_of_link(request, key, token)
    form = NewPasswordForm(request.POST or None, person=person)
    if request.method == "POST" and form.is_valid():
        with refused_in(form, kind=TooMany):
            person = invitations.set_password_by_link(key, token, form.cleaned_data["password"])
            sessions.end_all(person)
            forget_codes(person)  # those of a stranger, who knew the old password
            return after_password(request, person)
    context = {"form": form, "name": person.username}
    return form_page(request, "accounts/new_password.html", context, bad=False)


def _person_of_link(request: HttpRequest, key: str, token: str) -> Person:
    try:
        return invitations.person_of_link(key, token)
    except NotFoundHere:
        count_useless_link(request)
        raise


def after_password(request: HttpRequest, person: Person, to: str = "") -> HttpResponse:
    """Sign in, or ask for a code first where the person has a second factor; then to the address `to`."""
    if not second_factor.factor_of(person):
        return sign_in_now(request, person, to)
    if request.user.is_authenticated:
        logout(request)  # with a link for a new password, somebody else may be signed in here
    request.session.cycle_key()
    request.session.set_expiry(SECONDS_FOR_CODE)
    password = person.get_session_auth_hash()
    request.session[WAITING] = {"person": person.pk, "password": password, "to": to}
    return redirect("accounts:code")


def sign_in_now(
    request: HttpRequest, person: Person, to: str = "", using: str = ""
) -> HttpResponse:
    """Lead to the address `to`, which was checked to be of this site, or to the start page.

    `using` is for the audit log: what the person signed in with besides or instead of a password.
    """
    request.META[SIGNED_IN_WITH] = using and f"with {using}"
    login(request, person, backend=BACKEND)
    return remember(HttpResponseRedirect(to or resolve_url("home")), request, person)
