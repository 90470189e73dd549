"""The judge's pages: their studies, one item at a time, the verdicts so far, handing in.

Everything shown passes through presenting.py; the model, the run and other judges never reach these pages.
"""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from judging import presenting, progress, queues, verdicts
from judging.models import JudgingSlot, Study
from judging.presenting import SlotView
from judging.rules import rubric
from leases.refusal import Refusal

AHEAD = 20


@require_safe
@roles_required(Role.JUDGE)
def queue(request: HttpRequest) -> HttpResponse:
    """The studies in which this person judges, with what is left to judge."""
    person = person_of(request)
    studies = list(queues.studies_of(person))
    counts = progress.of_person_in(person, studies)
    rows = [(study, counts[study.pk]) for study in studies]
    return render(request, "judging/queue.html", {"rows": rows})


@require_safe
@roles_required(Role.JUDGE)
def overview(request: HttpRequest, study_id: int) -> HttpResponse:
    """One study as its judge sees it: progress, what was skipped or flagged, the latest verdicts."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    counted = progress.of_person(person, study)
    pace = progress.pace(person, study)
    context = {
        "study": study,
        "progress": counted,
        "minutes_left": round(pace * counted.waiting / 60) if pace and counted.waiting else None,
        "entered": queues.entered(person, study),
        "undoable": verdicts.last_judged(person, study),
    }
    return render(request, "judging/overview.html", context)


@require_safe
@roles_required(Role.JUDGE)
def next_item(request: HttpRequest, study_id: int) -> HttpResponse:
    """Redirects to the first item that waits, or to the overview when none does."""
    person = person_of(request)
    return _to_next(person, queues.study_of(person, study_id))


def _to_next(person: Person, study: Study) -> HttpResponse:
    waiting = queues.first_waiting(person, study)
    if waiting is None:
        return redirect("judging:overview", study.pk)
    return redirect("judging:slot", waiting)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.JUDGE)
def slot(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """One item; POST gives the verdict and goes on to the next."""
    mine = verdicts.slot_of(person_of(request), slot_id)
    if request.method != "POST":
        queues.mark_shown(mine)
        return _item_page(request, mine)
    comment = request.POST.get("comment", "")
    try:
        verdicts.give(mine, request.POST.get("verdict", ""), comment=comment)
    except Refusal as refusal:
        return _item_page(request, mine, refusal)
    return _to_next(person_of(request), mine.round.study)


@require_POST
@roles_required(Role.JUDGE)
def skip(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """Leave the item with a reason and go on."""
    mine = verdicts.slot_of(person_of(request), slot_id)
    try:
        verdicts.skip(mine, request.POST.get("reason", ""))
    except Refusal as refusal:
        return _item_page(request, mine, refusal)
    return _to_next(person_of(request), mine.round.study)


@require_POST
@roles_required(Role.JUDGE)
def flag(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """Flag or unflag the item for the admin, and stay on it with what was typed."""
    mine = verdicts.slot_of(person_of(request), slot_id)
    try:
        verdicts.flag(mine, "unflag" not in request.POST, request.POST.get("flag_note", ""))
    except Refusal as refusal:
        return _item_page(request, mine, refusal)
    return _item_page(request, mine)


@require_POST
@roles_required(Role.JUDGE)
def undo(request: HttpRequest, study_id: int) -> HttpResponse:
    """Take the last verdict back and go to its item, with its comment."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    last = verdicts.last_judged(person, study)
    if last is None:
        messages.warning(request, "There is no verdict to take back.")
        return redirect("judging:overview", study.pk)
    verdicts.undo(verdicts.slot_of(person, last.pk))
    return redirect("judging:slot", last.pk)


@require_POST
@roles_required(Role.JUDGE)
def hand_in(request: HttpRequest, study_id: int) -> HttpResponse:
    """Close all of this person's items in the study."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    verdicts.hand_in(person, study)
    messages.success(request, "Handed in. Thank you. Your verdicts cannot change any more.")
    return redirect("judging:overview", study.pk)


@require_safe
@roles_required(Role.JUDGE)
def coming(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """The items that wait after this one; the page's script fetches them in advance."""
    person = person_of(request)
    here = verdicts.slot_of(person, slot_id)
    study = here.round.study
    total = queues.total_of(person, study)
    views = _views(study, queues.ahead(person, here, AHEAD), total)
    return render(request, "judging/coming.html", {"views": views})


def _views(study: Study, slots: list[JudgingSlot], total: int) -> list[SlotView]:
    known = rubric.parse(study.rubric.body)
    return [presenting.slot_view(one, known, total) for one in slots]


def _item_page(
    request: HttpRequest, mine: JudgingSlot, refusal: Refusal | None = None
) -> HttpResponse:
    """The page of one item; typed text that was not stored is kept in the form."""
    study = mine.round.study
    counted = progress.of_person(person_of(request), study)
    [view] = _views(study, [mine], counted.total)
    context = {
        "study": study,
        "view": view,
        "comment": request.POST.get("comment", view.comment),
        "reason": request.POST.get("reason") or view.skip_reason,
        "refusal": refusal,
        "progress": counted,
    }
    status = refusal.status if refusal else 200
    return render(request, "judging/slot.html", context, status=status)
