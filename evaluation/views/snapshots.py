"""Frozen reports."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, roles_required
from datasets.releasing.forms import WithdrawForm
from evaluation.access import snapshot_for, study_for
from evaluation.archive.bundles import is_read
from evaluation.frozen import publishing, snapshots
from evaluation.report.layout import laid_out
from evaluation.sections.clustering import Clustering
from evaluation.views.published import cited
from evaluation.views.reports import READERS, for_researchers
from judging.states import StudyState
from pages.refusals import form_page, refused_in


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
    if not shown.public and shown.study.state == StudyState.CLOSED:
        context["forgotten"] = publishing.forgotten_in(shown)
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


@require_http_methods(["GET", "POST"])
@roles_required(*READERS)
def unpublish(request: HttpRequest, snapshot_id: int) -> HttpResponse:
    """Ask for the reason, and withdraw the report from its address."""
    person = person_of(request)
    shown = snapshot_for(person, snapshot_id)
    form = WithdrawForm(request.POST if request.method == "POST" else None)
    if not shown.public:
        messages.success(request, "The report is not published, or withdrawn already.")
        return redirect("evaluation:snapshot", snapshot_id)
    if form.is_valid():
        with refused_in(form, "reason"):
            publishing.unpublish(shown, reason=form.cleaned_data["reason"], by=person)
            messages.success(request, "The report is withdrawn. Its address says so, and why.")
            return redirect("evaluation:snapshot", snapshot_id)
    context = {"study": shown.study, "snapshot": shown, "form": form}
    return form_page(request, "evaluation/withdraw.html", context)
