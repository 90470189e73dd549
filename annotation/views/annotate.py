"""The annotator's pages: the queue, and the tag with its evidence next to the six steps."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation import campaigns, workflow
from annotation.draft_page import DraftPage, annotation_at, compared, read_fields, step_to_resume
from annotation.entries import entries_of
from annotation.form_input import Reading, number, read_form
from annotation.guidelines import ANCHORS, rendered
from annotation.models import Annotation, Campaign, Guideline
from annotation.progress import queue_of
from annotation.steps import QUESTIONS, STEPS
from annotation.workflow import EDITABLE, Place
from leases.refusal import NotFoundHere, Refusal, StaleVersion
from leases.rows import first_of


@require_GET
@roles_required(Role.ANNOTATOR)
def queue(request: HttpRequest) -> HttpResponse:
    """The person's drafts, waiting tags, and finished work."""
    return render(request, "annotation/queue.html", {"queue": queue_of(person_of(request))})


@require_POST
@roles_required(Role.ANNOTATOR)
def next_tag(request: HttpRequest) -> HttpResponse:
    """Claim the next tag, of one campaign if the form names it, and open it."""
    wanted = number(request.POST.get("campaign", ""))
    campaign = Campaign.objects.filter(pk=wanted).first() if wanted else None
    assignment = campaigns.next_assignment(by=person_of(request), campaign=campaign)
    if assignment is None:
        messages.info(request, "There is no tag left for you now. New campaigns will show here.")
        return redirect("annotation:queue")
    return redirect("annotation:annotate", assignment.pk)


@require_POST
@roles_required(Role.ANNOTATOR)
def take_up(request: HttpRequest, annotation_id: int) -> HttpResponse:
    """Claim an assignment again for a handed-back draft."""
    assignment = campaigns.take_up(annotation_id=annotation_id, by=person_of(request))
    return redirect("annotation:annotate", assignment.pk)


@require_GET
@roles_required(Role.ANNOTATOR, Role.ADMIN)
def guideline(request: HttpRequest, version: str) -> HttpResponse:
    """One version of the guideline."""
    rows = Guideline.objects.filter(version=version)
    row = first_of(rows, "There is no such version of the guideline.")
    parts = rendered(row.body)
    shown = [(anchor, parts[anchor]) for anchor in ANCHORS if anchor in parts]
    return render(request, "annotation/guideline.html", {"guideline": row, "parts": shown})


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR)
def annotate(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """The tag next to the form. Every button of the form saves first, then does its action."""
    annotation = annotation_at(assignment_id, person_of(request))
    if annotation.state not in EDITABLE and request.method == "GET":
        context = {"annotation": annotation, "parts": read_fields(annotation)}
        return render(request, "annotation/handed_in.html", context)
    if request.method == "GET":
        return shown(request, DraftPage(annotation, entries_of(annotation)))
    posted = Posted.of(request, annotation)
    verb, _, argument = request.POST.get("action", "save").partition(":")
    if posted.reading.problems:
        return refused_reading(request, posted)
    try:
        return ACTIONS.get(verb, save)(request, posted, argument)
    except StaleVersion as stale:
        return conflicting(request, posted, stale)


@dataclass(frozen=True)
class Posted:
    """A posted form: its annotation, the version it was made from, and the parsed input."""

    annotation: Annotation
    by: Person
    version: int
    reading: Reading
    place: Place

    @classmethod
    def of(cls, request: HttpRequest, annotation: Annotation) -> "Posted":
        version = number(request.POST.get("version", ""))
        seconds = number(request.POST.get("seconds", ""))
        return cls(
            annotation,
            person_of(request),
            -1 if version is None else version,
            read_form(STEPS, request.POST),
            Place(request.POST.get("step", ""), seconds or 0),
        )

    def save(self, **changes: object) -> Annotation:
        return workflow.save_draft(
            annotation_id=self.annotation.pk,
            by=self.by,
            version=self.version,
            changes={**self.reading.entries, **changes},
            place=self.place,
        )


def shown(request: HttpRequest, desk: DraftPage, status: int = 200) -> HttpResponse:
    return render(request, "annotation/annotate.html", desk.context(), status=status)


def refused_reading(request: HttpRequest, posted: Posted) -> HttpResponse:
    """Show input that cannot be stored as it was typed, with the reason; the stored draft is unchanged."""
    desk = DraftPage(
        posted.annotation,
        posted.reading.entries,
        problems=posted.reading.problems,
        message="Nothing was saved yet. Everything you entered is still here.",
    )
    desk.annotation.version = posted.version
    return shown(request, desk, 400)


def conflicting(request: HttpRequest, posted: Posted, stale: StaleVersion) -> HttpResponse:
    """Show both texts side by side; saving again stores the one in the form."""
    assert isinstance(stale.details, dict)
    desk = DraftPage(
        annotation_at(posted.annotation.assignment_id or 0, posted.by),
        posted.reading.entries,
        conflict=compared(stale.details),
        message=stale.message,
    )
    return shown(request, desk, 412)


def save(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    annotation = posted.save()
    for notice in posted.reading.notices:
        messages.warning(request, notice)
    messages.success(request, "Saved.")
    return back_to(annotation, f"#step-{step_to_resume(annotation)}")


def submit(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    result = workflow.submit(
        annotation_id=posted.annotation.pk,
        by=posted.by,
        version=posted.version,
        entries=posted.reading.entries,
        checked=frozenset(request.POST.getlist("checked")),
        place=posted.place,
    )
    if result.taken:
        messages.success(request, f"Submitted: {result.annotation.sighting.tag}.")
        return redirect("annotation:queue")
    desk = DraftPage(
        annotation_at(posted.annotation.assignment_id or 0, posted.by),
        posted.reading.entries,
        findings=result.findings,
        message="Your draft is saved, but it cannot be submitted like this.",
    )
    return shown(request, desk, 400)


def skip(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    posted.save()
    reason = request.POST.get("skip_reason", "")
    try:
        campaigns.skip(
            assignment_id=posted.annotation.assignment_id or 0, by=posted.by, reason=reason
        )
    except Refusal as refusal:
        if isinstance(refusal, NotFoundHere):
            raise
        messages.error(request, refusal.message)
        return back_to(posted.annotation, "#give-up")
    messages.info(
        request, f"Skipped: {posted.annotation.sighting.tag}. Another annotator will get it."
    )
    return redirect("annotation:queue")


def hand_back(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    posted.save()
    campaigns.hand_back(assignment_id=posted.annotation.assignment_id or 0, by=posted.by)
    messages.info(request, "Handed back. Your draft is kept, and you can continue it later.")
    return redirect("annotation:queue")


def flag(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    annotation = posted.save()
    note = request.POST.get("flag_note", "")
    workflow.flag(annotation=annotation, flagged=argument != "off", note=note)
    return back_to(annotation, "#give-up")


def add_row(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    rows = posted.reading.entries[QUESTIONS.name]
    if len(rows) >= QUESTIONS.at_most:
        messages.error(request, f"There may be at most {QUESTIONS.at_most} questions.")
        rows = rows[: QUESTIONS.at_most - 1]
    blank = {column.name: "" if column.max_length else False for column in QUESTIONS.fields}
    annotation = posted.save(**{QUESTIONS.name: [*rows, blank]})
    return back_to(annotation, f"#id_{QUESTIONS.name}-{len(rows)}-{QUESTIONS.fields[0].name}")


def remove_row(request: HttpRequest, posted: Posted, argument: str) -> HttpResponse:
    rows = list(posted.reading.entries[QUESTIONS.name])
    index = number(argument)
    if index is not None and index < len(rows):
        del rows[index]
    annotation = posted.save(**{QUESTIONS.name: rows})
    return back_to(annotation, f"#{QUESTIONS.name}")


def back_to(annotation: Annotation, anchor: str) -> HttpResponse:
    assert annotation.assignment_id is not None
    return redirect(reverse("annotation:annotate", args=[annotation.assignment_id]) + anchor)


ACTIONS: dict[str, Callable[[HttpRequest, Posted, str], HttpResponse]] = {
    "save": save,
    "submit": submit,
    "skip": skip,
    "hand_back": hand_back,
    "flag": flag,
    "add_row": add_row,
    "remove_row": remove_row,
}
