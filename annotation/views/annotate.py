"""The annotator's page: the tag with its evidence next to the six steps."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.desk.draft_page import (
    DraftPage,
    annotation_at,
    conflicting_fields,
    page_at,
    read_fields,
    step_to_resume,
)
from annotation.evidence.other_articles import OtherArticles
from annotation.evidence.provenance import Captured, read_captured
from annotation.fields.entries import entries_of
from annotation.fields.form_input import FormReading, number_in, read_form
from annotation.fields.steps import QUESTIONS, STEPS
from annotation.models import Annotation
from annotation.reviewing.accepted import is_accepted
from annotation.states import EDITABLE
from annotation.views.articles import ask_in_form
from annotation.views.queue import none_left, to_queue
from annotation.workflow import claiming, saving, submitting
from annotation.workflow.in_hand import HandsFull
from annotation.workflow.saving import Activity
from annotation.workflow.submitting import Submission
from leases.refusal import NotAllowed, NotFoundHere, Refusal, StaleVersion

LOST = "This tag is no longer assigned to you: its time ran out, or an admin withdrew it."


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR)
def annotate(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """The tag next to the form. Every button of the form saves first, then does its action."""
    person = person_of(request)
    if request.method == "GET":
        annotation = annotation_at(assignment_id, person)
        if annotation.state in EDITABLE:
            return shown(request, DraftPage(annotation, entries_of(annotation)))
        context = {
            "annotation": annotation,
            "parts": read_fields(annotation),
            "is_accepted": Annotation.objects.filter(is_accepted(), pk=annotation.pk).exists(),
        }
        return render(request, "annotation/handed_in.html", context)
    draft = posted_draft(request, person)
    if draft and draft.assignment_id != assignment_id and draft.state in EDITABLE:
        return kept_elsewhere(request, PostedDraft.from_request(request, draft))
    if draft is None or draft.assignment_id != assignment_id:
        draft = annotation_at(assignment_id, person)
    posted = PostedDraft.from_request(request, draft)
    verb, _, argument = request.POST.get("action", "save").partition(":")
    if posted.reading.problems:
        return refused_reading(request, posted)
    try:
        return ACTIONS.get(verb, save)(request, posted, argument)
    except StaleVersion as stale:
        return conflicting(request, posted, stale)


@dataclass(frozen=True)
class PostedDraft:
    """A posted form: its annotation, the version it was made from, and the parsed input."""

    annotation: Annotation
    by: Person
    version: int
    reading: FormReading
    activity: Activity
    captured: Captured

    @classmethod
    def from_request(cls, request: HttpRequest, annotation: Annotation) -> "PostedDraft":
        version = number_in(request.POST.get("version", ""))
        seconds = number_in(request.POST.get("seconds", ""))
        return cls(
            annotation,
            person_of(request),
            -1 if version is None else version,
            read_form(STEPS, request.POST),
            Activity(request.POST.get("step", ""), seconds or 0),
            read_captured(request.POST.get("provenance", ""), request.POST.getlist("filled")),
        )

    def save(self, request: HttpRequest, **changes: object) -> Annotation:
        annotation = saving.save(
            self.annotation,
            by=self.by,
            version=self.version,
            changes={**self.reading.entries, **changes},
            activity=self.activity,
            captured=self.captured,
        )
        self.tell(request)
        return annotation

    def page(self, **shown: Any) -> DraftPage:
        """The stored draft's page with the entries that were posted."""
        annotation = annotation_at(self.annotation.assignment_id or 0, self.by)
        return DraftPage(annotation, self.reading.entries, **shown)

    def tell(self, request: HttpRequest) -> None:
        """Say what was left out of what is now saved."""
        for notice in [*self.reading.notices, *self.captured.notices]:
            messages.warning(request, notice)


def posted_draft(request: HttpRequest, person: Person) -> Annotation | None:
    """The annotation that the posted form names. It may have another assignment now: one expires, or is withdrawn."""
    key = number_in(request.POST.get("annotation", "")) or 0
    with suppress(NotFoundHere):
        return saving.draft_of(key, person)
    return None


def kept_elsewhere(request: HttpRequest, posted: PostedDraft) -> HttpResponse:
    """Save what was posted for a tag that the person no longer has; NotAllowed, with what was posted, if that fails."""
    try:
        if posted.reading.problems:
            raise Refusal(" ".join(posted.reading.problems.values()))
        posted.save(request)
    except Refusal as refusal:
        raise NotAllowed(f"{LOST} It could not be saved either: {refusal.message}") from refusal
    messages.warning(request, f"{LOST} What you entered is saved: continue the draft below.")
    return redirect("annotation:queue")


def shown(
    request: HttpRequest, desk: DraftPage, status: int = 200, undo: Annotation | None = None
) -> HttpResponse:
    """`undo`: the submission that this page may take back."""
    others = OtherArticles(desk.annotation, request.GET.get("other", ""), none_asked=desk.is_begun)
    context = {**desk.context(others.languages), "others": others, "undo": undo}
    return render(request, "annotation/annotate.html", context, status=status)


def refused_reading(request: HttpRequest, posted: PostedDraft) -> HttpResponse:
    """Show input that cannot be stored as it was typed, with the reason; the stored draft is unchanged."""
    posted.annotation.version = posted.version
    message = "Nothing was saved yet. Everything you entered is still here."
    page: Any = {"problems": posted.reading.problems, "message": message, "posted": posted.captured}
    return shown(request, DraftPage(posted.annotation, posted.reading.entries, **page), 400)


def conflicting(request: HttpRequest, posted: PostedDraft, stale: StaleVersion) -> HttpResponse:
    """Show both texts side by side; saving again stores the one in the form."""
    assert isinstance(stale.details, dict)
    fields = conflicting_fields(stale.details)
    page = posted.page(conflict=fields, message=stale.message, posted=posted.captured)
    return shown(request, page, 412)


def save(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    annotation = posted.save(request)
    messages.success(request, "Saved.")
    return back_to(annotation, f"#step-{step_to_resume(annotation)}")


def submit(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    result = submission(request, posted)
    return open_next(request, posted, result) if result.taken else refused(request, posted, result)


def submit_stop(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    result = submission(request, posted)
    return redirect("annotation:queue") if result.taken else refused(request, posted, result)


def submission(request: HttpRequest, posted: PostedDraft) -> Submission:
    result = submitting.submit(
        posted.annotation,
        by=posted.by,
        version=posted.version,
        entries=posted.reading.entries,
        checked=request.POST.getlist("checked"),
        activity=posted.activity,
        captured=posted.captured,
    )
    posted.tell(request)
    if result.taken:
        messages.success(request, f"Submitted: {result.annotation.sighting.tag}.")
    return result


def open_next(request: HttpRequest, posted: PostedDraft, result: Submission) -> HttpResponse:
    """The next tag's page, without a redirect: its form names its own address, and its script shows that.

    The submission is committed: a refusal from here on does not concern it.
    """
    assert posted.annotation.assignment is not None
    campaign = posted.annotation.assignment.campaign
    try:
        assignment = claiming.following_assignment(
            by=posted.by, campaign=campaign, again=result.repeated
        )
    except HandsFull as refusal:
        return to_queue(request, refusal)
    if assignment is None:
        return none_left(request, campaign)
    undo = None if result.repeated else result.annotation
    return shown(request, page_at(assignment, posted.by), undo=undo)


def refused(request: HttpRequest, posted: PostedDraft, result: Submission) -> HttpResponse:
    message = "Not submitted yet. Please check these entries."
    return shown(request, posted.page(findings=result.findings, message=message), 400)


def skip(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    posted.save(request)
    reason = request.POST.get("skip_reason", "")
    try:
        claiming.skip(
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


def hand_back(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    posted.save(request)
    claiming.hand_back(assignment_id=posted.annotation.assignment_id or 0, by=posted.by)
    tag = posted.annotation.sighting.tag
    messages.info(
        request, f"Handed back: {tag}. Your draft is kept, and you can continue it later."
    )
    return redirect("annotation:queue")


def flag(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    annotation = posted.save(request)
    note = request.POST.get("flag_note", "")
    saving.flag(draft=annotation, by=posted.by, flagged=argument != "off", note=note)
    return back_to(annotation, "#give-up")


def add_row(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    rows = posted.reading.entries[QUESTIONS.name]
    if len(rows) >= QUESTIONS.at_most:
        messages.error(request, f"A tag may have at most {QUESTIONS.at_most} questions.")
        return back_to(posted.save(request), f"#{QUESTIONS.name}")
    blank = {column.name: "" if column.max_length else False for column in QUESTIONS.fields}
    annotation = posted.save(request, **{QUESTIONS.name: [*rows, blank]})
    return back_to(annotation, f"#id_{QUESTIONS.name}-{len(rows)}-{QUESTIONS.fields[0].name}")


def remove_row(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    rows = list(posted.reading.entries[QUESTIONS.name])
    index = number_in(argument)
    if index is not None and index < len(rows):
        del rows[index]
    annotation = posted.save(request, **{QUESTIONS.name: rows})
    return back_to(annotation, f"#{QUESTIONS.name}")


def ask_article(request: HttpRequest, posted: PostedDraft, argument: str) -> HttpResponse:
    """Ask for another article, or only look whether it is there."""
    annotation = posted.save(request)
    if argument != "look":
        ask_in_form(request, annotation)
    return back_to(annotation, "#pane-other")


def back_to(annotation: Annotation, anchor: str) -> HttpResponse:
    assert annotation.assignment_id is not None
    return redirect(reverse("annotation:annotate", args=[annotation.assignment_id]) + anchor)


ACTIONS: dict[str, Callable[[HttpRequest, PostedDraft, str], HttpResponse]] = {
    "save": save,
    "submit": submit,
    "submit_stop": submit_stop,
    "skip": skip,
    "hand_back": hand_back,
    "flag": flag,
    "add_row": add_row,
    "remove_row": remove_row,
    "ask_article": ask_article,
}
