"""A person's own account: name, shortcuts, password, sessions."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import institution, second_factor, sessions
from accounts.access import person_of, signed_in
from accounts.forms import OwnPasswordForm, SettingsForm
from accounts.invitations import set_password
from accounts.models import Identity, Person
from leases.refusal import Refusal, TooMany
from pages.refusals import form_page, refused_in


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """The page, and saving the name and the shortcuts."""
    if request.method != "POST":
        return _page(request)
    # A separate instance, so that the page's header keeps the stored name if the form is invalid.
    form = SettingsForm(request.POST, instance=Person.objects.get(pk=person_of(request).pk))
    if not form.is_valid():
        return _page(request, settings=form)
    # Only these columns, so as not to overwrite what an admin changes meanwhile, e.g. is_active.
    Person.objects.filter(pk=form.instance.pk, is_active=True).update(**form.cleaned_data)
    messages.success(request, "Saved.")
    return redirect("accounts:account")


@require_POST
@signed_in
@sensitive_post_parameters()
def change_password(request: HttpRequest) -> HttpResponse:
    """A new password ends all tokens, and all sessions but this one."""
    person = person_of(request)
    form = OwnPasswordForm(request, request.POST)
    if not form.is_valid():
        return _page(request, password=form)
    with refused_in(form, kind=TooMany):
        set_password(person, form.cleaned_data["new_password"])
    if form.errors:
        return _page(request, password=form)
    update_session_auth_hash(request, person)
    request.session.save()
    sessions.end_all(person, but=request.session.session_key)
    messages.success(
        request, "Your password is changed, and your other sessions and your tokens have ended."
    )
    return redirect("accounts:account")


@require_POST
@signed_in
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one of the person's own sessions, or all but the current one."""
    person, handle = person_of(request), request.POST.get("session", "")
    if not handle:
        raise Refusal("Say which session is to end, or session=others for all but this one.")
    if handle == "others":
        count = sessions.end_all(person, but=request.session.session_key)
        messages.success(request, f"{count} other session{'' if count == 1 else 's'} ended.")
    else:
        sessions.end(person, handle)
        messages.success(request, "That session has ended.")
    return redirect("accounts:account")


def _page(
    request: HttpRequest,
    settings: SettingsForm | None = None,
    password: OwnPasswordForm | None = None,
) -> HttpResponse:
    person = person_of(request)
    shown = sessions.of_person(person, request.session.session_key)
    bad = settings is not None or password is not None
    password = password or OwnPasswordForm(request)
    context = {
        "settings": settings or SettingsForm(instance=person),
        "password": password,
        "sessions": shown,
        "has_others": any(not session.is_this for session in shown),
        "factor": second_factor.factor_of(person),
        "institution": institution.name(),
        "identity": Identity.objects.filter(person=person).first(),
        "has_password": person.has_usable_password(),
        "tokens": person.tokens.count(),
        "roles": sorted(role.label for role in person.roles),
    }
    return form_page(request, "accounts/account.html", context, bad=bad, form=password)
