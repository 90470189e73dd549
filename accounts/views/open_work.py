"""Who holds what, for admins, and handing it on."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.leaving import open_work
from accounts.leaving.asking import settle_with
from accounts.models import Person
from accounts.roles import Role
from pages.paging import page_of


@require_safe
@roles_required(Role.ADMIN)
def everything(request: HttpRequest) -> HttpResponse:
    """What everybody holds, and what nobody is left to do."""
    by = person_of(request)
    page = page_of(request, open_work.all_held(by))
    context = {"page": page, "for_nobody": open_work.for_nobody(by)}
    return render(request, "accounts/open_work.html", context)


@roles_required(Role.ADMIN)
@require_POST
def hand_on(request: HttpRequest, pk: int) -> HttpResponse:
    """Hand on what was chosen of a person's work."""
    someone = get_object_or_404(Person, pk=pk)
    with settle_with(request, someone):
        pass
    return redirect("accounts:person", pk=pk)
