"""Judge models on a study's page: started, cancelled and resumed by admins who may see its results."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from generation.asking.dispatch import wake
from judging import blinding
from judging.forms.judge_model_forms import JudgeModelForm
from judging.machine import control
from judging.models import Study
from judging.views.study_page import study_page
from pages.counting import how_many


def _study(request: HttpRequest, study_id: int) -> Study:
    """The study, unless its results are hidden from this person: judge models are part of its results."""
    study = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    blinding.require_results(person_of(request), study)
    return study


@require_POST
@roles_required(Role.ADMIN)
def begin(request: HttpRequest, study_id: int) -> HttpResponse:
    """Let a model judge."""
    study = _study(request, study_id)
    form = JudgeModelForm(request.POST, study=study)
    if form.is_valid():
        entered = form.cleaned_data
        judge = control.begin(
            study,
            entered["language_model"],
            entered["prompts"],
            entered["half"],
            entered["judge_prompt"],
        )
        wake()
        messages.success(
            request,
            f"{judge.pseudonym} is judging. Its verdicts appear one by one in the report.",
        )
        return redirect("judging:study", study.pk)
    return study_page(request, study, model_form=form)


@require_POST
@roles_required(Role.ADMIN)
def cancel(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """Send this judge model no more requests."""
    study = _study(request, study_id)
    left = control.cancel(control.judge_named(study, judge_id))
    messages.success(request, f"Cancelled. Not judged: {how_many(left, 'response')}.")
    return redirect("judging:study", study.pk)


@require_POST
@roles_required(Role.ADMIN)
def resume(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """Ask again what failed or was cancelled."""
    study = _study(request, study_id)
    again = control.resume(control.judge_named(study, judge_id))
    wake()
    messages.success(request, f"Asked again about {how_many(again, 'response')}.")
    return redirect("judging:study", study.pk)
