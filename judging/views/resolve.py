"""The third person's pages: their studies, the responses that wait in one, one response with its verdicts."""

from django.contrib import messages
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import person_of, roles_required
from accounts.roles import Role
from judging import adjudication, presenting
from judging.blinding import keep_items
from judging.forms.decision_forms import DecisionForm
from judging.models import StudyItem
from judging.rules import rubric
from judging.settling import first_verdicts, unresolved_in
from judging.views.study_page import unresolved_page
from pages.paging import page_of
from pages.refusals import form_page, refused_in


@require_safe
@roles_required(Role.ADJUDICATOR)
def queue(request: HttpRequest) -> HttpResponse:
    """The studies in which this person may resolve, with how many responses wait; first those where some do."""
    studies = adjudication.studies_for(person_of(request))
    counts = unresolved_in(studies)
    waits = Case(When(pk__in=counts, then=0), default=1)
    page = page_of(request, studies.order_by(waits, "-pk"))
    rows = [(study, counts.get(study.pk, 0)) for study in page]
    return render(request, "judging/resolve_queue.html", {"page": page, "rows": rows})


@require_safe
@roles_required(Role.ADJUDICATOR)
def study(request: HttpRequest, study_id: int) -> HttpResponse:
    """The responses that wait in one study, and those that this person has decided."""
    person = person_of(request)
    study = adjudication.study_for(person, study_id)
    decided = adjudication.decided_by(person, study)
    presenting.label_prompts(study, [decision.item for decision in decided])
    context = {
        "study": study,
        "page": unresolved_page(request, study),
        "decided": decided,
        "study_url": reverse("judging:study", args=[study.pk])
        if Role.ADMIN in person.roles
        else "",
    }
    return render(request, "judging/resolve_study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@roles_required(Role.ADJUDICATOR)
def item(request: HttpRequest, item_id: int) -> HttpResponse:
    """One response with its verdicts side by side; POST decides and goes on to the next."""
    person = person_of(request)
    item = adjudication.item_for(person, item_id)
    keep_items(person, [item], request.path)
    known = rubric.parse(item.rubric.body)
    view = presenting.response_view(item.response, known)
    posted = request.method == "POST"
    form = DecisionForm(
        request.POST if posted else None,
        initial=_stored(item),
        choices=view.choices,
        given=first_verdicts(item),
    )
    if posted and form.is_valid():
        with refused_in(form):
            adjudication.decide(item, by=person, **form.cleaned_data)
            waiting = adjudication.next_unresolved(person, item.study)
            said = presenting.said_of(item, "Decided.", goes_on=waiting is not None)
            messages.success(request, said)
            if waiting is None:
                return redirect("judging:resolve_study", item.study_id)
            return redirect("judging:resolve_item", waiting.pk)
    verdicts = presenting.anonymous_verdicts(item, known)
    context = {"item": item, "study": item.study, "view": view, "verdicts": verdicts, "form": form}
    return form_page(request, "judging/resolve_item.html", context)


def _stored(item: StudyItem) -> dict[str, str] | None:
    """This person's earlier decision, as the form's initial data."""
    stored = adjudication.decision_on(item)
    return (
        {"verdict": stored.verdict, "cause": stored.cause, "note": stored.note} if stored else None
    )
