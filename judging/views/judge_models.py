"""Judge models on a study's page: begun, cancelled, resumed, by admins whom nothing is hidden from."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import blindness, judgemodel
from judging.forms import JudgeModelForm
from judging.models import Study
from judging.tasks import wake
from judging.views.studies import study_page
from pages.counting import how_many


def _study(request: HttpRequest, study_id: int) -> Study:
    """The study, unless its results are hidden from this person: judge models are among its results."""
    found = get_object_or_404(Study.objects.select_related("rubric"), pk=study_id)
    blindness.require_results(person_of(request), found)
    return found


@require_POST
@roles_required(Role.ADMIN)
def begin(request: HttpRequest, study_id: int) -> HttpResponse:
    """Let a model judge."""
    found = _study(request, study_id)
    form = JudgeModelForm(request.POST, study=found)
    if form.is_valid():
        given = form.cleaned_data
        judge = judgemodel.begin(found, given["language_model"], given["prompts"])
        wake()
        messages.success(
            request,
            f"{judge.pseudonym} judges. Its verdicts come one by one, and stand in the report.",
        )
        return redirect("judging:study", found.pk)
    return study_page(request, found, model_form=form)


@require_POST
@roles_required(Role.ADMIN)
def cancel(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """Ask nothing more for this judge model."""
    found = _study(request, study_id)
    left = judgemodel.cancel(judgemodel.judge_named(found, judge_id))
    messages.success(request, f"Cancelled. Not judged: {how_many(left, 'response')}.")
    return redirect("judging:study", found.pk)


@require_POST
@roles_required(Role.ADMIN)
def resume(request: HttpRequest, study_id: int, judge_id: int) -> HttpResponse:
    """Ask again what failed or was cancelled."""
    found = _study(request, study_id)
    again = judgemodel.resume(judgemodel.judge_named(found, judge_id))
    wake()
    messages.success(request, f"Asked again about {how_many(again, 'response')}.")
    return redirect("judging:study", found.pk)
