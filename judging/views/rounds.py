"""The pages of further rounds, for admins: responses judged again, a model added, a closed study finished."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import blinding, rounds
from judging.forms.round_forms import AddedForm, AgainForm, ReopenForm
from judging.models import Study
from judging.published import over_study
from judging.views.study_page import study_page
from pages.refusals import form_page, refused_in

OPENED = "Round {n} is open. Its judges find their items under Judge."


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def again(request: HttpRequest, study_id: int) -> HttpResponse:
    """Open a round over responses of a closed study; with "try" show what it would make."""
    study = _study(request, study_id)
    form = AgainForm(request.POST or None, study=study)
    dry_run = None
    if form.is_valid():
        with refused_in(form):
            if "try" in request.POST:
                dry_run = rounds.would_judge_again(study, form.again(), form.round_plan())
            else:
                opened = rounds.judge_again(
                    study, form.again(), form.round_plan(), by=person_of(request)
                )
                messages.success(request, OPENED.format(n=opened.n))
                return redirect("judging:study", study.pk)
    context = {
        "study": study,
        "form": form,
        "dry_run": dry_run,
        "replaced": rounds.replaced(study),
        "published": over_study(study),
    }
    return form_page(request, "judging/round_again.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def added(request: HttpRequest, study_id: int) -> HttpResponse:
    """Open a round over responses that a closed study gets, with anchors; with "try" show what it would make."""
    study, person = _study(request, study_id), person_of(request)
    form = AddedForm(request.POST or None, study=study, person=person)
    dry_run = None
    if form.is_valid():
        with refused_in(form):
            if "try" in request.POST:
                dry_run = rounds.would_add_responses(study, form.added(), form.round_plan())
            else:
                opened = rounds.add_responses(study, form.added(), form.round_plan(), by=person)
                messages.success(request, OPENED.format(n=opened.n))
                return redirect("judging:study", study.pk)
    context = {"study": study, "form": form, "dry_run": dry_run, "published": over_study(study)}
    return form_page(request, "judging/round_added.html", context)


@require_POST
@roles_required(Role.ADMIN)
def reopen(request: HttpRequest, study_id: int) -> HttpResponse:
    """Let the judges of a closed study go on with what they did not come to."""
    study = get_object_or_404(Study.objects.select_related("rubric", "subset"), pk=study_id)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        return study_page(request, study, reopen_form=form)
    rounds.reopen(study, form.cleaned_data["reason"], by=person_of(request))
    messages.success(request, "The study is open again. Its judges go on under Judge.")
    return redirect("judging:study", study.pk)


def _study(request: HttpRequest, study_id: int) -> Study:
    """The study, if its verdicts are not hidden from the person: they are what a round is chosen by."""
    study = get_object_or_404(Study.objects.select_related("rubric", "subset"), pk=study_id)
    blinding.require_results(person_of(request), study)
    rounds.check_closed(study)
    return study
