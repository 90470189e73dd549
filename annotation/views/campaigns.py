"""An admin's pages of campaigns."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.tags import hidden
from annotation.campaigns import managing
from annotation.campaigns.opening import dry_run, open_campaign
from annotation.campaigns.presenting import frame_in_words, shown_drawing, shown_strata
from annotation.campaigns.reserve import valid_tags
from annotation.forms import CampaignForm
from annotation.guidelines import current_guideline
from annotation.models import Annotation, Campaign
from annotation.progress import campaigns_with_counts, people_of, stages
from annotation.publish import publish_campaign
from annotation.states import AnnotationState, CampaignState
from datasets.models import Collection
from leases.refusal import StaleVersion
from leases.rows import first_of
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from wikifetch.models import Tag, TagKind
from wikifetch.states import TagState


def campaign_at(campaign_id: int) -> Campaign:
    return first_of(campaigns_with_counts().filter(pk=campaign_id), "There is no such campaign.")


@require_GET
@roles_required(Role.ADMIN)
def campaigns(request: HttpRequest) -> HttpResponse:
    """All campaigns with their progress."""
    page = page_of(request, campaigns_with_counts())
    return render(request, "annotation/campaigns.html", {"page": page})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_campaign(request: HttpRequest) -> HttpResponse:
    """Choose tags and people; the dry run shows what would be drawn, and opens it when that has not changed since."""
    form = CampaignForm(request.POST or None)
    drawing, shown = None, request.POST.get("shown", "")
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            if shown and "open" in request.POST:
                with refused_in(form, kind=StaleVersion):
                    return redirect(
                        "annotation:campaign", opened(form, person_of(request), shown).pk
                    )
            drawing = dry_run(form.design())
    live = Tag.objects.filter(state=TagState.LIVE)
    counts = [(kind.label, live.filter(kind=kind).count()) for kind in TagKind]
    context = {
        "form": form,
        "counts": counts,
        "any_tag": any(count for _, count in counts),
        "drawing": shown_drawing(drawing) if drawing else None,
    }
    return form_page(request, "annotation/campaign_new.html", context)


@transaction.atomic
def opened(form: CampaignForm, by: Person, shown: str) -> Campaign:
    """Open the campaign; if it is refused, no new collection remains."""
    collection, _ = Collection.objects.get_or_create(
        name=form.cleaned_data["collection"], defaults={"created_by": by}
    )
    name, design = form.cleaned_data["name"], form.design()
    return open_campaign(name=name, collection=collection, design=design, by=by, shown=shown)


@require_GET
@roles_required(Role.ADMIN)
def campaign(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """One campaign: progress, people, assignments."""
    campaign = campaign_at(campaign_id)
    assignments = campaign.assignments.select_related(
        "tag__article", "sighting", "person", "annotation"
    )
    accepted = Annotation.objects.filter(
        assignment__campaign=campaign, state=AnnotationState.ACCEPTED
    ).count()
    page = page_of(request, assignments.order_by("order", "slot"))
    on_page = Annotation.objects.filter(assignment__in=[each.pk for each in page])
    hidden_here = hidden(person_of(request), on_page)
    context = {
        "campaign": campaign,
        "frame": frame_in_words(campaign),
        "strata": shown_strata(campaign.strata),
        "valid_tags": valid_tags(campaign),
        "is_open": campaign.state == CampaignState.OPEN,
        "stages": stages(campaign),
        "people": people_of(campaign),
        "accepted": accepted,
        "current_guideline": current_guideline(),
        "page": page,
        "hidden": set(hidden_here.values_list("assignment", flat=True)),
    }
    return render(request, "annotation/campaign.html", context)


@require_POST
@roles_required(Role.ADMIN)
def change(request: HttpRequest, campaign_id: int, verb: str) -> HttpResponse:
    """Close or reopen."""
    campaign = campaign_at(campaign_id)
    managing.change_campaign(campaign, verb)
    messages.success(request, f"The campaign is {campaign.get_state_display().lower()} now.")
    return redirect("annotation:campaign", campaign.pk)


@require_POST
@roles_required(Role.ADMIN)
def open_main_round(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """End the pilot: the main round's tags are given out."""
    campaign = campaign_at(campaign_id)
    managing.open_main_round(campaign)
    messages.success(request, "The main round is open.")
    return redirect("annotation:campaign", campaign.pk)


@require_POST
@roles_required(Role.ADMIN)
def publish(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Publish what is accepted to the campaign's collection."""
    campaign = campaign_at(campaign_id)
    done = publish_campaign(campaign, person_of(request))
    if done.annotations:
        messages.success(
            request,
            f"{done.annotations} published; {done.records} of them new in the collection.",
        )
    else:
        messages.info(
            request, "Nothing to publish: every accepted annotation is published already."
        )
    return redirect("annotation:campaign", campaign.pk)


@require_POST
@roles_required(Role.ADMIN)
def withdraw(request: HttpRequest, campaign_id: int, assignment_id: int) -> HttpResponse:
    """Take an assignment out of the campaign."""
    campaign = campaign_at(campaign_id)
    managing.withdraw(assignment_id=assignment_id, campaign=campaign)
    messages.success(request, "The assignment is withdrawn. Its author keeps any draft.")
    return redirect("annotation:campaign", campaign.pk)
