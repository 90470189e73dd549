"""The line of a list that says how many records are hidden from the reader."""

from django.http import HttpRequest

from accounts.access import person_of
from datasets.blinding import check_collection, hidden_in
from datasets.models import Collection


def hidden_or_asked(request: HttpRequest, collection: Collection) -> int:
    """How many records are hidden; ?hidden=show asks whether to show them."""
    person = person_of(request)
    if request.GET.get("hidden") == "show":
        check_collection(person, collection)
    return hidden_in(person, collection)
