"""A report for a paper: LaTeX tables with the names and the order that a researcher wants, and the methods."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import person_of, roles_required
from accounts.throttles import counted
from evaluation.access import snapshot_for
from evaluation.frozen import snapshots
from evaluation.paper.display import FORMS, read_display
from evaluation.paper.latex import latex
from evaluation.paper.methods import methods_paragraph
from evaluation.report.shapes import Report
from evaluation.views import files
from evaluation.views.reports import CLUSTERING, READERS, live
from evaluation.views.snapshots import stem_of
from judging.models import Study


@require_safe
@roles_required(*READERS)
def of_report(request: HttpRequest, study_id: int) -> HttpResponse:
    study, body = live(request, study_id)
    return _page(request, body, study)


@require_safe
@roles_required(*READERS)
@counted("downloads")
def tables_of_report(request: HttpRequest, study_id: int) -> HttpResponseBase:
    study, body = live(request, study_id)
    return _tables(request, body, study.slug)


@require_safe
@roles_required(*READERS)
def of_snapshot(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    frozen = snapshot_for(person_of(request), snapshot_id)
    return _page(request, snapshots.report_of(frozen))


@require_safe
@roles_required(*READERS)
@counted("downloads")
def tables_of_snapshot(request: HttpRequest, snapshot_id: int) -> HttpResponseBase:
    frozen = snapshot_for(person_of(request), snapshot_id)
    return _tables(request, snapshots.report_of(frozen), stem_of(frozen))


def _page(request: HttpRequest, body: Report, study: Study | None = None) -> HttpResponse:
    """`study` is the one whose report is not frozen, and can be from here, with what was chosen."""
    display = read_display(request.GET.dict(), body)
    context = {
        "report": body,
        "display": display,
        "forms": FORMS.items(),
        "latex": latex(body, display),
        "methods": methods_paragraph(body),
        "query": request.GET.urlencode(),
        # What the report was computed by travels with the names.
        "kept": [(name, request.GET[name]) for name in CLUSTERING if name in request.GET],
        "frozen_with": request.GET.items(),
        "live": study,
    }
    return render(request, "evaluation/paper.html", context)


def _tables(request: HttpRequest, body: Report, stem: str) -> HttpResponse:
    source = latex(body, read_display(request.GET.dict(), body))
    return files.attached(source, "application/x-tex; charset=utf-8", f"{stem}-tables.tex")
