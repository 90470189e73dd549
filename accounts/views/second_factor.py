"""The second factor: its code at a sign-in, setting it up, removing it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts import second_factor as factors
from accounts import sessions
from accounts.access import person_of, signed_in
from accounts.forms import CodeForm, CurrentPasswordForm, NewFactorForm, proof_form
from accounts.models import Person
from accounts.sealing import sealed, unsealed
from accounts.views.sign_in import FORM, WAITING, sign_in_now
from leases.refusal import Conflict, Refusal
from pages.refusals import form_page

# The key of a session for a secret that is shown, and not yet confirmed by a code.
NEW_SECRET = "second_factor_secret"  # noqa: S105 the name, not the secret


@FORM
@sensitive_post_parameters("code")
def code(request: HttpRequest) -> HttpResponse:
    """Asked for after the password."""
    person = _waiting(request)
    factor = factors.factor_of(person) if person else None
    if request.user.is_authenticated or person is None or factor is None:
        return redirect("accounts:sign_in")
    form = CodeForm(request, request.POST or None, factor=factor)
    if request.method == "POST" and form.is_valid():
        to = request.session.pop(WAITING)["to"]
        return sign_in_now(request, person, to, "a second factor")
    context = {"form": form}
    return form_page(request, "accounts/code.html", context, bad=False)


def _waiting(request: HttpRequest) -> Person | None:
    """Who has given the password in this session, unless it was changed since."""
    waiting = request.session.get(WAITING)
    if waiting is None:
        return None
    person = Person.objects.filter(pk=waiting["person"], is_active=True).first()
    if person and constant_time_compare(waiting["password"], person.get_session_auth_hash()):
        return person
    return None


@FORM
@signed_in
@sensitive_post_parameters("current_password")
def second_factor(request: HttpRequest) -> HttpResponse:
    """Whether it is on; after the password, a new secret to scan."""
    person = person_of(request)
    if request.method != "POST":
        return _page(request)
    if factors.factor_of(person):
        raise Conflict("Your second factor is on already.")
    form = CurrentPasswordForm(request, request.POST)
    if not form.is_valid():
        return _page(request, form)
    secret = factors.new_secret()
    request.session[NEW_SECRET] = sealed(secret)
    return _secret_page(request, secret, NewFactorForm())


@require_POST
@signed_in
@sensitive_post_parameters("code")
def confirm(request: HttpRequest) -> HttpResponse:
    """A first code turns it on; shows the recovery codes, only this once."""
    if NEW_SECRET not in request.session:
        raise Refusal("There is no second factor to confirm. Begin again on your account's page.")
    form = NewFactorForm(request.POST)
    secret = unsealed(request.session[NEW_SECRET])
    if form.is_valid():
        codes = factors.turn_on(person_of(request), secret, form.cleaned_data["code"])
        if codes:
            del request.session[NEW_SECRET]
            sessions.end_all(person_of(request), but=request.session.session_key)
            return render(request, "accounts/recovery_codes.html", {"codes": codes})
        form.add_error(
            "code", "This code is wrong. Check that the phone's time is right, and take the next."
        )
    return _secret_page(request, secret, form)


@require_POST
@signed_in
@sensitive_post_parameters("current_password", "code")
def remove(request: HttpRequest) -> HttpResponse:
    """By the password and a code."""
    person = person_of(request)
    if not factors.factor_of(person):
        raise Conflict("Your second factor is off already.")
    form = proof_form(request, request.POST)
    if not form.is_valid():
        return _page(request, form)
    factors.turn_off(person)
    messages.success(request, "Your second factor is off.")
    return redirect("accounts:second_factor")


def _page(request: HttpRequest, form: CurrentPasswordForm | None = None) -> HttpResponse:
    person = person_of(request)
    factor = factors.factor_of(person)
    form = form or proof_form(request)
    context = {
        "form": form,
        "factor": factor,
        "codes_left": factor.recovery_codes.count() if factor else 0,
        "has_password": person.has_usable_password(),
    }
    return form_page(request, "accounts/second_factor.html", context)


def _secret_page(request: HttpRequest, secret: str, form: NewFactorForm) -> HttpResponse:
    parts = [secret[n : n + 4] for n in range(0, len(secret), 4)]
    qr_code = factors.qr_code(person_of(request), secret)
    context = {"form": form, "secret": " ".join(parts), "qr_code": qr_code}
    return form_page(request, "accounts/new_second_factor.html", context)
