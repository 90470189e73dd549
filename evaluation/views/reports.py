"""The list of reports, and a live report with its files."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from evaluation.access import study_for
from evaluation.archive.bundles import sealed, text_of
from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.counts.studies import entries, studies
from evaluation.report.layout import laid_out
from evaluation.report.shapes import Report
from evaluation.sections.clustering import Clustering
from evaluation.sections.study import study_report
from evaluation.views import files
from judging.models import Study
from pages.data_responses import json_response
from pages.paging import page_of

READERS = (Role.RESEARCHER, Role.ADMIN)
# What a report's address says of its resampling.
CLUSTERING = ("cluster", "resamples", "seed")


def live(request: HttpRequest, study_id: int) -> tuple[Study, Report]:
    """A study that the person may read, and its report as the address says."""
    study = study_for(person_of(request), study_id)
    return study, study_report(study, Clustering.read(request.GET))


@require_safe
@roles_required(*READERS)
def reports(request: HttpRequest) -> HttpResponse:
    page = page_of(request, studies())
    listed = entries(page.object_list, person_of(request))
    return render(request, "evaluation/reports.html", {"page": page, "entries": listed})


@require_safe
@roles_required(*READERS)
def report(request: HttpRequest, study_id: int) -> HttpResponse:
    study, body = live(request, study_id)
    context = {
        "study": study,
        "snapshots": study.snapshots.select_related("created_by"),
        "clusters": CLUSTERS,
        "asked": request.GET.urlencode(),
        "frozen_with": request.GET.items(),
        **laid_out(body),
    }
    return render(request, "evaluation/report.html", context)


@require_safe
@roles_required(*READERS)
def report_json(request: HttpRequest, study_id: int) -> HttpResponse:
    return json_response(live(request, study_id)[1])


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_csv(request: HttpRequest, study_id: int, sheet: str) -> HttpResponseBase:
    study, body = live(request, study_id)
    return files.sheet_file(body, sheet, study.slug)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_chart(request: HttpRequest, study_id: int, key: str, form: str) -> HttpResponseBase:
    study, body = live(request, study_id)
    return files.chart_file(body, key, form, study.slug)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def report_bundle(request: HttpRequest, study_id: int) -> HttpResponseBase:
    """Rows, numbers, and the script that computes these from those."""
    study, body = live(request, study_id)
    return files.bundle_file(study, text_of(sealed(body)), study.slug)
