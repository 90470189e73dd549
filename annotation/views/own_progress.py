"""An annotator's page of their own progress."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.access import person_of, roles_required
from accounts.roles import Role
from annotation.desk.own_progress import campaigns_of, finished_annotations, outcome, own_progress
from annotation.forms import FinishedForm
from pages.paging import ByKey, page_of


@require_GET
@roles_required(Role.ANNOTATOR)
def own(request: HttpRequest) -> HttpResponse:
    """What is done and left, the pace, and a list of what was submitted."""
    person = person_of(request)
    form = FinishedForm(request.GET, campaigns=campaigns_of(person))
    page = page_of(request, finished_annotations(person, form.wanted), pages=ByKey)
    context = {
        "own": own_progress(person),
        "form": form,
        "page": page,
        "rows": [outcome(annotation) for annotation in page],
        "is_narrowed": any(form.cleaned_data.values()),
    }
    return render(request, "annotation/progress.html", context)
