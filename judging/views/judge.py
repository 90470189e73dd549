"""The judge's pages: their studies, one item at a time, the verdicts so far, handing in.

Everything shown passes through presenting.py; the model, the run and other judges never reach these pages.
"""

import itertools
import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from judging import discussing, listed_studies, pool, presenting, progress, queues, verdicts, warmup
from judging.blinding import keep_items
from judging.discussing import Awaits
from judging.models import JudgingSlot, Resolution, Study
from judging.presenting import SlotView
from judging.rules import rubric
from judging.rules.resolution import CAUSES
from leases.refusal import NotFoundHere, Refusal, StaleVersion
from pages.counting import how_many
from pages.paging import page_of


@require_safe
@roles_required(Role.JUDGE)
def queue(request: HttpRequest) -> HttpResponse:
    """The studies in which this person judges, with what is left to judge."""
    person = person_of(request)
    page = page_of(request, queues.studies_of(person))
    rows = listed_studies.of_judge(person, page)
    return render(request, "judging/queue.html", {"page": page, "rows": rows})


@require_safe
@roles_required(Role.JUDGE)
def overview(request: HttpRequest, study_id: int) -> HttpResponse:
    """One study as its judge sees it: progress, what was skipped or flagged, the latest verdicts."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    counted = progress.of_person(person, study)
    pace = progress.pace(person, study)
    judged = presenting.judged_word(study)
    entered, discussions = queues.entered(person, study), _discussions(request, person, study)
    listed = [*itertools.chain(*entered.values()), *(row.slot for row in discussions)]
    presenting.label_prompts(study, [slot.item for slot in listed])
    passages = "their passages" if study.protocol_id else "their gold answers, their passages"
    context = {
        "study": study,
        "judged": judged,
        "draw_words": f"Draw the next {judged}s",
        "shown_with": "what is asked about them" if judged == "text" else passages,
        "progress": counted,
        "minutes_left": round(pace * counted.waiting / 60) if pace and counted.waiting else None,
        "entered": entered,
        "discussions": discussions,
        "free": pool.free_in(person, [study.pk]).get(study.pk, 0),
        "is_pool": study.pairing == Study.Pairing.POOL,
        "days": progress.timesheet(person, study),
        "pace": pace,
    }
    return render(request, "judging/overview.html", context)


@dataclass(frozen=True)
class DiscussionRow:
    """A discussion of the judge, and in words what it waits for."""

    slot: JudgingSlot
    awaits: Awaits

    @property
    def tone(self) -> str:
        return "plain" if self.awaits == Awaits.OTHER else "waiting"


def _discussions(request: HttpRequest, person: Person, study: Study) -> Page[Any]:
    page: Page[Any] = page_of(request, discussing.listed(person, study))
    page.object_list = [DiscussionRow(slot, Awaits(slot.awaits)) for slot in page.object_list]
    return page


@dataclass(frozen=True)
class ResolvedRow:
    """A response of the judge on which its judges differed, and in words how it was resolved."""

    slot: JudgingSlot
    how: str
    cause: str


@require_safe
@roles_required(Role.JUDGE)
def resolved(request: HttpRequest, study_id: int) -> HttpResponse:
    """What became of the responses on which this person and the other judges differed, once the study is closed."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    page = page_of(request, queues.resolved(person, study))
    items = [slot.item for slot in page]
    keep_items(person, items, request.path)
    presenting.label_prompts(study, items)
    rows = [
        ResolvedRow(slot, Resolution.How(slot.how).label, CAUSES.get(slot.cause, ""))
        for slot in page
    ]
    judged = presenting.judged_word(study)
    context = {"study": study, "page": page, "rows": rows, "judged": judged}
    return render(request, "judging/resolved.html", context)


@require_safe
@roles_required(Role.JUDGE)
def next_item(request: HttpRequest, study_id: int) -> HttpResponse:
    """Redirects to the first item that waits, or to the overview when none does."""
    person = person_of(request)
    return _to_next(person, queues.study_of(person, study_id))


@require_POST
@roles_required(Role.JUDGE)
def draw(request: HttpRequest, study_id: int) -> HttpResponse:
    """Draw the next free responses and go to the first."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    if not pool.draw(person, study) and queues.first_waiting(person, study) is None:
        messages.warning(request, f"There is no free {presenting.judged_word(study)} for you now.")
    return _to_next(person, study)


@require_POST
@roles_required(Role.JUDGE)
def hand_back(request: HttpRequest, study_id: int) -> HttpResponse:
    """Free what this person has not judged, for others."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    freed = pool.hand_back(person, study)
    messages.success(
        request,
        f"Handed back: {how_many(freed, presenting.judged_word(study))}. Your verdicts are kept.",
    )
    return redirect("judging:overview", study_id)


def _to_next(person: Person, study: Study, *, draws: bool = False) -> HttpResponse:
    if (gold := warmup.next_for(person, study)) is not None:
        return redirect("judging:warm_up", study.pk, gold)
    waiting = queues.drawn(person, study) if draws else queues.first_waiting(person, study)
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
        keep_items(person_of(request), [mine.item], request.path)
        return _item_page(request, mine)
    comment, version = request.POST.get("comment", ""), version_in(request)
    try:
        verdicts.give(mine, request.POST.get("verdict", ""), comment=comment, version=version)
    except Refusal as refusal:
        return _item_page(request, mine, refusal)
    return _to_next(person_of(request), mine.round.study, draws=True)


@require_POST
@roles_required(Role.JUDGE)
def skip(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """Leave the item with a reason and go on."""
    mine = verdicts.slot_of(person_of(request), slot_id)
    try:
        verdicts.skip(mine, request.POST.get("reason", ""), version=version_in(request))
    except Refusal as refusal:
        return _item_page(request, mine, refusal)
    return _to_next(person_of(request), mine.round.study, draws=True)


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
    """Take the last verdict back and go to its item, with its comment; with none, stay on the item that was open.

    `judged` in the address is how many verdicts could be taken back on the page that asks: the second post of a double
    click finds one fewer, and takes nothing back.
    """
    person = person_of(request)
    study = queues.study_of(person, study_id)
    last = verdicts.last_judged(person, study)
    if last is None:
        messages.warning(request, "There is no verdict to take back.")
        open_here = queues.slot_here(person, study, request.POST.get("slot", ""))
        if open_here is None:
            return redirect("judging:overview", study.pk)
        return redirect("judging:slot", open_here)
    # Counted after the last one was read: both posts find the same verdict, or the second one finds fewer.
    now = str(progress.of_person(person, study).undoable)
    if request.GET.get("judged", now) != now:
        return _to_next(person, study)
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


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.JUDGE)
def coming(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """The items that wait after this one; the page's script fetches them in advance. POST draws from a pool before."""
    person = person_of(request)
    here = verdicts.slot_of(person, slot_id)
    study = here.round.study
    if request.method == "POST" and study.pairing == Study.Pairing.POOL:
        pool.draw(person, study)
    total = progress.of_person(person, study).total
    ahead = queues.ahead(person, here)
    keep_items(person, [slot.item for slot in ahead], request.path)
    return render(request, "judging/coming.html", {"views": _views(study, ahead, total)})


def _views(study: Study, slots: list[JudgingSlot], total: int) -> list[SlotView]:
    known = rubric.parse(study.judged_by.body)
    presenting.read_records([slot.item.response for slot in slots])
    return [presenting.slot_view(slot, known, total) for slot in slots]


def version_in(request: HttpRequest) -> int:
    """The version that the form was made from; 0, as of an item that was never changed, where it names none."""
    named = request.POST.get("version", "")
    return int(named) if named.isdecimal() and len(named) < 10 else 0


def _item_page(
    request: HttpRequest, mine: JudgingSlot, refusal: Refusal | None = None
) -> HttpResponse:
    """The page of one item; typed text that was not stored is kept in the form."""
    if isinstance(refusal, NotFoundHere):
        raise refusal  # the item may be another judge's by now
    person, study, both = person_of(request), mine.round.study, None
    if isinstance(refusal, StaleVersion):
        mine = verdicts.slot_of(person, mine.pk)
        both = presenting.both_entries(refusal.details, rubric.parse(study.judged_by.body))
    counted = progress.of_person(person, study)
    [view] = _views(study, [mine], counted.total)
    context = {
        "study": study,
        "view": view,
        "comment": request.POST.get("comment", view.comment),
        "reason": request.POST.get("reason") or view.skip_reason,
        "refusal": refusal,
        "both": both,
        "progress": counted,
    }
    status = refusal.status if refusal else 200
    return render(request, "judging/slot.html", context, status=status)
