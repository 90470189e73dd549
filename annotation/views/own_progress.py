"""An annotator's page of their own progress, and of what was accepted of a tag that they annotated."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from annotation.desk.draft_page import annotation_at
from annotation.desk.own_progress import campaigns_of, finished_annotations, outcome, own_progress
from annotation.forms import FinishedForm
from annotation.reviewing.accepted import AcceptedPage, answer_note, show_accepted
from annotation.reviewing.tags_in_round import InRound, tag_in_round
from leases.refusal import NotFoundHere, Refusal
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


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR)
def accepted(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """One's own annotation next to what was accepted, and the answer to the reviewer's note."""
    person = person_of(request)
    own = annotation_at(assignment_id, person)
    assert own.assignment is not None
    at = InRound(own.assignment.campaign_id, own.assignment.round, own.assignment.tag_id)
    typed = request.POST.get("answer", "")
    page = AcceptedPage(tag=tag_in_round(at), person=person, own=own, answer=typed)
    show_accepted(page, request.path)
    refusal = None
    if request.method == "POST":
        try:
            answer_note(page, typed, by=person)
            return redirect("annotation:accepted", assignment_id)
        except NotFoundHere:
            raise
        except Refusal as refused:
            refusal = refused
    context = {"desk": page, "refusal": refusal}
    status = refusal.status if refusal else 200
    return render(request, "annotation/accepted.html", context, status=status)
