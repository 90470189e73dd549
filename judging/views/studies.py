"""The pages of studies, for admins (who make, open and close them) and researchers (who read)."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import counted
from judging import blinding, progress, studies
from judging.files import exporting
from judging.forms import JudgeModelForm, JudgesForm, StudyForm, answered_runs
from judging.machine import control
from judging.models import Judge, JudgingSlot, Study, StudyItem
from judging.rules import rubric
from judging.rules.resolution import WAYS
from judging.settling import first_verdicts, unresolved
from pages.counting import how_many
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def index(request: HttpRequest) -> HttpResponse:
    """All studies, newest first."""
    page = page_of(request, Study.objects.select_related("created_by"))
    counts = progress.of_studies(page)
    items = StudyItem.objects.filter(study__in=counts).order_by().values_list("study")
    sizes = dict(items.annotate(n=Count("pk")))
    rows = [(study, counts[study.pk], sizes.get(study.pk, 0)) for study in page]
    may_create = person_of(request).has_role(Role.ADMIN)
    context = {"page": page, "rows": rows, "may_create": may_create}
    return render(request, "judging/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def new(request: HttpRequest) -> HttpResponse:
    """Make a study over finished responses."""
    person = person_of(request)
    entered = request.POST if request.method == "POST" else None
    form = StudyForm(entered, person=person, initial={"runs": request.GET.getlist("run")})
    if form.is_valid():
        selection, name = form.selection(), form.cleaned_data["name"]
        with refused_in(form):
            study = studies.create(name, selection, form.design(), by=person)
            if left_out := selection.left_out():
                messages.warning(
                    request, f"Left out, as not finished: {how_many(left_out, 'chosen response')}."
                )
            return redirect("judging:study", study.pk)
    context = {"form": form, "none_answered": not answered_runs(person).exists()}
    return form_page(request, "judging/study_new.html", context)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
def study(request: HttpRequest, study_id: int) -> HttpResponse:
    """One study; its own judges do not see its results while it is open."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    return study_page(request, study)


@require_POST
@roles_required(Role.ADMIN)
def open_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """Fix the responses and give the judges their items."""
    study = get_object_or_404(Study, pk=study_id)
    form = JudgesForm(request.POST)
    if form.is_valid():
        with refused_in(form):
            studies.open_study(study, list(form.cleaned_data["judges"]))
            messages.success(request, "The study is open. Its judges find their items under Judge.")
            return redirect("judging:study", study.pk)
    study.refresh_from_db()
    return study_page(request, study, form)


@require_POST
@roles_required(Role.ADMIN)
def close_study(request: HttpRequest, study_id: int) -> HttpResponse:
    """End the judging."""
    study = get_object_or_404(Study, pk=study_id)
    locked = studies.close_study(study)
    messages.success(
        request, f"The study is closed, and {how_many(locked, 'more verdict')} locked."
    )
    return redirect("judging:study", study.pk)


@require_safe
@roles_required(Role.ADMIN, Role.RESEARCHER)
@counted("downloads")
def export(request: HttpRequest, study_id: int, form: str) -> HttpResponseBase:
    """The study as a file, with all its responses and verdicts."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    blinding.require_results(person_of(request), study)
    chosen = exporting.format_named(form)
    response = StreamingHttpResponse(chosen.chunks(study), content_type=chosen.content_type)
    response["Content-Disposition"] = f'attachment; filename="{study.slug}{chosen.suffix}"'
    return response


def study_page(
    request: HttpRequest,
    study: Study,
    form: JudgesForm | None = None,
    model_form: JudgeModelForm | None = None,
) -> HttpResponse:
    """The page of a study; a refused form keeps what was entered."""
    person = person_of(request)
    form = form or JudgesForm()
    hidden = blinding.results_problem(person, study)
    context: dict[str, Any] = {
        "study": study,
        "hidden": hidden,
        "way": WAYS.get(study.resolved_by, study.get_resolved_by_display()),
        "form": form,
        "is_admin": person.has_role(Role.ADMIN),
        "judges": progress.by_judge(study),
        "progress": progress.of_study(study),
        "responses": study.items.count(),
    }
    if hidden is None:
        blinding.require_records(person, study)
        context |= {
            "composition": studies.composition(study),
            "settled": progress.responses_settled(study),
            "unresolved": unresolved_page(request, study),
            "naming": naming(study),
            "flagged": flagged(study),
            "exports": exporting.formats_of(study),
            "judge_models": judge_models(study),
            "model_form": model_form or JudgeModelForm(study=study),
        }
    refused = form.errors or (model_form is not None and model_form.errors)
    return render(request, "judging/study.html", context, status=400 if refused else 200)


# ---------------------------------------------------------------- lists, for people who do not judge in the study


@dataclass(frozen=True)
class UnresolvedRow:
    """A response that waits for a third person, with its judges' verdicts."""

    item: StudyItem
    prompt_label: str
    verdicts: tuple[str, ...]


def unresolved_page(request: HttpRequest, study: Study) -> Page[Any]:
    """One page of the responses that wait for a third person; only the verdicts of this page are read."""
    items = unresolved(study).select_related("response__instance__contradiction", "response__model")
    page = page_of(request, items)
    known = rubric.parse(study.rubric.body)
    page.object_list = [
        UnresolvedRow(
            item,
            known.prompts[item.response.prompt].label,
            tuple(
                known.label(verdict) if verdict else "No verdict"
                for verdict in first_verdicts(item)
            ),
        )
        for item in page.object_list
    ]
    return page


def naming(study: Study) -> list[StudyItem]:
    """The responses that name their own model, so that their judges were not blind."""
    items = study.items.filter(names_its_model=True)
    return list(items.select_related("response__instance", "response__model"))


def flagged(study: Study) -> list[JudgingSlot]:
    """The slots that judges flagged or skipped, with their notes."""
    slots = JudgingSlot.objects.filter(round__study=study)
    marked = slots.filter(flagged=True) | slots.exclude(skip_reason="")
    return list(marked.select_related("judge", "item__response__instance"))


@dataclass(frozen=True)
class JudgeModelRow:
    """A judge model of a study: its progress, and why responses failed or wait."""

    judge: Judge
    progress: control.MachineProgress
    reasons: list[tuple[str, int]]

    @property
    def may_resume(self) -> bool:
        left = self.progress.failed + self.progress.cancelled
        return bool(left and self.judge.model and self.judge.model.service)


def judge_models(study: Study) -> list[JudgeModelRow]:
    """The study's judge models, imported ones included."""
    return [
        JudgeModelRow(judge, control.progress(judge), control.reasons(judge))
        for judge in control.judges_of(study)
    ]
