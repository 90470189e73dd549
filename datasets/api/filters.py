"""The filters of lists of records and questions, by the facets of their pages."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from rest_framework.request import Request

from datasets.facets import FACETS, SLICE, Facet, filters_of
from datasets.models import Collection, Instance, Validity
from leases.refusal import Refusal
from pages.rest.operations import asked
from pages.rest.parameters import Parameter, choice, moment, text

Row = TypeVar("Row", bound=Model)
NAMES = tuple(dict.fromkeys(facet.parameter for facet in FACETS))
PART = "slice"
ABOUT = {
    "reasoning": "The type IV of its tag.",
    "passages": "Whether both answers come from one passage.",
    "kind": "The kind of its questions.",
}
ABOUT_PART = (
    "A slice that the collection's protocol declares, and its value, as NAME:VALUE; reasoning, passages and kind are "
    "for records of WikiContradict."
)
SINCE = "What was added or changed at this moment or later."


def _of_question(condition: Q) -> Q:
    return condition


def _of_record(condition: Q) -> Q:
    """On records: they have such a question."""
    return Q(Exists(Instance.objects.filter(condition, contradiction=OuterRef("pk"))))


def _facet_filters(on: Callable[[Q], Q]) -> tuple[Parameter, ...]:
    found = []
    for name in NAMES:
        conditions = {facet.value: facet.condition for facet in FACETS if facet.parameter == name}

        def lookup(
            rows: QuerySet[Any], value: str, among: dict[str, Q] = conditions
        ) -> QuerySet[Any]:
            return rows.filter(on(among[value]))

        found.append(choice(name, conditions, lookup, ABOUT[name]))
    return tuple(found)


COMMON = (
    # Narrowed by `in_slice`, which knows the collection.
    text(PART, None, ABOUT_PART, longest=1_000),
    moment("changed_since", "created_at__gte", SINCE),
)
QUESTION_FILTERS = (*_facet_filters(_of_question), *COMMON)
RECORD_FILTERS = (
    choice("validity", Validity, "validity"),
    *_facet_filters(_of_record),
    *COMMON,
)


def parameter_of(facet: Facet) -> dict[str, str]:
    """The parameter and the value that give its questions."""
    if facet.parameter.startswith(SLICE):
        return {"parameter": PART, "value": f"{facet.parameter.removeprefix(SLICE)}:{facet.value}"}
    return {"parameter": facet.parameter, "value": facet.value}


def in_slice(
    request: Request, collection: Collection, rows: QuerySet[Row], *, of_records: bool
) -> QuerySet[Row]:
    """The rows in the declared slice that is asked for. Raises Refusal for a filter that the collection lacks."""
    query = asked(request)
    if not collection.is_declared:
        if PART in query:
            raise _unfit(PART, f"{collection.name} has no slices. Use {', '.join(NAMES)}.")
        return rows
    for name in NAMES:
        if name in query:
            raise _unfit(name, f"{name} is for records of WikiContradict. Use {PART}.")
    if PART not in query:
        return rows
    on = _of_record if of_records else _of_question
    return rows.filter(on(_chosen(collection, query[PART]).condition))


def _chosen(collection: Collection, given: str) -> Facet:
    name, _, value = given.partition(":")
    known = {key.removeprefix(SLICE): facets for key, (_, facets) in filters_of(collection).items()}
    if name not in known:
        raise _unfit(PART, f"{PART} takes NAME:VALUE, where NAME is one of {', '.join(known)}.")
    by_value = {facet.value: facet for facet in known[name]}
    if value not in by_value:
        raise _unfit(
            PART, f"{PART} takes {name}:VALUE, where VALUE is one of {', '.join(by_value)}."
        )
    return by_value[value]


def _unfit(name: str, sentence: str) -> Refusal:
    return Refusal(sentence, code="bad_query", fields={name: [sentence]})
