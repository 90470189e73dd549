"""The annotator's queue: what to work on."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.access import person_of, roles_required
from accounts.audit import told
from accounts.roles import Role
from annotation.desk.own_queue import queue_of
from annotation.fields.form_input import number_in
from annotation.models import Assignment, Campaign
from annotation.workflow import claiming, undoing
from annotation.workflow.in_hand import HandsFull
from leases.refusal import Conflict


@require_GET
@roles_required(Role.ANNOTATOR)
def queue(request: HttpRequest) -> HttpResponse:
    person = person_of(request)
    context = {"queue": queue_of(person), "told": told(person), "undo": undoing.last_of(person)}
    return render(request, "annotation/queue.html", context)


@require_POST
@roles_required(Role.ANNOTATOR)
def undo(request: HttpRequest, annotation_id: int) -> HttpResponse:
    """Take back a submission and open it; the tag that came next stays in hand."""
    version = number_in(request.POST.get("version", ""))
    try:
        row = undoing.undo(
            annotation_id=annotation_id,
            by=person_of(request),
            version=-1 if version is None else version,
        )
    except Conflict as refusal:
        return to_queue(request, refusal)
    if row.assignment_id is None:
        return redirect("annotation:queue")
    messages.success(request, "Taken back: change it, then submit it again.")
    return redirect("annotation:annotate", row.assignment_id)


@require_POST
@roles_required(Role.ANNOTATOR)
def next_tag(request: HttpRequest) -> HttpResponse:
    """Claim the next tag, of one campaign if the form names it, and open it."""
    wanted = number_in(request.POST.get("campaign", ""))
    campaign = Campaign.objects.filter(pk=wanted).first() if wanted else None
    try:
        assignment = claiming.next_assignment(by=person_of(request), campaign=campaign)
    except HandsFull as refusal:
        return to_queue(request, refusal)
    if assignment is None:
        return none_left(request, campaign)
    return at_the_tag(assignment)


def at_the_tag(assignment: Assignment) -> HttpResponse:
    """The page of a tag, opened at the tagged block; its script would find that too."""
    return redirect(reverse("annotation:annotate", args=[assignment.pk]) + "#tagged-block")


def none_left(request: HttpRequest, campaign: Campaign | None) -> HttpResponse:
    messages.info(request, claiming.none_left(campaign))
    return redirect("annotation:queue")


def to_queue(request: HttpRequest, refusal: Conflict) -> HttpResponse:
    """The queue, with the reason why nothing else opens."""
    messages.error(request, refusal.message)
    return redirect("annotation:queue")


@require_POST
@roles_required(Role.ANNOTATOR)
def take_up(request: HttpRequest, annotation_id: int) -> HttpResponse:
    try:
        assignment = claiming.take_up(annotation_id=annotation_id, by=person_of(request))
    except HandsFull as refusal:
        return to_queue(request, refusal)
    return at_the_tag(assignment)
