"""Frozen reports."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.throttles import counted
from evaluation.access import snapshot_for, study_for
from evaluation.frozen import publishing, snapshots
from evaluation.models import ReportSnapshot
from evaluation.paper.citation import bibtex, plain
from evaluation.report.layout import laid_out
from evaluation.sections.clustering import Clustering
from evaluation.views import files
from evaluation.views.published import address_of
from evaluation.views.reports import READERS


@require_POST
@roles_required(*READERS)
def freeze(request: HttpRequest, study_id: int) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, study_id)
    frozen, made = snapshots.freeze(
        study,
        by=person,
        note=request.POST.get("note", ""),
        clustering=Clustering.read(request.POST),
        names=request.POST.dict(),
    )
    message = "The report is frozen." if made else "This report was frozen already; here it is."
    messages.success(request, message)
    return redirect("evaluation:snapshot", frozen.pk)


@require_safe
@roles_required(*READERS)
def snapshot(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    frozen = snapshot_for(person_of(request), snapshot_id)
    address = address_of(request, frozen)
    cited = snapshots.citation_of(frozen, address)
    context = {
        "study": frozen.study,
        "address": address,
        "plain": plain(cited),
        "bibtex": bibtex(cited),
        "snapshot": frozen,
        "changed": snapshots.has_changed(frozen),
        **laid_out(snapshots.report_of(frozen)),
    }
    return render(request, "evaluation/snapshot.html", context)


@require_safe
@roles_required(*READERS)
def snapshot_json(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    frozen = snapshot_for(person_of(request), snapshot_id)
    return HttpResponse(snapshots.text_of(frozen), content_type="application/json; charset=utf-8")


@require_safe
@roles_required(*READERS)
@counted("downloads")
def snapshot_csv(request: HttpRequest, snapshot_id: int, sheet: str) -> HttpResponseBase:
    frozen = snapshot_for(person_of(request), snapshot_id)
    return files.sheet_file(snapshots.report_of(frozen), sheet, stem_of(frozen))


@require_safe
@roles_required(*READERS)
@counted("downloads")
def snapshot_chart(request: HttpRequest, snapshot_id: int, key: str, form: str) -> HttpResponseBase:
    frozen = snapshot_for(person_of(request), snapshot_id)
    return files.chart_file(snapshots.report_of(frozen), key, form, stem_of(frozen))


@require_safe
@roles_required(*READERS)
@counted("downloads")
def snapshot_bundle(request: HttpRequest, snapshot_id: int) -> HttpResponseBase:
    frozen = snapshot_for(person_of(request), snapshot_id)
    assert frozen.study is not None
    return files.bundle_file(frozen.study, snapshots.text_of(frozen), stem_of(frozen))


@require_POST
@roles_required(*READERS)
def publish(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    person = person_of(request)
    frozen = snapshot_for(person, snapshot_id)
    publishing.publish(
        frozen,
        by=person,
        authors=request.POST.get("authors", ""),
        with_comments=request.POST.get("with_comments") == "on",
    )
    messages.success(request, "Whoever has the address below can read this report now.")
    return redirect("evaluation:snapshot", frozen.pk)


@require_POST
@roles_required(*READERS)
def unpublish(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    frozen = snapshot_for(person_of(request), snapshot_id)
    publishing.unpublish(frozen)
    messages.success(request, "The report is withdrawn; its address opens nothing any more.")
    return redirect("evaluation:snapshot", frozen.pk)


def stem_of(frozen: ReportSnapshot) -> str:
    """How the names of a frozen report's files begin."""
    assert frozen.study is not None
    return f"{frozen.study.slug}-snapshot-{frozen.pk}"
