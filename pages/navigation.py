"""What every page knows: who is signed in, and the places that their roles open."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from accounts.models import Person
from accounts.roles import Role


@dataclass(frozen=True)
class Place:
    """An entry of the navigation: a page's name and the roles that may open it."""

    label: str
    view: str
    roles: frozenset[Role]
    prefixes: tuple[str, ...]


PLACES = [
    Place("Annotate", "annotation:queue", frozenset({Role.ANNOTATOR}), ("/annotate",)),
    Place("Judge", "judging:queue", frozenset({Role.JUDGE}), ("/judge",)),
    Place("Resolve", "judging:resolve_queue", frozenset({Role.ADJUDICATOR}), ("/resolve",)),
    Place("Fetch", "wikifetch:fetches", frozenset({Role.ADMIN}), ("/fetches",)),
    Place(
        "Tags",
        "wikifetch:tags",
        frozenset({Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR}),
        ("/tags",),
    ),
    Place("Campaigns", "annotation:campaigns", frozenset({Role.ADMIN}), ("/campaigns",)),
    Place("Reviews", "annotation:reviews", frozenset({Role.ADMIN}), ("/reviews",)),
    Place(
        "Collections",
        "datasets:collections",
        frozenset({Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR}),
        ("/collections", "/contradictions"),
    ),
    Place("Models", "generation:models", frozenset({Role.ADMIN}), ("/models",)),
    Place("Runs", "generation:runs", frozenset({Role.ADMIN, Role.RESEARCHER}), ("/runs",)),
    Place("Studies", "judging:studies", frozenset({Role.ADMIN, Role.RESEARCHER}), ("/studies",)),
    Place(
        "Reports",
        "evaluation:reports",
        frozenset({Role.RESEARCHER, Role.ADMIN}),
        ("/reports", "/agreement"),
    ),
    Place("People", "accounts:people", frozenset({Role.ADMIN}), ("/people", "/invitations")),
    Place("Operations", "operations:overview", frozenset({Role.ADMIN}), ("/operations",)),
]


def places_for(person: Person, path: str) -> list[dict[str, object]]:
    """The entries that `person` may open, each with whether `path` lies in it."""
    found: list[dict[str, object]] = []
    for place in PLACES:
        if not person.has_role(*place.roles):
            continue
        try:
            url = reverse(place.view)
        except NoReverseMatch:
            continue
        found.append({"label": place.label, "url": url, "here": path.startswith(place.prefixes)})
    return found


def context(request: HttpRequest) -> dict[str, object]:
    """Context processor: `person` (None when signed out) and `places`."""
    user = getattr(request, "user", None)
    if not isinstance(user, Person):
        return {"person": None, "places": []}
    return {"person": user, "places": places_for(user, request.path_info)}
