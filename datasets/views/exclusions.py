"""Exclusions: the lists of a collection, and the page on which one question is excluded, or counts again."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from datasets import exclusions as rules
from datasets.blinding import keep_listed, show, shown_to
from datasets.contexts import context_1, context_2
from datasets.contradiction_page import fields_of
from datasets.counts import counts_of
from datasets.models import Contradiction, Exclusion, Instance, PastExclusion
from datasets.records import collection_named, without_questions
from datasets.views.decisions import Act, decision_page, left_over
from datasets.views.hidden import hidden_or_asked
from leases.refusal import Refusal
from pages.counting import how_many
from pages.paging import page_of

EXCLUDE = (Role.ADMIN, Role.RESEARCHER)
ACTS = {
    "exclude": Act(
        rules.exclude,
        ("reason",),
        "The question is excluded: tables, new runs and new releases leave it out.",
    ),
    "undo": Act(
        rules.undo,
        ("exclusion", "reason"),
        "The exclusion is undone: tables, new runs and new releases have the question again.",
    ),
}
PROPOSED, PAST = "proposed", "past"
MOST_DIGITS = 18


@require_http_methods(["GET", "POST"])
@roles_required(*EXCLUDE)
def exclusions(request: HttpRequest, name: str) -> HttpResponse:
    """What is excluded, what closed studies propose, or what was; and deciding on the proposals."""
    collection, person = collection_named(name), person_of(request)
    refused = None
    if request.method == "POST":
        act = request.POST.get("act")
        confirm = act == "confirm"
        chosen = {int(one) for one in request.POST.getlist("chosen") if _is_id(one)}
        try:
            if act not in ("confirm", "refuse"):
                raise Refusal("Nothing was done. Use one of the buttons of this page.")
            n = rules.decide(collection, chosen, confirm=confirm, by=person)
        except Refusal as refusal:
            refused = refusal
        else:
            what = "excluded" if confirm else "kept in"
            messages.success(request, f"{how_many(n, 'question')} {what}.")
            return redirect(f"{reverse('datasets:exclusions', args=[name])}?show={PROPOSED}#list")
    every, past = rules.exclusions_of(collection, person), rules.past_of(collection, person)
    shows = PROPOSED if refused else request.GET.get("show", "")
    excluded = every.filter(excluded_by__isnull=False)
    rows: QuerySet[Any] = excluded
    if shows == PROPOSED:
        rows = every.filter(excluded_by=None)
    elif shows == PAST:
        rows = past.select_related("ended_by")
    page = page_of(request, rows)
    keep_listed(person, (row.instance.contradiction_id for row in page), request.path)
    context = {
        "collection": collection,
        "refusal": refused,
        "hidden": hidden_or_asked(request, collection),
        "questions": counts_of(collection, person).questions,
        **rules.tally(every),
        "ended": past.count(),
        "bare": shown_to(person, without_questions(collection, excluded)),
        "shows": shows,
        "page": page,
    }
    status = refused.status if refused else 200
    return render(request, "datasets/exclusions.html", context, status=status)


def _is_id(text: str) -> bool:
    return text.isdecimal() and len(text) <= MOST_DIGITS


@require_http_methods(["GET", "POST"])
@roles_required(*EXCLUDE)
def exclusion(request: HttpRequest, key: int, n: int) -> HttpResponse:
    """Exclude a question, or let it count again."""
    instance = rules.question_of(key, n)
    show(person_of(request), Contradiction.objects.filter(pk=key), request.path)
    rules.check_not_hidden(person_of(request), instance)
    return decision_page(
        request,
        instance,
        ACTS,
        _context,
        view="datasets:exclusion",
        template="datasets/exclusion.html",
    )


def _context(request: HttpRequest, instance: Instance, refused: Refusal | None) -> dict[str, Any]:
    person, contradiction = person_of(request), instance.contradiction
    rows = Exclusion.objects.select_related("excluded_by").filter(instance=instance)
    found = rows.first()
    is_excluded = bool(found and found.excluded_by_id)
    siblings = rules.standings(contradiction.instances.exclude(pk=instance.pk), person)
    typed = request.POST.get("reason", "").strip() if refused else ""
    # What was typed for a button that the page no longer has is shown to be copied.
    stays = request.POST.get("act") == ("undo" if is_excluded else "exclude")
    return {
        **_passages(contradiction),
        "exclusion": found,
        "is_excluded": is_excluded,
        "is_last": all(sibling.excluded for sibling in siblings),
        "past": PastExclusion.objects.filter(instance=instance).select_related(
            "excluded_by", "ended_by"
        ),
        "typed": typed if stays else "",
        "left_over": left_over(
            {"reason": typed}, {"reason": "Reason"}, ["reason"] if stays else []
        ),
        "most": rules.MOST_WORDS,
    }


def _passages(contradiction: Contradiction) -> dict[str, Any]:
    if contradiction.collection.is_declared:
        return {"fields": fields_of(contradiction)}
    return {"passage_1": context_1(contradiction), "passage_2": context_2(contradiction)}
