"""The list of reports, a live report, and the files of live and frozen ones."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from accounts.throttles import counted
from evaluation.counts.first_verdicts import CLUSTERS
from evaluation.counts.studies import entries, studies
from evaluation.report.layout import laid_out
from evaluation.views import files
from evaluation.views.source import READERS, asked, live
from pages.paging import page_of


@require_safe
@roles_required(*READERS)
def reports(request: HttpRequest) -> HttpResponse:
    page = page_of(request, studies())
    listed = entries(page.object_list, person_of(request))
    return render(request, "evaluation/reports.html", {"page": page, "entries": listed})


@require_safe
@roles_required(*READERS)
def report(request: HttpRequest, study_id: int) -> HttpResponse:
    source = live(request, study_id)
    context = {
        "study": source.study,
        "snapshots": source.study.snapshots.select_related("created_by"),
        "clusters": CLUSTERS,
        "asked": request.GET.urlencode(),
        "frozen_with": request.GET.items(),
        **laid_out(source.body),
    }
    return render(request, "evaluation/report.html", context)


# ---------------------------------------------------------------- of a live or a frozen report


@require_safe
@roles_required(*READERS)
def as_json(request: HttpRequest, **of: int) -> HttpResponse:
    return files.json_file(asked(request, **of).text)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def sheet(request: HttpRequest, sheet: str, **of: int) -> HttpResponseBase:
    source = asked(request, **of)
    return files.sheet_file(source.body, sheet, source.stem)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def chart(request: HttpRequest, key: str, form: str, **of: int) -> HttpResponseBase:
    source = asked(request, **of)
    return files.chart_file(source.body, key, form, source.stem)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def bundle(request: HttpRequest, **of: int) -> HttpResponseBase:
    """Rows, numbers, and the script that computes these from those."""
    source = asked(request, **of)
    return files.bundle_file(source.study, source.sealed_text, source.stem)
