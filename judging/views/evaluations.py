"""Importing a human evaluation that was published elsewhere."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from accounts.throttles import count_job
from datasets.readers.json_text import Unreadable
from judging.files.importing import ImportedEvaluation, import_human_evaluation
from judging.forms.study_forms import HumanEvaluationForm
from pages.counting import how_many
from pages.refusals import form_page, refused_in


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def import_evaluation(request: HttpRequest) -> HttpResponse:
    """Import a file as a new study; for a refused file the page lists every problem."""
    posted = request.method == "POST"
    form = HumanEvaluationForm(request.POST, request.FILES) if posted else HumanEvaluationForm()
    if form.is_valid():
        with refused_in(form, "name"), refused_in(form, "file", Unreadable):
            count_job(person_of(request), "imports")
            report = _imported(request, form)
            _report(request, report)
            return redirect("judging:study", report.study.pk)
    return form_page(request, "judging/import.html", {"form": form})


def _imported(request: HttpRequest, form: HumanEvaluationForm) -> ImportedEvaluation:
    entered = form.cleaned_data
    return import_human_evaluation(
        entered["file"].read(),
        entered["name"],
        source=entered["file"].name,
        by=person_of(request),
        allow_missing=entered["allow_missing"],
    )


def _report(request: HttpRequest, report: ImportedEvaluation) -> None:
    if not report.is_new:
        messages.success(
            request, "This file was imported before under this name; nothing was added."
        )
        return
    messages.success(
        request,
        f"Imported: {how_many(report.responses, 'response')} of {how_many(report.models, 'model')} to "
        f"{how_many(report.questions, 'question')}, {report.unlabelled} of them without a label.",
    )
    for sentence in report.missing:
        messages.warning(request, sentence)
    if report.kept:
        kept = ", ".join(
            f"{key} in {how_many(number, 'row')}" for key, number in sorted(report.kept.items())
        )
        messages.warning(
            request, f"Kept as in the file, because other rows here have another value: {kept}."
        )
