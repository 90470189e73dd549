"""The third person's pages: which studies wait, what waits in one, one response with both verdicts."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import adjudication, rubric, shown
from judging.forms import DecisionForm
from judging.models import StudyItem
from judging.overviews import unresolved_page
from judging.settling import unresolved
from leases.refusal import Refusal


@require_safe
@roles_required(Role.ADJUDICATOR)
def queue(request: HttpRequest) -> HttpResponse:
    """The studies in which this person may resolve, with how many responses wait."""
    studies = adjudication.studies_for(person_of(request))
    rows = [(study, unresolved(study).count()) for study in studies]
    return render(request, "judging/resolve_queue.html", {"rows": rows})


@require_safe
@never_cache
@roles_required(Role.ADJUDICATOR)
def study(request: HttpRequest, study_id: int) -> HttpResponse:
    """What waits in one study, and what this person has decided."""
    person = person_of(request)
    found = adjudication.study_for(person, study_id)
    context = {
        "study": found,
        "page": unresolved_page(request, found),
        "decided": adjudication.decided_by(person, found),
    }
    return render(request, "judging/resolve_study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@roles_required(Role.ADJUDICATOR)
def item(request: HttpRequest, item_id: int) -> HttpResponse:
    """One response with its verdicts side by side; POST decides and goes on to the next."""
    person = person_of(request)
    found = adjudication.item_for(person, item_id)
    known = rubric.parse(found.study.rubric.body)
    view = shown.response_view(found.response, known)
    posted = request.method == "POST"
    form = DecisionForm(request.POST if posted else _kept(found), choices=view.choices)
    if posted and form.is_valid():
        try:
            adjudication.decide(found, by=person, **form.cleaned_data)
        except Refusal as refusal:
            form.add_error(None, refusal.message)
        else:
            messages.success(request, "Decided.")
            waiting = adjudication.next_unresolved(person, found.study)
            if waiting is None:
                return redirect("judging:resolve_study", found.study_id)
            return redirect("judging:resolve_item", waiting.pk)
    verdicts = shown.anonymous_verdicts(found, known)
    context = {
        "item": found,
        "study": found.study,
        "view": view,
        "verdicts": verdicts,
        "form": form,
    }
    return render(request, "judging/resolve_item.html", context, status=400 if form.errors else 200)


def _kept(item: StudyItem) -> dict[str, str] | None:
    """What this person decided before, to start from."""
    kept = getattr(item, "resolution", None)
    return {"verdict": kept.verdict, "cause": kept.cause, "note": kept.note} if kept else None
