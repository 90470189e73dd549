"""The answer to the question before others' work is shown, and an admin's list of who saw what."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from annotation.blinding import seeing
from annotation.models import Campaign
from leases.refusal import Refusal
from leases.rows import first_of
from pages.paging import page_of

MOST_DIGITS = 18


@require_POST
@roles_required(Role.ANNOTATOR)
def show(request: HttpRequest) -> HttpResponse:
    """Give up the tags that the question named, and go on to what was asked for."""
    to = request.POST.get("next", "")
    opened, tags = path_here(request, to), read_tags(request.POST.get("tags", ""))
    seeing.give_up(by=person_of(request), tags=tags, opened=opened)
    return redirect(to)


def path_here(request: HttpRequest, to: str) -> str:
    """The path of the address of what is to be shown; raises Refusal for one that is not of this installation."""
    if not url_has_allowed_host_and_scheme(to, {request.get_host()}, request.is_secure()):
        raise Refusal("Nothing was given up: `next` does not say what to show. Open it again.")
    return urlsplit(to).path


def read_tags(text: str) -> list[int]:
    """The ids in "1,2,3"; raises Refusal for anything else."""
    parts = text.split(",")
    if not all(part.isdecimal() and part.isascii() and len(part) <= MOST_DIGITS for part in parts):
        raise Refusal("Nothing was given up: the form names no tags. Open what you wanted again.")
    return [int(part) for part in parts]


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def seen(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Who was shown others' work on which of the campaign's tags; a POST decides whether they may still get these."""
    campaign = first_of(Campaign.objects.filter(pk=campaign_id), "There is no such campaign.")
    if request.method == "POST":
        lets = request.POST.get("lets", "")
        if lets not in ("yes", "no"):
            raise Refusal("Nothing was changed. Use the button of this page.")
        seeing.let_people_annotate_what_they_saw(campaign, lets == "yes")
        return redirect("annotation:seen", campaign_id)
    context = {"campaign": campaign, "page": page_of(request, seeing.seen_in(campaign))}
    return render(request, "annotation/seen.html", context)
