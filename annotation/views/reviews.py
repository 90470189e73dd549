"""A reviewer's pages: the list, and one annotation with its findings."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from annotation import review as verbs
from annotation.blinding.gate import check_annotations
from annotation.blinding.tags import hidden
from annotation.blinding.tags import shown as shown_to
from annotation.evidence.otherarticles import OtherArticles
from annotation.evidence.panes import Evidence
from annotation.fields.checks import check
from annotation.fields.draft_page import read_fields
from annotation.fields.entries import entries_of
from annotation.fields.form_input import number, plain
from annotation.models import Annotation
from annotation.review import Notes
from annotation.states import AnnotationState
from leases.refusal import NotFoundHere, Refusal
from leases.rows import first_of
from pages.paging import page_of

STATES = tuple(state for state in AnnotationState if state != AnnotationState.DRAFT)


@require_GET
@roles_required(Role.ADMIN)
def reviews(request: HttpRequest) -> HttpResponse:
    """Annotations by state, those that wait for a decision first."""
    wanted = request.GET.get("state", AnnotationState.SUBMITTED)
    state = AnnotationState(wanted) if wanted in STATES else AnnotationState.SUBMITTED
    in_state, person = Annotation.objects.filter(state=state), person_of(request)
    if request.GET.get("hidden") == "show":
        check_annotations(person, in_state)
    rows = shown_to(person, in_state).select_related(
        "author", "sighting__tag__article", "assignment__campaign"
    )
    counts = [(each, Annotation.objects.filter(state=each).count()) for each in STATES]
    context = {
        "page": page_of(request, rows.order_by("submitted_at")),
        "state": state,
        "counts": counts,
        "hidden": hidden(person, in_state).count(),
    }
    return render(request, "annotation/reviews.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(Role.ADMIN)
def review(request: HttpRequest, annotation_id: int) -> HttpResponse:
    """One annotation, and the decision on it."""
    annotation = annotation_at(annotation_id)
    check_annotations(person_of(request), Annotation.objects.filter(pk=annotation_id))
    if request.method == "GET":
        return shown(request, annotation)
    try:
        decision = decided(request, annotation)
    except Refusal as refusal:
        if isinstance(refusal, NotFoundHere):
            raise
        annotation = annotation_at(annotation_id)
        return shown(request, annotation, refusal)
    messages.success(request, f"{decision}: {annotation.sighting.tag}.")
    following = verbs.waiting_for(person_of(request)).first()
    return (
        redirect("annotation:review", following.pk) if following else redirect("annotation:reviews")
    )


def decided(request: HttpRequest, annotation: Annotation) -> str:
    version = number(request.POST.get("version", ""))
    notes = {
        plain(name.removeprefix("note-")): str(note)
        for name, note in request.POST.items()
        if name.startswith("note-")
    }
    kept = verbs.decide(
        annotation_id=annotation.pk,
        by=person_of(request),
        version=-1 if version is None else version,
        decision=request.POST.get("decision", ""),
        notes=Notes(request.POST.get("note", ""), notes),
    )
    return kept.get_decision_display()


def annotation_at(annotation_id: int) -> Annotation:
    rows = Annotation.objects.filter(pk=annotation_id).exclude(state=AnnotationState.DRAFT)
    related = ("author", "sighting__tag__article__wiki", "sighting__revision", "assignment")
    missing = "There is no such annotation, or it is not submitted yet."
    return first_of(rows.select_related(*related), missing)


def with_notes(annotation: Annotation, typed: QueryDict) -> list[tuple[str, list[Any]]]:
    """The fields to read, each with its typed note, which a refused decision keeps."""
    return [
        (title, [(one, words, typed.get(f"note-{one.name}", "")) for one, words in fields])
        for title, fields in read_fields(annotation)
    ]


def shown(
    request: HttpRequest, annotation: Annotation, refusal: Refusal | None = None
) -> HttpResponse:
    entries = entries_of(annotation)
    ticked = {key for key, _ in annotation.checked_warnings}
    is_own = not verbs.may_review(annotation, person_of(request))
    context = {
        "annotation": annotation,
        "evidence": Evidence(annotation.sighting),
        "others": OtherArticles(annotation, request.GET.get("other", "")),
        "parts": with_notes(annotation, request.POST),
        "pair": [
            entries[f"passage_{n}_standalone"] or entries[f"passage_{n}_copied"] for n in (1, 2)
        ],
        "findings": [(finding, finding.key in ticked) for finding in check(entries)],
        "is_own": is_own,
        "may_decide": not is_own
        and annotation.state in (AnnotationState.SUBMITTED, AnnotationState.ACCEPTED),
        "may_accept": annotation.state == AnnotationState.SUBMITTED,
        "history": annotation.reviews.select_related("reviewer"),
        "refusal": refusal,
        "typed": request.POST,
    }
    return render(
        request, "annotation/review.html", context, status=refusal.status if refusal else 200
    )
