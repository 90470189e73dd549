"""Signing in, joining by invitation, and setting a new password by an admin's link."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import invitations, sessions
from accounts.access import person_of
from accounts.forms import JoinForm, NewPasswordForm, SignInForm
from accounts.guard import remember
from accounts.models import Invitation, Person
from accounts.roles import Role
from accounts.throttles import count_useless_link
from leases.refusal import NotFoundHere
from pages.refusals import form_page

BACKEND = "django.contrib.auth.backends.ModelBackend"

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
        return context

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        return remember(response, self.request, person_of(self.request))

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        assert isinstance(form, SignInForm)
        context = self.get_context_data(form=form)
        return form_page(
            self.request, self.template_name, context, bad=False, refused=form.too_many
        )


sign_in = FORM(SignIn.as_view())


@FORM
@sensitive_post_parameters("password")
@never_cache
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation link."""
    invitation = _invitation_of(request, token)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        entered = form.cleaned_data
        person = invitations.accept(
            token, username=entered["username"], name=entered["name"], password=entered["password"]
        )
        return _sign_in(request, person)
    roles = [Role(role).label for role in invitation.roles]
    return render(request, "accounts/join.html", {"form": form, "roles": roles})


def _invitation_of(request: HttpRequest, token: str) -> Invitation:
    try:
        return invitations.open_invitation(token)
    except NotFoundHere:
        count_useless_link(request)
        raise


@FORM
@sensitive_post_parameters("password")
@never_cache
def new_password(request: HttpRequest, key: str, token: str) -> HttpResponse:
    """The page of a link for a new password."""
    person = _person_of_link(request, key, token)
    form = NewPasswordForm(request.POST or None, person=person)
    if request.method == "POST" and form.is_valid():
        person.set_password(form.cleaned_data["password"])
        person.save(update_fields=["password"])
        sessions.end_all(person)
        return _sign_in(request, person)
    return render(request, "accounts/new_password.html", {"form": form, "name": person.username})


def _person_of_link(request: HttpRequest, key: str, token: str) -> Person:
    try:
        return invitations.person_of_link(key, token)
    except NotFoundHere:
        count_useless_link(request)
        raise


def _sign_in(request: HttpRequest, person: Person) -> HttpResponse:
    login(request, person, backend=BACKEND)
    return remember(redirect("home"), request, person)
