"""The list of reports, and a live report with its files."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from evaluation import files, listing
from evaluation.access import study_for
from evaluation.agreement_counts import CLUSTERS
from evaluation.agreement_report import Clustering
from evaluation.formats import sealed, text_of
from evaluation.layout import laid_out
from evaluation.reports import study_report
from pages.paging import page_of
from pages.twins import json_twin

READERS = (Role.RESEARCHER, Role.ADMIN)
# What a report's address says of its resampling.
CLUSTERING = ("cluster", "resamples", "seed")


@require_safe
@roles_required(*READERS)
def reports(request: HttpRequest) -> HttpResponse:
    page = page_of(request, listing.studies())
    entries = listing.entries(page.object_list, person_of(request))
    return render(request, "evaluation/reports.html", {"page": page, "entries": entries})


@require_safe
@roles_required(*READERS)
def report(request: HttpRequest, study_id: int) -> HttpResponse:
    study = study_for(person_of(request), study_id)
    frozen = study.snapshots.select_related("created_by")
    body = study_report(study, Clustering.read(request.GET))
    context = {
        "study": study,
        "snapshots": frozen,
        "clusters": CLUSTERS,
        "asked": request.GET.urlencode(),
        "frozen_with": request.GET.items(),
        **laid_out(body),
    }
    return render(request, "evaluation/report.html", context)


@require_safe
@roles_required(*READERS)
def report_json(request: HttpRequest, study_id: int) -> HttpResponse:
    return json_twin(
        study_report(study_for(person_of(request), study_id), Clustering.read(request.GET))
    )


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_csv(request: HttpRequest, study_id: int, sheet: str) -> HttpResponseBase:
    study = study_for(person_of(request), study_id)
    return files.sheet_file(study_report(study, Clustering.read(request.GET)), sheet, study.slug)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_chart(request: HttpRequest, study_id: int, key: str, form: str) -> HttpResponseBase:
    study = study_for(person_of(request), study_id)
    return files.chart_file(
        study_report(study, Clustering.read(request.GET)), key, form, study.slug
    )


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_bundle(request: HttpRequest, study_id: int) -> HttpResponseBase:
    """Rows, numbers, and the script that computes these from those."""
    study = study_for(person_of(request), study_id)
    text = text_of(sealed(study_report(study, Clustering.read(request.GET))))
    return files.bundle_file(study, text, study.slug)
