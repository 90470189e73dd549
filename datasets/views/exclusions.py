"""Exclusions: the list of a collection, and the page on which two people decide about one question."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import person_of, roles_required
from accounts.roles import Role
from datasets.blinding import keep_listed, show, shown_to
from datasets.contexts import context_1, context_2
from datasets.contradiction_page import fields_of
from datasets.counts import counts_of
from datasets.excluding import exclusions as rules
from datasets.excluding import undoing
from datasets.excluding.exposure import known_to
from datasets.models import Contradiction, Exclusion, Instance, PastExclusion
from datasets.records import collection_named, without_questions
from datasets.views.decisions import Act, decision_page, left_over
from datasets.views.hidden import hidden_or_asked
from leases.refusal import Refusal
from pages.paging import page_of

EXCLUDE = (Role.ADMIN, Role.RESEARCHER)
TYPED = {"reason": "Reason", "said": "What you had seen", "note": "Why you decline"}
ACTS = {
    "propose": Act(
        rules.propose,
        ("reason", "said"),
        "Proposed. The question stays in until another researcher or admin has agreed.",
    ),
    "second": Act(
        rules.second,
        ("proposal", "said"),
        "The question is excluded: tables, new runs and new releases leave it out.",
    ),
    "decline": Act(rules.decline, ("proposal", "note"), "Declined. The question stays in."),
    "withdraw": Act(rules.withdraw, ("proposal",), "Withdrawn. The question stays in."),
    "undo": Act(
        undoing.propose,
        ("proposal", "reason", "said"),
        "Proposed. The question stays excluded until another researcher or admin has agreed.",
    ),
    "undo_agree": Act(
        undoing.agree,
        ("undoing", "said"),
        "The exclusion is undone: tables, new runs and new releases have the question again.",
    ),
    "undo_decline": Act(
        undoing.decline, ("undoing", "note"), "Declined. The question stays excluded."
    ),
    "undo_withdraw": Act(undoing.withdraw, ("undoing",), "Withdrawn. The question stays excluded."),
}


@require_GET
@roles_required(*EXCLUDE)
def exclusions(request: HttpRequest, name: str) -> HttpResponse:
    """Exclusions that are proposed, in force, or ended."""
    collection, person = collection_named(name), person_of(request)
    rows, past = rules.exclusions_of(collection, person), rules.past_of(collection, person)
    shows_past = request.GET.get("show") == "past"
    related = ("instance__contradiction", "proposed_by", "undoing_by", "ended_by")
    ended = past.select_related(*related).defer("instance__contradiction__fields")
    page = page_of(request, ended if shows_past else rules.listed(rows))
    keep_listed(person, (row.instance.contradiction_id for row in page), request.path)
    about = "record" if collection.is_declared else "contradiction"
    context = {
        "collection": collection,
        "hidden": hidden_or_asked(request, collection),
        "questions": counts_of(collection, person).questions,
        **rules.tally(rows),
        "ended": past.count(),
        "bare": shown_to(
            person, without_questions(collection, rows.filter(seconded_by__isnull=False))
        ),
        "shows_past": shows_past,
        "where_proposed": f"Questions are proposed from the list of questions, or from the page of their {about}.",
        "page": page,
    }
    return render(request, "datasets/exclusions.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(*EXCLUDE)
def exclusion(request: HttpRequest, key: int, n: int) -> HttpResponse:
    """Propose to exclude a question or to undo that; agree, decline or withdraw."""
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
    person, proposal = person_of(request), _proposal(instance)
    undone = undoing.open_undoing(instance)
    # What waits for a second person: the exclusion, or the proposal to undo it.
    waiting = undone or (None if proposal and proposal.seconded_by_id else proposal)
    may_decide = bool(waiting and waiting.proposed_by_id != person.pk)
    contradiction = instance.contradiction
    fields = {"reason", "said"} if waiting is None else {"said", "note"} if may_decide else set()
    typed = {name: request.POST.get(name, "").strip() for name in TYPED} if refused else {}
    siblings = rules.standings(contradiction.instances.exclude(pk=instance.pk), person)
    return {
        **_passages(contradiction),
        "proposal": proposal,
        "may_decide": may_decide,
        "undoing": undone,
        "is_own": waiting and waiting.proposed_by_id == person.pk,
        "is_last": all(sibling.excluded for sibling in siblings),
        "known": known_to(person, instance) if fields else [],
        "past": PastExclusion.objects.filter(instance=instance).select_related(
            "proposed_by", "seconded_by", "undoing_by", "ended_by"
        ),
        "ended_undoings": undoing.ended_undoings(instance),
        "typed": typed,
        "left_over": left_over(typed, TYPED, fields),
        "most": rules.MOST_WORDS,
    }


def _passages(contradiction: Contradiction) -> dict[str, Any]:
    if contradiction.collection.is_declared:
        return {"fields": fields_of(contradiction)}
    return {"passage_1": context_1(contradiction), "passage_2": context_2(contradiction)}


def _proposal(instance: Instance) -> Exclusion | None:
    rows = Exclusion.objects.select_related("proposed_by", "seconded_by")
    return rows.filter(instance=instance).first()
