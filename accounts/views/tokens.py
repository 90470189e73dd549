"""A person's tokens: listed, made after the password, revoked; by admins too."""

import time
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import institution, second_factor
from accounts.access import person_of, roles_required, signed_in
from accounts.forms import CodeForm, CurrentPasswordForm
from accounts.models import ApiToken, Person
from accounts.roles import Role
from accounts.tokens import issuing
from accounts.tokens.scopes import WHAT_THEY_ALLOW, Scope, scopes_of
from pages.refusals import form_page, refused_in

# In a session: when its person signed in at the institution anew, and for how many seconds one token can be made then.
PROVEN, PROOF_HOLDS = "proven", 600
OVER = "A sign-in holds for ten minutes, and for one token. Sign in again, then send this: what you entered is kept."


class NewTokenForm(CurrentPasswordForm):
    """A token, and the password of who makes it."""

    field_order = ("name", "scopes", "days", "current_password", "code")

    name = forms.CharField(
        label="Name",
        max_length=ApiToken._meta.get_field("name").max_length,
        help_text="Of the program or the machine that will use it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(label="Scopes", widget=forms.CheckboxSelectMultiple)
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=issuing.MOST_DAYS,
        initial=issuing.USUAL_DAYS,
        help_text=f"At most {issuing.MOST_DAYS}.",
    )

    def __init__(self, request: HttpRequest, data: Any = None, **more: Any) -> None:
        super().__init__(request, data, **more)
        scopes: Any = self.fields["scopes"]
        scopes.choices = [
            (scope.value, f"{scope.label}: {WHAT_THEY_ALLOW[scope]}")
            for scope in scopes_of(person_of(request).roles)
        ]


class NewTokenAndCodeForm(CodeForm, NewTokenForm):
    """The same, and a code."""


def token_form(request: HttpRequest, data: Any = None) -> NewTokenForm:
    factor = second_factor.factor_of(person_of(request))
    form = (
        NewTokenAndCodeForm(request, data, factor=factor) if factor else NewTokenForm(request, data)
    )
    if is_proven(request):
        del form.fields["current_password"]
    return form


def is_proven(request: HttpRequest) -> bool:
    """Whether somebody without a password has signed in at the institution anew."""
    at = request.session.get(PROVEN, 0)
    has_password = person_of(request).has_usable_password()
    return not has_password and time.time() - at < PROOF_HOLDS


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@sensitive_post_parameters("current_password", "code")
def tokens(request: HttpRequest) -> HttpResponse:
    """The list, and the form of a new one, whose text is shown only once."""
    if request.method != "POST":
        return _page(request, token_form(request))
    form = token_form(request, request.POST)
    if form.is_valid():
        given = form.cleaned_data
        scopes = [Scope(scope) for scope in given["scopes"]]
        with refused_in(form):
            text = issuing.make(
                person_of(request), name=given["name"], scopes=scopes, days=given["days"]
            )
            request.session.pop(PROVEN, None)
            context = {"name": given["name"], "token": text, "days": given["days"]}
            return render(request, "accounts/new_token.html", context)
    return _page(request, form)


def _page(request: HttpRequest, form: NewTokenForm) -> HttpResponse:
    person = person_of(request)
    may_make = person.has_usable_password() or is_proven(request)
    if not may_make and form.is_bound:
        # The sign-in of before is over: what was entered stays, without the password that there is not.
        form.fields.pop("current_password", None)
        form.errors.pop("current_password", None)
        form.add_error(None, OVER)
    context = {
        "form": form,
        "tokens": issuing.listed(person),
        "may_make": may_make,
        "institution": institution.name() if hasattr(person, "identity") else "",
        "has_role": bool(person.roles),
    }
    return form_page(request, "accounts/tokens.html", context)


@require_POST
@signed_in
def revoke(request: HttpRequest, key: int) -> HttpResponse:
    person = person_of(request)
    issuing.revoke(person, key, by=person)
    messages.success(request, "The token is revoked: no program can use it any more.")
    return redirect("accounts:tokens")


@require_POST
@roles_required(Role.ADMIN)
def revoke_of(request: HttpRequest, pk: int, key: int) -> HttpResponse:
    """By an admin, of anybody."""
    someone = get_object_or_404(Person, pk=pk)
    issuing.revoke(someone, key, by=person_of(request))
    messages.success(request, f"The token of {someone} is revoked.")
    return redirect("accounts:person", pk=pk)
