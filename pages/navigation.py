"""The template context of every page: who is signed in, and the pages that their roles may open, in groups."""

from dataclasses import dataclass
from functools import lru_cache

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.safestring import SafeString

from accounts.models import Person
from accounts.roles import Role


@dataclass(frozen=True)
class NavigationPlace:
    """An entry of the navigation: its group, a page's name and the roles that may open it."""

    group: str
    label: str
    view: str
    roles: frozenset[Role]
    prefixes: tuple[str, ...]


@dataclass(frozen=True)
class Link:
    """A place as one person sees it; `here` is true for the one that the open page belongs to."""

    label: str
    url: str
    here: bool


@dataclass(frozen=True)
class Group:
    """Places that open from one button; a single place is a link of its own."""

    label: str
    links: tuple[Link, ...]

    @property
    def single(self) -> Link | None:
        return self.links[0] if len(self.links) == 1 else None

    @property
    def here(self) -> bool:
        return any(link.here for link in self.links)


def _place(group: str, label: str, view: str, roles: set[Role], *prefixes: str) -> NavigationPlace:
    return NavigationPlace(group, label, view, frozenset(roles), prefixes)


ADMIN, RESEARCHER, ANNOTATOR = Role.ADMIN, Role.RESEARCHER, Role.ANNOTATOR
PLACES = [
    _place("Annotate", "Annotate", "annotation:queue", {ANNOTATOR}, "/annotate"),
    _place("Annotate", "Campaigns", "annotation:campaigns", {ADMIN}, "/campaigns"),
    _place("Annotate", "Reviews", "annotation:reviews", {ADMIN}, "/reviews"),
    _place("Judge", "Judge", "judging:queue", {Role.JUDGE}, "/judge"),
    _place("Judge", "Resolve", "judging:resolve_queue", {Role.ADJUDICATOR}, "/resolve"),
    _place("Judge", "Studies", "judging:studies", {ADMIN, RESEARCHER}, "/studies"),
    _place("Data", "Fetch", "wikifetch:fetches", {ADMIN}, "/fetches"),
    _place("Data", "Tags", "wikifetch:tags", {ADMIN, RESEARCHER, ANNOTATOR}, "/tags"),
    _place(
        "Data",
        "Collections",
        "datasets:collections",
        {ADMIN, RESEARCHER, ANNOTATOR},
        "/collections",
        "/contradictions",
        "/imports",
    ),
    _place("Data", "Writing", "writing:writings", {ADMIN, ANNOTATOR}, "/writing"),
    _place("Data", "Protocols", "protocols:protocols", {ADMIN, RESEARCHER}, "/protocols"),
    _place("Models", "Models", "generation:models", {ADMIN}, "/models"),
    _place("Models", "Prompts", "generation:prompts", {ADMIN, RESEARCHER}, "/prompts"),
    _place("Models", "Runs", "generation:runs", {ADMIN, RESEARCHER}, "/runs"),
    _place(
        "Results", "Reports", "evaluation:reports", {ADMIN, RESEARCHER}, "/reports", "/agreement"
    ),
    _place("People", "People", "accounts:people", {ADMIN}, "/people", "/invitations"),
    _place("People", "Audit log", "accounts:audit", {ADMIN}, "/audit"),
    _place("People", "Operations", "operations:overview", {ADMIN}, "/operations"),
]
# More places than this do not fit in one line, and are grouped.
MOST_IN_LINE = 4


def places_for(person: Person) -> tuple[NavigationPlace, ...]:
    return tuple(place for place in PLACES if person.has_role(*place.roles))


def is_grouped(places: tuple[NavigationPlace, ...]) -> bool:
    return len(places) > MOST_IN_LINE


def groups_of(places: tuple[NavigationPlace, ...], here: NavigationPlace | None) -> list[Group]:
    """The places by group where there are many, else each on its own."""
    links: dict[str, list[Link]] = {}
    for place in places:
        group = place.group if is_grouped(places) else place.label
        links.setdefault(group, []).append(Link(place.label, reverse(place.view), place == here))
    return [Group(label, tuple(group)) for label, group in links.items()]


def place_of(path: str) -> NavigationPlace | None:
    return next((place for place in PLACES if path.startswith(place.prefixes)), None)


@lru_cache
def _html(
    places: tuple[NavigationPlace, ...], here: NavigationPlace | None, prefix: str
) -> SafeString:
    """The navigation, which is the same for all people with these places; `prefix` is of its links."""
    context = {"places": groups_of(places, here), "is_grouped": is_grouped(places)}
    return render_to_string("_components/navigation.html", context)


def context(request: HttpRequest) -> dict[str, object]:
    """Context processor: `person` (None when signed out), their `navigation`, and whether it `is_grouped`."""
    user = getattr(request, "user", None)
    if not isinstance(user, Person):
        return {"person": None}
    places = places_for(user)
    navigation = _html(places, place_of(request.path_info), get_script_prefix())
    return {"person": user, "navigation": navigation, "is_grouped": is_grouped(places)}
