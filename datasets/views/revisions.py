"""Revised passages: the list of a collection, and the page on which they are written and checked."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import person_of, roles_required
from accounts.models import Person
from accounts.roles import Role
from datasets import revisions as rules
from datasets.blinding import keep_listed, show
from datasets.contexts import is_same
from datasets.exclusions import question_of, standings
from datasets.models import Contradiction, Instance
from datasets.records import check_not_declared, collection_named
from datasets.revisions import Texts
from datasets.states import RevisionState as State
from datasets.views.decisions import Act, decision_page, left_over
from datasets.views.hidden import hidden_or_asked
from leases.refusal import Refusal
from pages.paging import page_of

WRITE = (Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR)
FILTERS = (
    ("", "All questions"),
    (rules.CHECKED, "Checked"),
    (rules.WAITING, "Waiting for a check"),
    (rules.NONE, "None yet"),
)
REVISED = "Revised passages"
TYPED = {"passage_1": "Passage 1", "passage_2": "Passage 2", "answer": "Answer", "note": "Note"}


def _write(*, instance: Instance, by: Person, **texts: str) -> None:
    rules.write(instance=instance, by=by, texts=Texts(**texts))


ACTS = {
    "write": Act(
        _write,
        Texts._fields,
        "Handed in. Another person has to check them before a run can ask about them.",
    ),
    "withdraw": Act(rules.withdraw, ("revision",), "Withdrawn."),
    "accept": Act(
        rules.accept,
        ("revision",),
        "Accepted. New runs with prompts 5.3 and 5.4 ask about these passages.",
        rules.CHECKERS,
    ),
    "reject": Act(
        rules.reject,
        ("revision", "note"),
        "Rejected. Their author can read your note here.",
        rules.CHECKERS,
    ),
}


@require_GET
@roles_required(*WRITE)
def revised(request: HttpRequest, name: str) -> HttpResponse:
    """The questions with checked passages, with passages to check, and without any."""
    collection, wanted = collection_named(name), request.GET.get("state", "")
    check_not_declared(collection, REVISED)
    person = person_of(request)
    rows = rules.narrowed(rules.with_revisions(collection, person), wanted)
    page = page_of(request, rows.select_related("contradiction"))
    keep_listed(person, (row.contradiction_id for row in page), request.path)
    context = {
        "collection": collection,
        "hidden": hidden_or_asked(request, collection),
        "progress": rules.progress(collection, person),
        "filters": [(value, label, value == wanted) for value, label in FILTERS],
        "narrowed": wanted in dict(FILTERS[1:]),
        "page": page,
        "rows": standings(page, person),
        "may_check": person.has_role(*rules.CHECKERS),
    }
    return render(request, "datasets/revised_list.html", context)


@require_http_methods(["GET", "POST"])
@roles_required(*WRITE)
def revision(request: HttpRequest, key: int, n: int) -> HttpResponse:
    """Write, check or withdraw one question's revised passages."""
    instance = question_of(key, n)
    check_not_declared(instance.contradiction.collection, REVISED)
    show(person_of(request), Contradiction.objects.filter(pk=key), request.path)
    return decision_page(
        request,
        instance,
        ACTS,
        _context,
        view="datasets:revision",
        template="datasets/revised.html",
    )


def _context(request: HttpRequest, instance: Instance, refused: Refusal | None) -> dict[str, Any]:
    contradiction, person = instance.contradiction, person_of(request)
    shown = _shown(instance)
    waiting = shown["waiting"]
    is_own = bool(waiting and waiting[0].author_id == person.pk)
    newer = Contradiction.objects.filter(supersedes=contradiction).first()
    afresh = request.GET.get("from") == "originals"
    may_write = waiting is None and newer is None
    typed = {name: request.POST.get(name, "") for name in TYPED} if refused else {}
    may_check = bool(waiting) and not is_own and person.has_role(*rules.CHECKERS)
    fields = set(Texts._fields) if may_write else {"note"} if may_check else set()
    writes = refused is not None and any(name in request.POST for name in Texts._fields)
    start = rules.starting_from(instance, afresh=afresh)
    return {
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
        "typed": typed,
        "left_over": left_over(typed, TYPED, fields),
        "most_passage": rules.MOST_PASSAGE,
        "most_answer": rules.MOST_ANSWER,
        "most_note": rules.MOST_NOTE,
    }


def _shown(instance: Instance) -> dict[str, Any]:
    """The question's revisions by state, each with its word diffs."""
    rows = instance.revised_passages.select_related("author", "checker").order_by("-pk")
    shown = [(row, rules.diffs(row, instance)) for row in rows]
    return {
        "waiting": next((row for row in shown if row[0].state == State.PROPOSED), None),
        "checked": next((row for row in shown if row[0].state == State.CHECKED), None),
        "rejected": next((row for row, _ in shown[:1] if row.state == State.REJECTED), None),
        "past": [row for row in shown if row[0].state not in (State.PROPOSED, State.CHECKED)],
        "has_earlier": bool(shown),
    }
