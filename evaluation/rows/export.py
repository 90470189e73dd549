"""The rows of a report's numbers as a table.

People are named by their pseudonyms. Only first verdicts of closed slots and final verdicts are here: what a
judge may still change is in no number. What of these is hashed: hashing.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from datasets.contexts import reasoning
from judging.models import Resolution, Study, StudyItem

_CONTRADICTION = "response__instance__contradiction__"
# What the round of a slot ended with on its item.
_ENDED = Resolution.objects.filter(item=OuterRef("pk"), round=OuterRef("slots__round"))
# Column of rows.csv -> where it is, seen from a study's item.
COLUMNS: dict[str, str | Combinable] = {
    "item": "position",
    "collection": f"{_CONTRADICTION}collection__name",
    "contradiction": f"{_CONTRADICTION}external_id",
    "title": f"{_CONTRADICTION}title",
    "question_number": "response__instance__n",
    "question": "response__instance__question",
    "reasoning": f"{_CONTRADICTION}type_4",
    "same_passage": f"{_CONTRADICTION}same_passage",
    "excluded": "response__instance__exclusion__seconded_by",
    "prompt": "response__prompt",
    "model_service": "response__model__service",
    "model": "response__model__model_id",
    "model_options": "response__model__options_hash",
    "sample": "response__sample",
    "response": "response__text",
    "round": "slots__round__n",
    "round_verdict": Subquery(_ENDED.values("verdict")),
    "repeat": "slots__repeat",
    "judge": "slots__judge__pseudonym",
    "first_verdict": "slots__judgment__first_verdict",
    "comment": "slots__judgment__comment",
    "seconds": "slots__judgment__seconds",
    "final_verdict": "resolution__verdict",
    "final_round": "resolution__round__n",
    "how": "resolution__how",
    "cause": "resolution__cause",
    "note": "resolution__note",
}
ORDER = ("position", "slots__round__n", "slots__seat", "slots__repeat", "slots__pk")


def records(items: QuerySet[StudyItem]) -> Iterator[dict[str, Any]]:
    """One record a judge's slot, and one for a response without any: a row of rows.csv each."""
    for record in read(items, COLUMNS):
        if record["first_verdict"] is None:
            record |= {"comment": None, "seconds": None}
        yield record


def read(
    items: QuerySet[StudyItem], columns: Mapping[str, str | Combinable]
) -> Iterator[dict[str, Any]]:
    """These columns of the rows, by name.

    Who holds a slot that was drawn from a pool is left out until it has a verdict: it changes all the time.
    """
    rows = items.order_by(*ORDER).values_list(*columns.values(), "study__pairing")
    for *values, pairing in rows.iterator(chunk_size=2000):
        record = dict(zip(columns, values, strict=True))
        if pairing == Study.Pairing.POOL and record["first_verdict"] is None:
            record["judge"] = None
        record["reasoning"] = reasoning(record["reasoning"]).value
        record["excluded"] = record["excluded"] is not None
        yield record
