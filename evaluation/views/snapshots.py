"""Frozen reports."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.access import person_of, roles_required
from evaluation.access import snapshot_for, study_for
from evaluation.archive.bundles import is_read
from evaluation.frozen import publishing, snapshots
from evaluation.report.layout import laid_out
from evaluation.sections.clustering import Clustering
from evaluation.views.published import cited
from evaluation.views.reports import READERS, for_researchers


@require_POST
@roles_required(*READERS)
def freeze(request: HttpRequest, study_id: int) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, study_id)
    kept, made = snapshots.freeze(
        study,
        by=person,
        note=request.POST.get("note", ""),
        clustering=Clustering.from_query(request.POST),
        names=request.POST.dict(),
    )
    message = "The report is frozen." if made else "This report was frozen already; here it is."
    messages.success(request, message)
    return redirect("evaluation:snapshot", kept.pk)


@for_researchers
def snapshot(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    shown = snapshot_for(person_of(request), snapshot_id)
    context = {"study": shown.study, **cited(request, shown)}
    if not is_read(shown.body):
        return render(request, "evaluation/snapshot_as_file.html", context)
    context |= {
        "changed": snapshots.has_changed(shown),
        **laid_out(snapshots.report_of(shown), request.GET),
    }
    return render(request, "evaluation/snapshot.html", context)


@require_POST
@roles_required(*READERS)
def publish(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    person = person_of(request)
    publishing.publish(
        snapshot_for(person, snapshot_id),
        by=person,
        authors=request.POST.get("authors", ""),
        with_comments=request.POST.get("with_comments") == "on",
    )
    messages.success(request, "Anyone with the address below can read this report now.")
    return redirect("evaluation:snapshot", snapshot_id)


@require_POST
@roles_required(*READERS)
def unpublish(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    publishing.unpublish(snapshot_for(person_of(request), snapshot_id))
    messages.success(request, "The report is withdrawn; its address opens nothing any more.")
    return redirect("evaluation:snapshot", snapshot_id)
