"""Forget a person, after a page that shows what is deleted and what stays."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.audit import Kind, record
from accounts.models import Person
from accounts.roles import Role
from annotation.blinding.gate import show_annotations
from datasets.blinding import show
from judging.queues import studies_of
from judging.states import StudyState
from operations import forgetting
from operations.forgetting import Fate
from operations.forms import ForgetForm


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADMIN)
def forget(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what is deleted and what stays; forget the person once their sign-in name is typed."""
    someone = get_object_or_404(Person, pk=pk)
    forgetting.check_forgettable(someone)
    form = ForgetForm(request.POST or None, person=someone)
    if request.method == "POST" and form.is_valid():
        forgetting.forget(someone, by=person_of(request))
        messages.success(request, f"Forgotten. What was entered stays under {someone.pseudonym}.")
        return redirect("accounts:person", pk=pk)
    counted = [(each, each.rows.count()) for each in forgetting.holdings(someone)]
    context = {
        "someone": someone,
        "form": form,
        "going": [(each, n) for each, n in counted if n and each.fate != Fate.STAYS],
        "staying": [(each, n) for each, n in counted if n and each.fate == Fate.STAYS],
        "open_studies": studies_of(someone).filter(state=StudyState.OPEN),
    }
    status = 422 if form.errors else 200
    return render(request, "operations/forget.html", context, status=status)


@require_safe
@roles_required(Role.ADMIN)
def own_data(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """Everything that a person entered, as one JSON file; verdicts of closed studies only."""
    someone, by = get_object_or_404(Person, pk=pk), person_of(request)
    show_annotations(by, forgetting.annotations_in_data_of(someone), request.path)
    show(by, forgetting.records_in_data_of(someone), request.path)
    record(Kind.EXPORT, by, "what a person entered", person=someone)
    pieces = forgetting.own_data(someone, only_closed_studies=True)
    response = StreamingHttpResponse(pieces, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, f"{someone.pseudonym}.json")
    return response
