"""The tab of other articles: asking for one, and the tab's content for the page's script."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from annotation.desk.draft_page import annotation_at
from annotation.evidence.other_articles import OtherArticles
from annotation.models import Annotation
from annotation.states import AskedState
from annotation.tasks import fetch_asked_article
from annotation.workflow.asked_articles import ask_for
from leases.enqueue import send_on_commit
from leases.refusal import Refusal

MOST_QUOTED = 200


@require_http_methods(["GET", "POST"])
@roles_required(Role.ANNOTATOR)
def other_article(request: HttpRequest, assignment_id: int) -> HttpResponse:
    """What the tab shows; a POST asks for an article first."""
    person = person_of(request)
    annotation = annotation_at(assignment_id, person)
    refusal = None
    try:
        if request.method == "POST":
            ask(annotation, request.POST.get("asked_article", ""), person)
    except Refusal as refused:
        refusal = refused
    others = OtherArticles(annotation, request.GET.get("other", ""))
    context = {"others": others, "refusal": refusal, "editable": True}
    answer = render(
        request,
        "annotation/_asked_articles.html",
        context,
        status=refusal.status if refusal else 200,
    )
    for name, value in (refusal.headers if refusal else {}).items():
        answer[name] = value
    return answer


def ask(annotation: Annotation, text: str, by: Person) -> None:
    row = ask_for(annotation, text, by)
    if row.state == AskedState.ASKED:
        send_on_commit(fetch_asked_article, row.pk)


def ask_in_form(request: HttpRequest, annotation: Annotation) -> None:
    """Ask without script; a refusal is shown with what was typed."""
    text = request.POST.get("asked_article", "")
    try:
        ask(annotation, text, person_of(request))
    except Refusal as refusal:
        typed = f"“{text[:MOST_QUOTED]}”: " if text.strip() else ""
        messages.error(request, f"{typed}{refusal.message}")
