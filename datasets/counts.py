"""How many of what a collection holds; always computed from its newest rows."""

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from datasets.models import Collection, Instance, QuestionKind, SamePassage, Validity
from datasets.records import current
from datasets.taxonomy import EXPLICIT, IMPLICIT

_TYPED = Q(contradiction__type_4__in=[EXPLICIT, IMPLICIT])
_SAME = Q(contradiction__same_passage=SamePassage.SAME)


class Facet(NamedTuple):
    """One way to narrow the questions: the address's parameter and value, the words, the condition."""

    parameter: str
    value: str
    label: str
    condition: Q


# Counts and lists share these, so that a number on a page is the number of rows behind its link.
FACETS = (
    Facet("reasoning", "explicit", "Explicit", Q(contradiction__type_4=EXPLICIT)),
    Facet("reasoning", "implicit", "Implicit", Q(contradiction__type_4=IMPLICIT)),
    Facet("reasoning", "untyped", "No type IV", Q(contradiction__type_4=None) | ~_TYPED),
    # Only what somebody called the same is the same; what nobody judged counts as different, as in the paper.
    Facet(
        "passages", "different", "Different passages", Q(contradiction__same_passage=None) | ~_SAME
    ),
    Facet("passages", "same", "Same passage", _SAME),
    Facet("kind", "yes-no", "Yes/no questions", Q(kind=QuestionKind.YES_NO)),
    Facet("kind", "wh", "Wh- questions", Q(kind=QuestionKind.WH)),
)


class Counted(NamedTuple):
    """A facet and the questions it holds."""

    facet: Facet
    questions: int


class Counts(NamedTuple):
    """contradictions include the invalid; facets are in the order of FACETS."""

    contradictions: int
    invalid: int
    questions: int
    facets: list[Counted]


def current_instances(collection: Collection) -> QuerySet[Instance]:
    """The questions of the newest rows, in the collection's order."""
    return Instance.objects.filter(
        contradiction__collection=collection, contradiction__superseded_by=None
    ).order_by("contradiction__position", "n")


def counts_of(collection: Collection) -> Counts:
    tallies = {f"facet_{n}": Count("pk", filter=facet.condition) for n, facet in enumerate(FACETS)}
    found = current_instances(collection).order_by().aggregate(questions=Count("pk"), **tallies)
    rows = current(collection)
    return Counts(
        contradictions=rows.count(),
        invalid=rows.filter(validity=Validity.INVALID).count(),
        questions=found["questions"],
        facets=[Counted(facet, found[f"facet_{n}"]) for n, facet in enumerate(FACETS)],
    )


def narrowed(instances: QuerySet[Instance], chosen: list[Facet]) -> QuerySet[Instance]:
    """The questions that every chosen facet holds."""
    for facet in chosen:
        instances = instances.filter(facet.condition)
    return instances


def sizes() -> dict[int, tuple[int, int]]:
    """Collection's key -> (contradictions, questions), of all collections in one query."""
    newest = Q(contradictions__superseded_by=None)
    rows = Collection.objects.order_by().annotate(
        held=Count("contradictions", filter=newest, distinct=True),
        asked=Count("contradictions__instances", filter=newest),
    )
    return {pk: (held, asked) for pk, held, asked in rows.values_list("pk", "held", "asked")}


def options_chosen(taxonomy: list[list[str]] | None) -> set[str]:
    """The options among a record's taxonomy entries ([dimension] or [dimension, option])."""
    return {entry[1] for entry in taxonomy or [] if len(entry) > 1}


def with_option(instances: QuerySet[Instance], value: str) -> QuerySet[Instance]:
    """The questions whose contradiction has this option of the taxonomy, alone or beside others."""
    typed = (
        instances.order_by().values_list("contradiction_id", "contradiction__taxonomy").distinct()
    )
    having = [key for key, taxonomy in typed if value in options_chosen(taxonomy)]
    return instances.filter(contradiction__in=having)
