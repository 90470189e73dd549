"""A page on which people decide about one question: the actions of its buttons, and a refused form shown again."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render

from accounts.access import check_role, person_of
from accounts.models import Person
from accounts.roles import Role
from datasets.models import Instance
from leases.refusal import Refusal

IDS = ("exclusion", "revision")  # fields with the id of the row that the person has read
MOST_DIGITS = 18


class Act(NamedTuple):
    """A button: the function that it calls with these fields of the form, and the message of the next page.

    `roles` where it needs other ones than the page.
    """

    does: Callable[..., object]
    fields: tuple[str, ...]
    message: str
    roles: tuple[Role, ...] = ()


def decision_page(
    request: HttpRequest,
    instance: Instance,
    acts: Mapping[str, Act],
    shown: Callable[[HttpRequest, Instance, Refusal | None], dict[str, Any]],
    *,
    view: str,
    template: str,
) -> HttpResponse:
    """Does what the button says and loads the page again; a refused form keeps its text."""
    refused = None
    if request.method == "POST":
        try:
            message = _done(request.POST, instance, acts, person_of(request))
        except Refusal as refusal:
            refused = refusal
        else:
            messages.success(request, message)
            return redirect(view, instance.contradiction_id, instance.n)
    contradiction = instance.contradiction
    context = {
        "instance": instance,
        "contradiction": contradiction,
        "collection": contradiction.collection,
        "refusal": refused,
        **shown(request, instance, refused),
    }
    return render(request, template, context, status=refused.status if refused else 200)


def _done(posted: QueryDict, instance: Instance, acts: Mapping[str, Act], person: Person) -> str:
    act = acts.get(posted.get("act", ""))
    if act is None:
        raise Refusal("Nothing was done. Use one of the buttons of this page.")
    if act.roles:
        check_role(person, *act.roles, sent=True)
    entered = {name: _entered(posted, name) for name in act.fields}
    act.does(instance=instance, by=person, **entered)
    return act.message


def _entered(posted: QueryDict, name: str) -> str | int:
    text = posted.get(name, "")
    if name not in IDS:
        return text
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0


def left_over(
    typed: Mapping[str, str], labels: Mapping[str, str], fields: Collection[str]
) -> list[tuple[str, str]]:
    """Texts with their labels, typed into `fields` that the page no longer has: shown to be copied."""
    return [
        (labels[name], text) for name, text in typed.items() if text.strip() and name not in fields
    ]
