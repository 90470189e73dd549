"""Revised passages: the list of a collection, and the page on which they are written and checked."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import check_role, person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from datasets import revisions as rules
from datasets.contexts import is_same
from datasets.exclusions import question_of, standings
from datasets.models import Contradiction, Instance, RevisedPassage
from datasets.records import collection_named
from datasets.revisions import Texts
from datasets.states import RevisionState
from leases.refusal import Refusal
from pages.paging import page_of

WRITE = (Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
CHECK = (Role.ADMIN, Role.RESEARCHER)
FILTERS = (
    ("", "All questions"),
    (rules.CHECKED, "Checked"),
    (rules.WAITING, "Waiting for a check"),
    (rules.NONE, "None yet"),
)
TYPED = {"passage_1": "Passage 1", "passage_2": "Passage 2", "answer": "Answer", "note": "Note"}
MOST_DIGITS = 18


@require_GET
@roles_required(*WRITE)
def revised(request: HttpRequest, name: str) -> HttpResponse:
    """The questions with checked passages, with passages to check, and without any."""
    collection, wanted = collection_named(name), request.GET.get("state", "")
    person = person_of(request)
    rows = rules.narrowed(rules.with_revisions(collection), wanted).select_related("contradiction")
    page = page_of(request, rows)
    context = {
        "collection": collection,
        "progress": rules.progress(collection),
        "filters": [(value, label, value == wanted) for value, label in FILTERS],
        "narrowed": wanted in dict(FILTERS[1:]),
        "page": page,
        "rows": standings(page, person),
        "may_check": person.has_role(*CHECK),
    }
    return render(request, "datasets/revised_list.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(*WRITE)
def revision(request: HttpRequest, key: int, n: int) -> HttpResponse:
    """Write, check or withdraw one question's revised passages; a refused form keeps its text."""
    instance, person = question_of(key, n), person_of(request)
    refused = None
    if request.method == "POST":
        try:
            message = _act(request.POST, instance, person)
        except Refusal as refusal:
            refused = refusal
        else:
            messages.success(request, message)
            return redirect("datasets:revision", key, n)
    context = _context(request, instance, person, refused)
    status = refused.status if refused else 200
    return render(request, "datasets/revised.html", context, status=status)


def _act(posted: Any, instance: Instance, person: Person) -> str:
    """Do what the button says; returns the message for the next page. Raises Refusal."""
    act, number = posted.get("act", ""), posted.get("revision", "")
    known = number.isdecimal() and len(number) <= MOST_DIGITS
    about: dict[str, Any] = {"instance": instance, "by": person}
    read = {**about, "revision": int(number) if known else 0}
    if act == "write":
        texts = Texts(*(posted.get(name, "") for name in Texts._fields))
        rules.write(**about, texts=texts)
        return "Handed in. Another person has to check them before a run can ask about them."
    if act == "withdraw":
        rules.withdraw(**read)
        return "Withdrawn."
    if act in ("accept", "reject"):
        check_role(person, *CHECK, sent=True)
    if act == "accept":
        rules.accept(**read)
        return "Accepted. New runs with prompts 5.3 and 5.4 ask about these passages."
    if act == "reject":
        rules.reject(**read, note=posted.get("note", ""))
        return "Rejected. Their author can read your note here."
    raise Refusal("Nothing was done. Use one of the buttons of this page.")


def _context(
    request: HttpRequest, instance: Instance, person: Person, refused: Refusal | None
) -> dict[str, Any]:
    contradiction = instance.contradiction
    shown = _shown(instance)
    waiting = shown["waiting"]
    is_own = bool(waiting and waiting[0].author_id == person.pk)
    newer = Contradiction.objects.filter(supersedes=contradiction).first()
    afresh = request.GET.get("from") == "originals"
    may_write = waiting is None and newer is None
    typed = {name: request.POST.get(name, "") for name in TYPED} if refused else {}
    may_check = bool(waiting) and not is_own and person.has_role(*CHECK)
    fields = set(Texts._fields) if may_write else {"note"} if may_check else set()
    writes = refused is not None and any(name in request.POST for name in Texts._fields)
    start = rules.starting_from(instance, afresh=afresh)
    return {
        "instance": instance,
        "contradiction": contradiction,
        "collection": contradiction.collection,
        "one_passage": is_same(contradiction),
        "originals": rules.originals(instance),
        **shown,
        "is_own": is_own,
        "may_check": may_check,
        "may_write": may_write,
        "newer": newer,
        "afresh": afresh,
        "start": Texts(*(typed[name] for name in Texts._fields)) if writes else start,
        "opens": writes or afresh,
        "refusal": refused,
        "typed": typed,
        # Text of a form that the page no longer has, shown to be copied.
        "left_over": [
            (TYPED[name], text)
            for name, text in typed.items()
            if text.strip() and name not in fields
        ],
        "most_passage": rules.MOST_PASSAGE,
        "most_answer": rules.MOST_ANSWER,
        "most_note": rules.MOST_NOTE,
    }


def _shown(instance: Instance) -> dict[str, Any]:
    """The question's revisions by state, each with its word diffs."""
    rows = instance.revised_passages.select_related("author", "checker").order_by("-pk")
    shown = [(row, rules.diffs(row, instance)) for row in rows]
    return {
        "waiting": next((each for each in shown if each[0].state == RevisionState.PROPOSED), None),
        "checked": next((each for each in shown if each[0].state == RevisionState.CHECKED), None),
        "rejected": next(
            (row for row, _ in shown[:1] if row.state == RevisionState.REJECTED), None
        ),
        "past": [each for each in shown if _is_past(each[0])],
        "has_earlier": bool(shown),
    }


def _is_past(row: RevisedPassage) -> bool:
    return row.state not in (RevisionState.PROPOSED, RevisionState.CHECKED)
