"""The numbers of a collection's contradictions and questions, computed from its newest rows."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.models import Collection, Contradiction, Instance, QuestionKind, SamePassage, Validity
from datasets.records import current, newest
from datasets.taxonomy import EXPLICIT, IMPLICIT

_TYPED = Q(contradiction__type_4__in=[EXPLICIT, IMPLICIT])
_SAME = Q(contradiction__same_passage=SamePassage.SAME)


class Facet(NamedTuple):
    """One filter of the questions: the URL's parameter and value, the label, the condition."""

    parameter: str
    value: str
    label: str
    condition: Q


# Counts and lists share these filters, so that a number on a page is the number of rows that its link shows.
FACETS = (
    Facet("reasoning", "explicit", "Explicit", Q(contradiction__type_4=EXPLICIT)),
    Facet("reasoning", "implicit", "Implicit", Q(contradiction__type_4=IMPLICIT)),
    Facet("reasoning", "untyped", "No type IV", Q(contradiction__type_4=None) | ~_TYPED),
    # Passages are the same only by the annotator's answer; unanswered counts as different, as in the paper.
    Facet(
        "passages", "different", "Different passages", Q(contradiction__same_passage=None) | ~_SAME
    ),
    Facet("passages", "same", "Same passage", _SAME),
    Facet("kind", "yes-no", "Yes/no questions", Q(kind=QuestionKind.YES_NO)),
    Facet("kind", "wh", "Wh- questions", Q(kind=QuestionKind.WH)),
)


class Counted(NamedTuple):
    """A facet and the number of its questions."""

    facet: Facet
    questions: int


class Counts(NamedTuple):
    """`contradictions` includes the invalid ones; `facets` is in the order of FACETS."""

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
    tallies = {f"facet_{n}": Count("pk", filter=facet.condition) for n, facet in enumerate(FACETS)}
    shown = shown_to(person, current_instances(collection), "contradiction__")
    totals = shown.order_by().aggregate(questions=Count("pk"), **tallies)
    rows = shown_to(person, current(collection))
    return Counts(
        contradictions=rows.count(),
        invalid=rows.filter(validity=Validity.INVALID).count(),
        questions=totals["questions"],
        facets=[Counted(facet, totals[f"facet_{n}"]) for n, facet in enumerate(FACETS)],
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
