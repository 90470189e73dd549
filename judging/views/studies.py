"""The pages of studies, for admins (who make, open and close them) and researchers (who read)."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from judging import blindness, exporting, progress, studies
from judging.forms import JudgeModelForm, JudgesForm, StudyForm, answered_runs
from judging.models import Study
from judging.overviews import flagged, judge_models, naming, unresolved_page
from judging.resolution import WAYS
from leases.refusal import Refusal
from pages.counting import how_many
from pages.paging import page_of


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest) -> HttpResponse:
    """All studies, newest first."""
    page = page_of(request, Study.objects.select_related("created_by"))
    rows = [(study, progress.of_study(study), study.items.count()) for study in page]
    may_create = person_of(request).has_role(Role.ADMIN)
    context = {"page": page, "rows": rows, "may_create": may_create}
    return render(request, "judging/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def new(request: HttpRequest) -> HttpResponse:
    """Make a study over finished responses."""
    person = person_of(request)
    given = request.POST if request.method == "POST" else None
    form = StudyForm(given, person=person, initial={"runs": request.GET.getlist("run")})
    if form.is_valid():
        selection, name = form.selection(), form.cleaned_data["name"]
        try:
            study = studies.create(name, selection, form.design(), by=person)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
        else:
            if left_out := selection.left_out():
                messages.warning(
                    request, f"Left out, as not finished: {how_many(left_out, 'chosen response')}."
                )
            return redirect("judging:study", study.pk)
    context = {"form": form, "none_answered": not answered_runs(person).exists()}
    return render(request, "judging/study_new.html", context, status=400 if form.errors else 200)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def study(request: HttpRequest, study_id: int) -> HttpResponse:
    """One study; what its own judges may not see while it is open is left out for them."""
    found = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    return study_page(request, found)


@require_POST
@roles_required(Role.ADMIN)
def open_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """Fix the responses and give the judges their items."""
    found = get_object_or_404(Study, pk=study_id)
    form = JudgesForm(request.POST)
    if form.is_valid():
        try:
            studies.open_study(found, list(form.cleaned_data["judges"]))
        except Refusal as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, "The study is open. Its judges find their items under Judge.")
            return redirect("judging:study", found.pk)
    found.refresh_from_db()
    return study_page(request, found, form)


@require_POST
@roles_required(Role.ADMIN)
def close_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """End the judging."""
    found = get_object_or_404(Study, pk=study_id)
    locked = studies.close_study(found)
    messages.success(
        request, f"The study is closed, and {how_many(locked, 'more verdict')} locked."
    )
    return redirect("judging:study", found.pk)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
@counted("downloads")
def export(request: HttpRequest, study_id: int, form: str) -> HttpResponseBase:
    """The study as a file, with all its responses and verdicts."""
    found = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    blindness.require_results(person_of(request), found)
    way = exporting.format_named(form)
    response = StreamingHttpResponse(way.chunks(found), content_type=way.content_type)
    response["Content-Disposition"] = f'attachment; filename="{found.slug}{way.suffix}"'
    return response


def study_page(
    request: HttpRequest,
    found: Study,
    form: JudgesForm | None = None,
    model_form: JudgeModelForm | None = None,
) -> HttpResponse:
    """The page of a study, with the form that was just refused as it was filled in."""
    person = person_of(request)
    form = form or JudgesForm()
    hidden = blindness.results_problem(person, found)
    context: dict[str, Any] = {
        "study": found,
        "hidden": hidden,
        "way": WAYS.get(found.resolved_by, found.get_resolved_by_display()),
        "form": form,
        "is_admin": person.has_role(Role.ADMIN),
        "judges": progress.by_judge(found),
        "progress": progress.of_study(found),
        "responses": found.items.count(),
    }
    if hidden is None:
        context |= {
            "composition": studies.composition(found),
            "settled": progress.responses_settled(found),
            "unresolved": unresolved_page(request, found),
            "naming": naming(found),
            "flagged": flagged(found),
            "exports": exporting.formats_of(found),
            "judge_models": judge_models(found),
            "model_form": model_form or JudgeModelForm(study=found),
        }
    refused = form.errors or (model_form is not None and model_form.errors)
    return render(request, "judging/study.html", context, status=400 if refused else 200)
