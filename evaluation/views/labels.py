"""The agreement in labels from elsewhere: pasted or chosen, computed, and forgotten."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.throttles import count_job
from evaluation.forms import LabelsForm
from evaluation.labels.file_agreement import LabelsAgreement
from evaluation.labels.labels_page import class_lines, lines, methods, sheet
from evaluation.views.reports import READERS
from pages.data_responses import csv_response, json_response


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(*READERS)
def agreement(request: HttpRequest) -> HttpResponseBase:
    if request.method != "POST":
        return _page(request, LabelsForm(), None)
    count_job(person_of(request), "downloads")
    form = LabelsForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, None, status=422)
    result = form.cleaned_data["result"]
    wanted = request.POST.get("as", "")
    if wanted == "json":
        answer = json_response(result)
        answer["Content-Disposition"] = 'attachment; filename="agreement.json"'
        return answer
    if wanted == "csv":
        return csv_response(request, *sheet(result), "agreement.csv")
    return _page(request, form, result)


def _page(
    request: HttpRequest, form: LabelsForm, result: LabelsAgreement | None, status: int = 200
) -> HttpResponse:
    context: dict[str, object] = {"form": form, "result": result}
    if result:
        every_line, classes = lines(result, everything=True), class_lines(result)
        context |= {
            "lines": lines(result, everything=False),
            "every_line": every_line,
            "classes": classes,
            "methods": methods([*every_line, *classes]),
            "chosen_file": bool(form.cleaned_data.get("file")),
        }
    return render(request, "evaluation/labels.html", context, status=status)
