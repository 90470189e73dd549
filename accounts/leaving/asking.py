"""What becomes of a person's open work, asked on a page before they leave, and done with the act."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.access import person_of
from accounts.leaving import open_work
from accounts.leaving.open_work import OpenWork
from accounts.models import Person
from accounts.roles import Role

# A choice is a field with this before the key of the work.
FIELD = "work-"


def asks_first(
    request: HttpRequest, someone: Person, lost: Collection[Role], act: str
) -> HttpResponse | None:
    """The page that lists what the person holds by these roles, with choices; None once it was read, or for nothing."""
    if "confirmed" in request.POST or not lost:
        return None
    by = person_of(request)
    held, only = (asked(someone, lost, by) for asked in (open_work.affected, open_work.only_theirs))
    if not held and not only:
        return None
    return leaving_page(request, someone, held, act, only_theirs=only, keeps=True)


def leaving_page(
    request: HttpRequest, someone: Person, held: Sequence[OpenWork], act: str, **context: object
) -> HttpResponse:
    """What becomes of these works of the person, to choose from, before an act that is sent again with the choices."""
    sent = [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]
    context |= {"someone": someone, "held": held, "act": act, "sent": sent}
    return render(request, "accounts/leaving.html", context)


def chosen(request: HttpRequest) -> dict[str, str]:
    """What a form says of open work, by its key."""
    return {
        name.removeprefix(FIELD): str(value)
        for name, value in request.POST.items()
        if name.startswith(FIELD)
    }


@contextmanager
def settle_with(request: HttpRequest, someone: Person) -> Iterator[None]:
    """Do with the person's work what the form says, and the block, or neither; then say what was done."""
    by = person_of(request)
    with transaction.atomic():
        wanted = chosen(request)
        said = open_work.settle(open_work.held_by(someone, by), wanted, by) if wanted else []
        yield
    for sentence in said:
        messages.success(request, sentence)
