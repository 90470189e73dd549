"""The page on which the two judges of a response discuss it, blind to the model and without names."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import blinding, discussing, presenting
from judging.blinding import keep_items
from judging.forms.decision_forms import DiscussionForm
from judging.models import Discussion, JudgingSlot, Study
from judging.presenting import ResponseView
from judging.rules import rubric
from judging.rules.resolution import CAUSES
from judging.settling import first_verdicts
from judging.states import DiscussionState
from judging.views.judge import version_in
from leases.refusal import Conflict, NotFoundHere, Refusal
from pages.counting import how_many

SIGNED = "Signed by both: this is the final verdict."


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.JUDGE)
def discussion(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """One response with both verdicts, what was written and proposed; POST proposes, signs, writes or leaves it."""
    try:
        mine = discussing.slot_of(person_of(request), slot_id)
    except NotFoundHere:
        if request.method == "POST" and discussing.went_on(person_of(request), slot_id):
            return _gone_on(request)
        raise
    keep_items(person_of(request), [mine.item], request.path)
    known = rubric.parse(mine.item.rubric.body)
    view = presenting.response_view(mine.item.response, known)
    act, typed = request.POST.get("act", ""), request.POST.get("remark", "")
    form = _form(request, mine, view, is_bound=act == "propose")
    refusal: Refusal | None = None
    if request.method == "POST" and (not form.is_bound or form.is_valid()):
        before = _proposed(discussing.discussion_of(mine))
        try:
            message = _do(request, mine, act, form)
        except Refusal as refused:
            refusal = refused
        else:
            if not _is_half_typed(request, act, before):
                return _onwards(request, mine, act, message)
            messages.success(request, message)
            typed = "" if act == "remark" else typed
    return _page(request, mine, view, known, form, typed, refusal)


def _page(
    request: HttpRequest,
    mine: JudgingSlot,
    view: ResponseView,
    known: rubric.ParsedRubric,
    form: DiscussionForm,
    typed: str,
    refusal: Refusal | None,
) -> HttpResponse:
    now, is_open = discussing.discussion_of(mine), discussing.is_open(mine)
    is_signed = now.state == DiscussionState.SIGNED
    context = {
        "study": mine.round.study,
        "view": view,
        "verdicts": presenting.verdicts_of_two(mine, known),
        "discussion": now,
        "proposed": known.scale[now.verdict] if now.verdict else None,
        "cause": CAUSES.get(now.cause, ""),
        "is_open": is_open,
        "is_signed": is_signed,
        "over": "" if is_open or is_signed or refusal else discussing.OVER,
        "is_own": now.proposed_by_id == mine.judge_id,
        "remarks": [
            (remark.judge_id == mine.judge_id, remark.text) for remark in now.remarks.all()
        ],
        "typed": typed,
        "left_over": [] if is_open else _left_over(request, typed, now.note),
        "form": form,
        "refusal": refusal,
    }
    bad = 400 if form.errors else 200
    status = refusal.status if refusal else bad
    return render(request, "judging/discussion.html", context, status=status)


def _gone_on(request: HttpRequest) -> HttpResponse:
    """Why nothing was stored, with what the person had typed and nothing of the response: they may judge it again."""
    context = {
        "refusal": Conflict(discussing.GONE_ON),
        "left_over": _left_over(request, request.POST.get("remark", "")),
    }
    return render(request, "judging/discussion_over.html", context, status=Conflict.status)


def _left_over(request: HttpRequest, typed: str, kept: str = "") -> list[tuple[str, str]]:
    """What was typed and not stored, under its labels; `kept` is the note that is."""
    note = _note_in(request)
    left = (("To the other judge", typed), ("Note", "" if note == kept else note))
    return [row for row in left if row[1].strip()]


def _form(
    request: HttpRequest, mine: JudgingSlot, view: ResponseView, *, is_bound: bool
) -> DiscussionForm:
    """What was typed, also where another button was pressed; else what is proposed."""
    stored = _proposed(discussing.discussion_of(mine))
    shown = {name: request.POST.get(name, value) for name, value in stored.items()}
    return DiscussionForm(
        request.POST if is_bound else None,
        initial=shown,
        choices=view.choices,
        given=first_verdicts(mine.item),
    )


def _is_half_typed(request: HttpRequest, act: str, before: dict[str, str]) -> bool:
    """Whether the other part of the form holds something that this button did not send."""
    if act == "propose":
        return bool(request.POST.get("remark", "").strip())
    posted = {name: request.POST.get(name, value) for name, value in before.items()}
    return act == "remark" and {**posted, "note": _note_in(request) or before["note"]} != before


def _note_in(request: HttpRequest) -> str:
    return request.POST.get("note", "").replace("\r\n", "\n").strip()


def _do(request: HttpRequest, mine: JudgingSlot, act: str, form: DiscussionForm) -> str:
    """Do what the button says; returns what to say then."""
    version = version_in(request)
    if act == "propose":
        if discussing.propose(mine, version=version, **form.cleaned_data):
            return SIGNED
        return "Proposed, with your signature. It is final when the other judge has signed it too."
    if act == "sign":
        discussing.sign(mine, version=version)
        return SIGNED
    if act == "remark":
        discussing.remark(mine, request.POST.get("remark", ""))
        return "Written."
    if act == "leave":
        discussing.leave(mine)
        return "A third person decides."
    raise Refusal("Nothing was done. Use one of the buttons of this page.")


def _onwards(request: HttpRequest, mine: JudgingSlot, act: str, message: str) -> HttpResponse:
    """To the next discussion that waits for this person; after a remark it is the same one."""
    if act == "remark":
        messages.success(request, message)
        return redirect("judging:discussion", mine.pk)
    waiting = discussing.waiting_for(person_of(request)).filter(round=mine.round_id)
    following = waiting.values_list("pk", flat=True).first()
    said = presenting.said_of(mine.item, message, goes_on=following is not None)
    messages.success(request, said)
    if following is None:
        return redirect("judging:overview", mine.round.study_id)
    return redirect("judging:discussion", following)


def _proposed(now: Discussion) -> dict[str, str]:
    return {"verdict": now.verdict, "cause": now.cause, "note": now.note}


@require_POST
@roles_required(Role.ADMIN)
def leave_all(request: HttpRequest, study_id: int) -> HttpResponse:
    """Leave what is still discussed in a closed study to a third person."""
    study = get_object_or_404(Study, pk=study_id)
    blinding.require_results(person_of(request), study)
    left = discussing.leave_all(study, by=person_of(request))
    messages.success(request, f"A third person decides on {how_many(left, 'response')}.")
    return redirect("judging:study", study.pk)
