"""The numbers of a collection's contradictions and questions, computed from its newest rows."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.facets import FACETS, Facet, declared_counts
from datasets.models import Collection, Contradiction, Instance, Validity
from datasets.records import current, newest


class Counted(NamedTuple):
    """A facet and the number of its questions."""

    facet: Facet
    questions: int


class Counts(NamedTuple):
    """`contradictions` includes the invalid ones; `facets` is in the order of facets_of."""

    contradictions: int
    invalid: int
    questions: int
    facets: list[Counted]


def current_instances(collection: Collection) -> QuerySet[Instance]:
    """The questions of the newest rows, in the collection's order."""
    return Instance.objects.filter(
        newest("contradiction__"), contradiction__collection=collection
    ).order_by("contradiction__position", "n")


def counts_of(collection: Collection, person: Person | None = None) -> Counts:
    """Of the records that are not hidden from the person; of all for None, as in a command."""
    facets = () if collection.is_declared else FACETS
    tallies = {f"facet_{n}": Count("pk", filter=facet.condition) for n, facet in enumerate(facets)}
    shown = shown_to(person, current_instances(collection), "contradiction__")
    totals = shown.order_by().aggregate(questions=Count("pk"), **tallies)
    rows = shown_to(person, current(collection))
    return Counts(
        contradictions=rows.count(),
        invalid=rows.filter(validity=Validity.INVALID).count(),
        questions=totals["questions"],
        facets=[Counted(facet, totals[f"facet_{n}"]) for n, facet in enumerate(facets)]
        + [Counted(*counted) for counted in declared_counts(collection, person)],
    )


def narrowed(instances: QuerySet[Instance], chosen: list[Facet]) -> QuerySet[Instance]:
    for facet in chosen:
        instances = instances.filter(facet.condition)
    return instances


def sizes(person: Person, collections: Iterable[Collection]) -> dict[int, tuple[int, int]]:
    """Collection's key -> (contradictions, questions), without records hidden from the person."""
    keys = [collection.pk for collection in collections]
    rows = Contradiction.objects.filter(newest(), collection__in=keys)
    asked = Instance.objects.filter(newest("contradiction__"), contradiction__collection__in=keys)
    records = _tally(shown_to(person, rows), "collection")
    questions = _tally(shown_to(person, asked, "contradiction__"), "contradiction__collection")
    return {pk: (records.get(pk, 0), questions.get(pk, 0)) for pk in keys}


def _tally(rows: QuerySet[Any], by: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=Count("pk")))


def options_chosen(taxonomy: list[list[str]] | None) -> set[str]:
    """The options among a record's taxonomy entries ([dimension] or [dimension, option])."""
    return {entry[1] for entry in taxonomy or [] if len(entry) > 1}


def with_option(instances: QuerySet[Instance], value: str) -> QuerySet[Instance]:
    """The questions whose contradiction has this option of the taxonomy, alone or with others."""
    typed = (
        instances.order_by().values_list("contradiction_id", "contradiction__taxonomy").distinct()
    )
    having = [key for key, taxonomy in typed if value in options_chosen(taxonomy)]
    return instances.filter(contradiction__in=having)
