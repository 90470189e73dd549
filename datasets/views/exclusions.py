"""Exclusions: the list of a collection, and the page on which two people decide about one question."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from datasets.contexts import context_1, context_2
from datasets.counts import counts_of
from datasets.exclusions import (
    MOST_WORDS,
    check_not_hidden,
    decline,
    exclusions_of,
    listed,
    past_of,
    propose,
    question_of,
    second,
    standings,
    tally,
    withdraw,
)
from datasets.exposure import known_to
from datasets.models import Exclusion, Instance, PastExclusion
from datasets.records import collection_named, without_questions
from leases.refusal import Refusal
from pages.paging import page_of

EXCLUDE = (Role.ADMIN, Role.RESEARCHER)
TYPED = {"reason": "Reason", "said": "What you had seen", "note": "Why you decline"}
MOST_DIGITS = 18


@require_GET
@roles_required(*EXCLUDE)
def exclusions(request: HttpRequest, name: str) -> HttpResponse:
    """Exclusions that are proposed, in force, or ended."""
    collection, person = collection_named(name), person_of(request)
    rows, past = exclusions_of(collection, person), past_of(collection, person)
    shows_past = request.GET.get("show") == "past"
    related = ("instance__contradiction", "proposed_by", "ended_by")
    context = {
        "collection": collection,
        "questions": counts_of(collection).questions,
        **tally(rows),
        "ended": past.count(),
        "bare": without_questions(collection, rows.filter(seconded_by__isnull=False)),
        "shows_past": shows_past,
        "page": page_of(request, past.select_related(*related) if shows_past else listed(rows)),
    }
    return render(request, "datasets/exclusions.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(*EXCLUDE)
def exclusion(request: HttpRequest, key: int, n: int) -> HttpResponse:
    """Propose to exclude a question, agree, decline or withdraw; a refused form keeps its text."""
    instance, person = question_of(key, n), person_of(request)
    check_not_hidden(person, instance)
    refused = None
    if request.method == "POST":
        try:
            message = _act(request.POST, instance, person)
        except Refusal as refusal:
            refused = refusal
        else:
            messages.success(request, message)
            return redirect("datasets:exclusion", key, n)
    context = _context(request, instance, person, refused)
    status = refused.status if refused else 200
    return render(request, "datasets/exclusion.html", context, status=status)


def _act(posted: Any, instance: Instance, person: Person) -> str:
    """Do what the button says; returns the message for the next page. Raises Refusal."""
    act, number = posted.get("act", ""), posted.get("proposal", "")
    known = number.isdecimal() and len(number) <= MOST_DIGITS
    about: dict[str, Any] = {"instance": instance, "by": person}
    read = {**about, "proposal": int(number) if known else 0}
    said = posted.get("said", "")
    if act == "propose":
        propose(**about, reason=posted.get("reason", ""), said=said)
        return "Proposed. The question stays in until another researcher or admin has agreed."
    if act == "second":
        second(**read, said=said)
        return "The question is excluded: tables, new runs and new releases leave it out."
    if act == "decline":
        decline(**read, note=posted.get("note", ""))
        return "Declined. The question stays in."
    if act == "withdraw":
        withdraw(**read)
        return "Withdrawn. The question stays in."
    raise Refusal("Nothing was done. Use one of the buttons of this page.")


def _context(
    request: HttpRequest, instance: Instance, person: Person, refused: Refusal | None
) -> dict[str, Any]:
    proposal = _proposal(instance)
    may_decide = bool(
        proposal and proposal.seconded_by is None and proposal.proposed_by_id != person.pk
    )
    contradiction = instance.contradiction
    fields = {"reason", "said"} if proposal is None else {"said", "note"} if may_decide else set()
    typed = {name: request.POST.get(name, "").strip() for name in TYPED} if refused else {}
    siblings = standings(contradiction.instances.exclude(pk=instance.pk), person)
    return {
        "instance": instance,
        "contradiction": contradiction,
        "collection": contradiction.collection,
        "passage_1": context_1(contradiction),
        "passage_2": context_2(contradiction),
        "proposal": proposal,
        "may_decide": may_decide,
        "is_own": proposal and proposal.proposed_by_id == person.pk,
        "is_last": all(one.excluded for one in siblings),
        "known": known_to(person, instance) if may_decide or proposal is None else [],
        "past": PastExclusion.objects.filter(instance=instance).select_related(
            "proposed_by", "ended_by"
        ),
        "refusal": refused,
        "typed": typed,
        # Text of a form that the page no longer has, shown to be copied.
        "left_over": [
            (TYPED[name], text) for name, text in typed.items() if text and name not in fields
        ],
        "most": MOST_WORDS,
    }


def _proposal(instance: Instance) -> Exclusion | None:
    rows = Exclusion.objects.select_related("proposed_by", "seconded_by")
    return rows.filter(instance=instance).first()
