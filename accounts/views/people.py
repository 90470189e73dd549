"""The admins' pages of people, roles and invitations."""

from urllib.parse import quote

from django.contrib import messages
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import institution, invitations, second_factor
from accounts.access import person_of, roles_required
from accounts.forms import InviteForm, RolesForm
from accounts.leaving import open_work
from accounts.leaving.asking import asks_first, settle_with
from accounts.models import Identity, Person, RoleGrant
from accounts.roles import Role
from accounts.tokens import issuing
from leases.refusal import Refusal
from pages.data_responses import MARK, csv_lines
from pages.paging import page_of

FORM = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
@roles_required(Role.ADMIN)
def people(request: HttpRequest) -> HttpResponse:
    return people_page(request, InviteForm())


def people_page(request: HttpRequest, form: InviteForm, status: int = 200) -> HttpResponse:
    rows = Person.objects.prefetch_related(
        Prefetch("grants", RoleGrant.objects.order_by("role"), to_attr="held")
    )
    open_ones = invitations.open_ones()
    context = {"people": page_of(request, rows), "invitations": open_ones, "form": form}
    return render(request, "accounts/people.html", context, status=status)


@roles_required(Role.ADMIN)
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Make an invitation for each line and show the links, only this once."""
    form = InviteForm(request.POST)
    if not form.is_valid():
        return people_page(request, form, status=422)
    made = invitations.invite_all(form.cleaned_data["invited"], by=person_of(request))
    links = [
        (
            each.name,
            ", ".join(each.roles),
            invitations.full_address(invitations.invitation_path(token)),
        )
        for each, token in made
    ]
    # The file is part of the page: to give it out later, the server would have to keep the links.
    file = "".join([MARK, *csv_lines(("for", "roles", "link"), links)])
    context = {"links": links, "file": f"data:text/csv;charset=utf-8,{quote(file)}"}
    return render(request, "accounts/invitations.html", context)


@roles_required(Role.ADMIN)
@require_POST
def withdraw_invitation(request: HttpRequest, pk: int) -> HttpResponse:
    invitations.withdraw(pk, by=person_of(request))
    return redirect("accounts:people")


@FORM
@roles_required(Role.ADMIN)
def person(request: HttpRequest, pk: int) -> HttpResponse:
    """One person: roles, and whether they may sign in."""
    someone = get_object_or_404(Person, pk=pk)
    form = RolesForm(request.POST or None, initial={"roles": [str(role) for role in someone.roles]})
    if request.method == "POST" and form.is_valid():
        roles = [Role(role) for role in form.cleaned_data["roles"]]
        lost = someone.roles - set(roles)
        if asked := asks_first(request, someone, lost, "Save roles"):
            return asked
        with settle_with(request, someone):
            invitations.grant(someone, roles=roles, by=person_of(request))
        messages.success(request, f"The roles of {someone} are saved and take effect immediately.")
        return redirect("accounts:person", pk=pk)
    context = {
        "someone": someone,
        "open_work": (held := open_work.held_by(someone, person_of(request))),
        "may_hand_on": any(row.has_choice for row in held),
        "is_own": someone == person_of(request),
        "form": form,
        "factor": second_factor.factor_of(someone),
        "identity": Identity.objects.filter(person=someone).first(),
        "institution": institution.name(),
        "tokens": issuing.listed(someone),
    }
    return render(request, "accounts/person.html", context)


@roles_required(Role.ADMIN)
@require_POST
def set_active(request: HttpRequest, pk: int) -> HttpResponse:
    someone = get_object_or_404(Person, pk=pk)
    wanted = request.POST.get("active")
    if wanted not in ("yes", "no"):
        raise Refusal("Say whether this person may sign in: active=yes or active=no.")
    if wanted == "no" and (asked := asks_first(request, someone, someone.roles, "Block sign-in")):
        return asked
    with settle_with(request, someone):
        invitations.set_active(someone, active=wanted == "yes", by=person_of(request))
    return redirect("accounts:person", pk=pk)


@roles_required(Role.ADMIN)
@require_POST
def remove_second_factor(request: HttpRequest, pk: int) -> HttpResponse:
    """For somebody who lost the phone and the recovery codes."""
    someone = _somebody_else(request, pk, "second factor", "a code")
    second_factor.take_away(someone, by=person_of(request))
    messages.success(
        request,
        f"{someone} now signs in with the password alone, and their sessions and tokens have ended.",
    )
    return redirect("accounts:person", pk=pk)


@roles_required(Role.ADMIN)
@require_POST
def remove_identity(request: HttpRequest, pk: int) -> HttpResponse:
    """For somebody who left the institution, or whose identity is in other hands."""
    someone = _somebody_else(request, pk, "link", "your password")
    institution.unlink(someone, by=person_of(request))
    messages.success(
        request,
        f"{someone} now signs in with a password alone, and their sessions and tokens have ended.",
    )
    return redirect("accounts:person", pk=pk)


def _somebody_else(request: HttpRequest, pk: int, what: str, proof: str) -> Person:
    someone: Person = get_object_or_404(Person, pk=pk)
    if someone == person_of(request):
        raise Refusal(f"Remove your own {what} on your account's page, by {proof}.")
    return someone


@roles_required(Role.ADMIN)
@require_POST
def password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a link by which a person sets a new password, only this once."""
    someone = get_object_or_404(Person, pk=pk, is_active=True, is_demonstration=False)
    return link_page(
        request,
        invitations.password_path(someone, by=person_of(request)),
        f"New password for {someone}",
        "It works once, within three days.",
    )


def link_page(request: HttpRequest, path: str, title: str, holds: str) -> HttpResponse:
    context = {"link": invitations.full_address(path), "title": title, "holds": holds}
    return render(request, "accounts/link.html", context)
