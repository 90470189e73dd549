"""Pages of one campaign: its progress and what waits for a person, for admins; its files, for researchers too."""

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from annotation.blinding.gate import check_annotations, show_annotations
from annotation.blinding.hiding import hidden_from
from annotation.exporting.annotation_records import submitted_once
from annotation.exporting.campaign_files import EXPORTS, export_named
from annotation.models import Annotation
from annotation.monitoring import attention, worktime
from annotation.monitoring.campaign_figures import agreement_so_far, campaign_progress
from annotation.views.campaigns import campaign_at
from datasets.exporters.export_files import sha256_of
from pages.data_responses import csv_response
from pages.paging import ByKey, page_of


@require_safe
@roles_required(Role.ADMIN)
def progress(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """A campaign in numbers, its people, and the assignments that need a person."""
    campaign = campaign_at(campaign_id)
    why = request.GET.get("why", "")
    why = why if why in attention.Concern.values else ""
    person = person_of(request)
    page = page_of(request, attention.concerning_assignments(campaign, why), pages=ByKey)
    on_page = Annotation.objects.filter(assignment__in=[place.pk for place in page])
    is_blind = hidden_from(person, submitted_once(campaign)).exists()
    figures, people = campaign_progress(campaign)
    context = {
        "campaign": campaign,
        "figures": figures,
        "people": people,
        # What others entered can be read from such shares by somebody who may still annotate their tags.
        "is_blind": is_blind,
        "agreement": []
        if is_blind
        else [line for lines in agreement_so_far(campaign) for line in lines],
        "hidden": set(hidden_from(person, on_page).values_list("assignment", flat=True)),
        "kinds": attention.concern_counts(campaign),
        "why": why,
        "page": page,
        "rows": [(place, attention.Concern(place.why)) for place in page],
    }
    return render(request, "annotation/campaign_progress.html", context)


@require_safe
@roles_required(Role.ADMIN)
@counted("downloads")
def timesheet(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    campaign = campaign_at(campaign_id)
    rows = worktime.timesheet(campaign)
    return csv_response(request, worktime.TIMESHEET, rows, f"campaign-{campaign.pk}-timesheet.csv")


@require_safe
@roles_required(Role.ADMIN)
@counted("downloads")
def times(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    """Active minutes by tag and person, as CSV, with what became of each annotation."""
    campaign = campaign_at(campaign_id)
    check_annotations(person_of(request), submitted_once(campaign))
    return csv_response(
        request, worktime.TIMES, worktime.times(campaign), f"campaign-{campaign.pk}-times.csv"
    )


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def exports(request: HttpRequest, campaign_id: int) -> HttpResponse:
    context = {"campaign": campaign_at(campaign_id), "exports": EXPORTS.values()}
    return render(request, "annotation/campaign_exports.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def export(request: HttpRequest, campaign_id: int, name: str) -> HttpResponseBase:
    return campaign_file(request, campaign_id, name)


@counted("downloads")
def campaign_file(request: HttpRequest, campaign_id: int, name: str) -> HttpResponseBase:
    """The file, with its sha256 as ETag; 304 where the reader has it already."""
    campaign, chosen = campaign_at(campaign_id), export_named(name)
    show_annotations(person_of(request), submitted_once(campaign), request.path)
    file = chosen.open(campaign)
    etag = quote_etag(sha256_of(file))
    if unchanged := get_conditional_response(request, etag=etag):
        file.close()
        unchanged["ETag"] = etag
        return unchanged
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"campaign-{campaign.pk}-{chosen.name}",
        content_type=chosen.content_type,
        headers={"ETag": etag},
    )
