"""An admin's pages of campaigns."""

from math import ceil
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.leaving.asking import leaving_page, settle_with
from accounts.leaving.open_work import held_by
from accounts.models import Person
from accounts.roles import Role
from annotation import open_work
from annotation.blinding.hiding import hidden_from
from annotation.campaigns import managing
from annotation.campaigns.campaign_people import annotators, may_be_added
from annotation.campaigns.folds import folds_of
from annotation.campaigns.forms import CampaignForm, LimitsForm
from annotation.campaigns.opening import dry_run, open_campaign
from annotation.campaigns.reserve import valid_tags
from annotation.campaigns.shown_drawing import frame_in_words, shown_drawing, shown_strata
from annotation.exporting.annotation_records import submitted_once
from annotation.fields.form_input import number_in
from annotation.guidelines import current_guideline
from annotation.models import Campaign
from annotation.monitoring.assignment_list import concerns_by_campaign
from annotation.monitoring.campaign_counts import campaigns_with_counts, people_with_counts, stages
from annotation.reviewing.publishing_tags import publish_campaign, unpublished
from annotation.states import CampaignState
from annotation.workflow import assigning
from datasets.models import Collection
from leases.refusal import Refusal, StaleVersion
from leases.rows import first_of
from pages.counting import how_many
from pages.paging import page_of
from pages.refusals import form_page, refused_in
from wikifetch.models import Tag
from wikifetch.states import TagState

NO_CAMPAIGN = "There is no such campaign."


def campaign_at(campaign_id: int) -> Campaign:
    return first_of(campaigns_with_counts().filter(pk=campaign_id), NO_CAMPAIGN)


@require_GET
@roles_required(Role.ADMIN)
def campaigns(request: HttpRequest) -> HttpResponse:
    page = page_of(request, campaigns_with_counts())
    counts = concerns_by_campaign(page)
    for campaign in page:
        campaign.concerns = counts.get(campaign.pk, [])
    return render(request, "annotation/campaigns.html", {"page": page})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def new_campaign(request: HttpRequest) -> HttpResponse:
    """Choose tags and people next to what would be drawn, as one types; opens it when that has not changed since."""
    initial = {"fetch": request.GET.get("fetch"), "kinds": request.GET.getlist("kinds")}
    form = CampaignForm(
        request.POST or None,
        initial=initial | {name: request.GET.get(name) for name in ("since", "until", "words")},
    )
    if request.headers.get("HX-Request"):
        return render(request, "annotation/_drawn_anew.html", drawn_so_far(form))
    drawn: dict[str, Any] = {"folds": folds_of(form)}
    if request.method == "POST" and form.is_valid():
        with refused_in(form):
            shown = request.POST.get("shown", "")
            if shown and "open" in request.POST:
                with refused_in(form, kind=StaleVersion):
                    return redirect(
                        "annotation:campaign", opened(form, person_of(request), shown).pk
                    )
            drawn = drawn_now(form)
    context = {"form": form, "any_tag": Tag.objects.filter(state=TagState.LIVE).exists(), **drawn}
    return form_page(request, "annotation/campaign_new.html", context)


def drawn_now(form: CampaignForm) -> dict[str, Any]:
    """What the page shows of a dry run. Raises Refusal with what to change first."""
    design = form.design()
    drawing = shown_drawing(dry_run(design))
    people = len(design.people) or annotators().count()
    each = ceil(drawing.drawing.assignments / people) if people else 0
    return {"drawing": drawing, "people": people, "each": each, "folds": folds_of(form)}


def drawn_so_far(form: CampaignForm) -> dict[str, Any]:
    """As drawn_now() while somebody types: the name can be missing, and what is to be changed are `problems`."""
    labels = {name: field.label for name, field in form.fields.items()}
    problems = [
        f"{labels[name]}: {error}" if name in labels else str(error)
        for name, errors in form.errors.items()
        if name not in ("name", "collection")
        for error in errors
    ]
    try:
        if not problems:
            return drawn_now(form)
    except Refusal as refusal:
        problems = [refusal.message]
    return {"problems": problems, "folds": folds_of(form)}


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
    campaign = campaign_at(campaign_id)
    is_blind = hidden_from(person_of(request), submitted_once(campaign)).exists()
    context = {
        "campaign": campaign,
        "frame": frame_in_words(campaign),
        "strata": shown_strata(campaign.strata),
        "drawn": sum(stratum["drawn"] for stratum in campaign.strata),
        "valid_tags": "hidden from you" if is_blind else valid_tags(campaign),
        "is_open": campaign.state == CampaignState.OPEN,
        "stages": stages(campaign),
        "people": people_with_counts(campaign),
        "to_publish": unpublished().filter(campaign=campaign).count(),
        "current_guideline": current_guideline(),
        "to_add": may_be_added(campaign).order_by("name"),
    }
    return render(request, "annotation/campaign.html", context)


@require_POST
@roles_required(Role.ADMIN)
def change(request: HttpRequest, campaign_id: int, verb: str) -> HttpResponse:
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
    campaign = campaign_at(campaign_id)
    done = publish_campaign(campaign, person_of(request))
    if done.tags:
        tags = how_many(done.tags, "tag")
        records = how_many(done.records, "new record")
        messages.success(request, f"{tags} published: {records} in the collection.")
    else:
        messages.info(request, "No accepted tag waits to be published.")
    return redirect("annotation:campaign", campaign.pk)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def limits(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = campaign_at(campaign_id)
    form = LimitsForm(request.POST or None, initial=vars(campaign))
    if request.method == "POST" and form.is_valid():
        managing.change_limits(campaign, form.limits())
        messages.success(request, "The limits are changed.")
        return redirect("annotation:campaign", campaign.pk)
    context = {"campaign": campaign, "form": form}
    return form_page(request, "annotation/campaign_limits.html", context)


@require_POST
@roles_required(Role.ADMIN)
def add_person(request: HttpRequest, campaign_id: int) -> HttpResponse:
    campaign = campaign_at(campaign_id)
    person = person_at(number_in(request.POST.get("person", "")) or 0)
    managing.add_person(campaign, person)
    messages.success(request, f"{person} annotates in this campaign now.")
    return redirect("annotation:campaign", campaign.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def remove_person(request: HttpRequest, campaign_id: int, person_id: int) -> HttpResponse:
    """Take a person out of the campaign; a page first says what becomes of the tags that they hold."""
    campaign, person, by = campaign_at(campaign_id), person_at(person_id), person_of(request)
    here = reverse("annotation:campaign", args=[campaign.pk])
    if request.method != "POST":
        key = open_work.key_of(campaign.pk, person.pk)
        held = [row for row in held_by(person, by) if row.key == key]
        sentence = "They get no more tags of “<bdi>{}</bdi>”. Their drafts are kept."
        note = format_html(sentence, campaign)
        act = "Remove from the campaign"
        return leaving_page(request, person, held, act, back=here, note=note)
    with settle_with(request, person):
        freed = assigning.remove_person(campaign, person, by=by)
    tags = f" {how_many(freed, 'tag is', 'tags are')} free again." if freed else ""
    messages.success(request, f"{person} is removed.{tags} Their drafts are kept.")
    return redirect(here)


def person_at(person_id: int) -> Person:
    people = Person.objects.filter(pk=person_id)
    return first_of(people, "There is no such person. Choose one from the list.")
