"""The filters of a collection's questions: WikiContradict's, and the slices that a protocol declares."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.lookups import In

from accounts.models import Person
from datasets.blinding import hidden_in, shown_to
from datasets.models import Collection, Contradiction, QuestionKind, SamePassage
from datasets.records import current
from datasets.taxonomy import EXPLICIT, IMPLICIT
from pages.memory import Memory

_TYPED = Q(contradiction__type_4__in=[EXPLICIT, IMPLICIT])
_SAME = Q(contradiction__same_passage=SamePassage.SAME)


class Facet(NamedTuple):
    """One filter of the questions: the URL's parameter and value, the label, the condition, the parameter's title."""

    parameter: str
    value: str
    label: str
    condition: Q
    title: str


# Counts and lists share these filters, so that a number on a page is the number of rows that its link shows.
FACETS = (
    Facet("reasoning", "explicit", "Explicit", Q(contradiction__type_4=EXPLICIT), "Reasoning"),
    Facet("reasoning", "implicit", "Implicit", Q(contradiction__type_4=IMPLICIT), "Reasoning"),
    Facet("reasoning", "untyped", "No type IV", Q(contradiction__type_4=None) | ~_TYPED, "Reasoning"),
    # Passages are the same only by the annotator's answer; unanswered counts as different, as in the paper.
    Facet("passages", "different", "Different passages",
          Q(contradiction__same_passage=None) | ~_SAME, "Passages"),
    Facet("passages", "same", "Same passage", _SAME, "Passages"),
    Facet("kind", "yes-no", "Yes/no questions", Q(kind=QuestionKind.YES_NO), "Kind"),
    Facet("kind", "wh", "Wh- questions", Q(kind=QuestionKind.WH), "Kind"),
)  # fmt: skip

# What parameters of declared slices begin with: a field may have the name of any other parameter.
SLICE = "slice-"
# A slice with more values is no filter: nobody finds one among them.
MOST_VALUES = 200
EMPTY = "(empty)"
# The values of slices with their counts, by the rows that were counted: a pass over all records takes seconds.
_COUNTED = Memory(100)


def facets_of(collection: Collection) -> Sequence[Facet]:
    """All of the collection's filters, those of a parameter together."""
    return [facet for facet, _ in declared_counts(collection)] if collection.is_declared else FACETS


def filters_of(collection: Collection) -> dict[str, tuple[str, list[Facet]]]:
    """Parameter -> its title and its facets."""
    filters: dict[str, tuple[str, list[Facet]]] = {}
    for facet in facets_of(collection):
        filters.setdefault(facet.parameter, (facet.title, []))[1].append(facet)
    return filters


def chosen_facets(collection: Collection, given: Mapping[str, str]) -> list[Facet]:
    """The filters that are named in a query {parameter: value}."""
    return [facet for facet in facets_of(collection) if given.get(facet.parameter) == facet.value]


def declared_counts(
    collection: Collection, person: Person | None = None
) -> list[tuple[Facet, int]]:
    """The filters by declared slices: first the known values in their order, then others; with their questions.

    Only those that are not hidden from the person are counted.
    """
    if not collection.is_declared:
        return []
    values = shown = _slice_values(collection)
    if person and hidden_in(person, collection):
        shown = _counted(collection, shown_to(person, current(collection)))
    counted: list[tuple[Facet, int]] = []
    for name, field in collection.declaration.slices.items():
        named = [*field.values, *sorted(values[name].keys() - set(field.values))]
        if len(named) <= MOST_VALUES:
            counted += [
                (
                    Facet(SLICE + name, value, value, _holds(name, value), field.title),
                    shown[name][value],
                )
                for value in named
            ]
    return counted


def _slice_values(collection: Collection) -> dict[str, Counter[str]]:
    """Slice -> value -> how many of the collection's records have it; an empty one is EMPTY."""
    rows = current(collection).order_by()
    # Records never change: the same rows have the same values.
    ends = (Count("pk"), Max("pk"), Min("external_id"), Max("external_id"))
    key = repr((collection.pk, sorted(rows.aggregate(*ends).items()))).encode()
    kept = _COUNTED.get(key)
    if kept is None:
        kept = (_counted(collection, rows),)
        _COUNTED.put(key, kept[0])
    result: dict[str, Counter[str]] = kept[0]
    return result


def _counted(collection: Collection, rows: QuerySet[Contradiction]) -> dict[str, Counter[str]]:
    names = list(collection.declaration.slices)
    values: dict[str, Counter[str]] = {name: Counter() for name in names}
    texts = [KeyTextTransform(name, "fields") for name in names]
    parts = rows.order_by().values_list(*texts).annotate(records=Count("pk")) if names else ()
    for *found, records in parts:
        for name, value in zip(names, found, strict=True):
            values[name][value or EMPTY] += records
    return values


def slice_text(name: str) -> KeyTextTransform:
    """The value of a declared slice, of the record of a question."""
    return KeyTextTransform(name, "contradiction__fields")


def _holds(name: str, value: str) -> Q:
    texts = ["", EMPTY] if value == EMPTY else [value]
    return Q(In(slice_text(name), texts))
