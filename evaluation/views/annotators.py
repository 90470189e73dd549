"""Agreement of the annotators of a campaign: page, files, and the comparisons counted."""

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from rest_framework.request import Request

from accounts.access import person_of
from accounts.roles import Role
from accounts.throttles import counted
from annotation.blinding.gate import check_annotations
from annotation.blinding.seeing import keep_views
from annotation.models import Campaign
from evaluation.annotators import compared_rows
from evaluation.annotators.campaign import campaign_agreement
from evaluation.annotators.entered import populations, submitted_in
from evaluation.tables import annotators as tables
from evaluation.tables.report_words import in_its_words
from evaluation.tables.sheet import sheet_of
from evaluation.views.reports import for_researchers
from leases.rows import first_of
from pages.data_responses import csv_response, json_response
from pages.paging import page_of


def campaign_at(request: HttpRequest | Request, campaign_id: int) -> Campaign:
    """The campaign; asks first where the reader may still annotate tags that others have submitted."""
    campaign = first_of(Campaign.objects.filter(pk=campaign_id), "There is no such campaign.")
    check_annotations(person_of(request), submitted_in(campaign))
    return campaign


def keep_tags(request: HttpRequest | Request, campaign: Campaign, tags: set[int]) -> None:
    """Record that the person is shown what was entered for these tags of the campaign."""
    entered = submitted_in(campaign).filter(sighting__tag__in=tags)
    keep_views(person_of(request), entered, request.path)


@for_researchers
def agreement(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Every population in short, and the chosen one in full."""
    campaign = campaign_at(request, campaign_id)
    report = campaign_agreement(campaign)
    context: dict[str, object] = {"campaign": campaign, "report": report}
    asked = request.GET.get("round", ""), request.GET.get("stage", "")
    if found := tables.chosen(report, *asked):
        n, stage = found
        report, stage = in_its_words([report, stage], report["interval"]["cluster"])
        context |= {"overview": tables.overview(report), "shown": tables.population(n, stage)}
    return render(request, "evaluation/annotators.html", context)


@for_researchers
def as_json(request: HttpRequest, campaign_id: int) -> HttpResponse:
    return json_response(campaign_agreement(campaign_at(request, campaign_id)))


@for_researchers
@counted("downloads")
def as_csv(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    sheet = sheet_of([tables.every_measure(campaign_agreement(campaign_at(request, campaign_id)))])
    return csv_response(request, sheet.header, sheet.rows, f"campaign-{campaign_id}-agreement.csv")


@for_researchers
def compared(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """The comparisons that a number counts."""
    campaign = campaign_at(request, campaign_id)
    choice = compared_rows.ComparisonChoice.from_query(request.GET)
    found = compared_rows.chosen(populations(campaign), choice)
    page = page_of(request, found)
    keep_tags(request, campaign, {row.comparison.first.tag_id for row in page})
    context = {
        "campaign": campaign,
        "page": page,
        "tags": len({(row.comparison.first.round, row.comparison.first.tag) for row in found}),
        "choice": choice,
        "kept": [(name, value) for name, value in asdict(choice).items() if name != "differ"],
        "measure": tables.label_of(choice.measure or "validity"),
        "stage": tables.STAGES[choice.stage or "before"],
        "may_review": person_of(request).has_role(Role.ADMIN),
    }
    return render(request, "evaluation/annotators_rows.html", context)


@for_researchers
@counted("downloads")
def compared_csv(request: HttpRequest, campaign_id: int) -> HttpResponseBase:
    return compared_file(request, campaign_id)


def compared_file(request: HttpRequest | Request, campaign_id: int) -> HttpResponseBase:
    """Every comparison of two annotators on a tag of the campaign, as CSV."""
    campaign = campaign_at(request, campaign_id)
    rounds = populations(campaign)
    keep_tags(request, campaign, compared_rows.compared_tags(rounds))
    return csv_response(
        request,
        compared_rows.COLUMNS,
        compared_rows.table(rounds),
        f"campaign-{campaign_id}-comparisons.csv",
        is_data=True,
    )
