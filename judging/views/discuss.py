"""The page on which the two judges of a response discuss it, blind to the model and without names."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import discussing, presenting
from judging.blinding import keep_items
from judging.forms import DiscussionForm
from judging.models import Discussion, JudgingSlot
from judging.rules import rubric
from judging.states import DiscussionState
from judging.views.judge import version_in
from leases.refusal import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.JUDGE)
def discussion(request: HttpRequest, slot_id: uuid.UUID) -> HttpResponse:
    """One response with both verdicts, what was written and proposed; POST proposes, signs, writes or leaves it."""
    mine = discussing.slot_of(person_of(request), slot_id)
    keep_items(person_of(request), [mine.item], request.path)
    known = rubric.parse(mine.item.rubric.body)
    view = presenting.response_view(mine.item.response, known)
    now = discussing.of_slot(mine)
    act = request.POST.get("act", "")
    posted = request.POST if act == "propose" else None
    form = DiscussionForm(posted, initial=_proposed(now), choices=view.choices)
    refusal: Refusal | None = None
    if request.method == "POST" and (posted is None or form.is_valid()):
        try:
            message = _do(request, mine, act, form)
        except Refusal as refused:
            refusal, now = refused, discussing.of_slot(mine)
        else:
            messages.success(request, message)
            return _onwards(request, mine, act)
    context = {
        "study": mine.round.study,
        "slot": mine,
        "view": view,
        "verdicts": presenting.verdicts_of_two(mine, known),
        "discussion": now,
        "label": known.label(now.verdict) if now.verdict else "",
        "cause": dict(form.fields["cause"].choices).get(now.cause, ""),  # type: ignore[attr-defined]
        "is_signed": now.state == DiscussionState.SIGNED,
        "is_own": now.proposed_by_id == mine.judge_id,
        "remarks": [
            (one.judge_id == mine.judge_id, one.text) for one in discussing.remarks_of(now)
        ],
        "typed": request.POST.get("remark", ""),
        "form": form,
        "refusal": refusal,
    }
    bad = 400 if form.errors else 200
    status = refusal.status if refusal else bad
    return render(request, "judging/discussion.html", context, status=status)


def _do(request: HttpRequest, mine: JudgingSlot, act: str, form: DiscussionForm) -> str:
    """Do what the button says; returns what to say then."""
    version = version_in(request)
    if act == "propose":
        discussing.propose(mine, version=version, **form.cleaned_data)
        return "Proposed, with your signature. It is final when the other judge has signed it too."
    if act == "sign":
        discussing.sign(mine, version=version)
        return "Signed by both: this is the final verdict."
    if act == "remark":
        discussing.remark(mine, request.POST.get("remark", ""))
        return "Written."
    if act == "leave":
        discussing.leave(mine)
        return "A third person decides on this response."
    raise Refusal("Nothing was done. Use one of the buttons of this page.")


def _onwards(request: HttpRequest, mine: JudgingSlot, act: str) -> HttpResponse:
    """To the next discussion that waits for this person; after a remark it is the same one."""
    if act == "remark":
        return redirect("judging:discussion", mine.pk)
    waiting = discussing.waiting_for(person_of(request)).filter(round=mine.round_id)
    following = waiting.values_list("pk", flat=True).first()
    if following is None:
        return redirect("judging:overview", mine.round.study_id)
    return redirect("judging:discussion", following)


def _proposed(now: Discussion) -> dict[str, str]:
    return {"verdict": now.verdict, "cause": now.cause, "note": now.note}
