"""The judge's warm-up: one gold item at a time, and after the verdict the known one with its criteria."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from datasets.blinding import show
from judging import presenting, queues, warmup
from judging.rules import rubric
from leases.refusal import Refusal


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.JUDGE)
def item(request: HttpRequest, study_id: int, position: int) -> HttpResponse:
    """One item of the warm-up. Everything shown passes through presenting.py; the verdict after one's own."""
    person = person_of(request)
    study = queues.study_of(person, study_id)
    gold = warmup.item_at(study, position)
    show(person, warmup.records_of(gold), request.path, "judging")
    refusal = None
    if request.method == "POST":
        try:
            warmup.give(gold, person, request.POST.get("verdict", ""))
        except Refusal as problem:
            refusal = problem
        else:
            return redirect("judging:warm_up", study.pk, position)
    known, given = rubric.parse(study.judged_by.body), warmup.given(gold, person)
    view = presenting.response_view(gold.response, known)
    context = {
        "study": study,
        "view": view,
        "position": position,
        "total": study.gold_items.count(),
        "refusal": refusal,
        "given": known.scale[given].label if given else "",
        "agrees": given == gold.verdict,
        "right": next((choice for choice in view.choices if choice.key == gold.verdict), None)
        if given
        else None,
        "note": gold.note if given else "",
    }
    return render(
        request, "judging/warm_up.html", context, status=refusal.status if refusal else 200
    )
