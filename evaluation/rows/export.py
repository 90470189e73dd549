"""The rows of a report's numbers as a table.

People are named by their pseudonyms. Only first verdicts of closed slots and final verdicts are here: what a
judge may still change is in no number. hashing.py says which of these are hashed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet
from django.db.models.expressions import Combinable

from datasets.contexts import reasoning
from evaluation.counts.judged import COLUMNS, ORDER
from evaluation.counts.scored import Scored
from evaluation.scorers import kinds
from evaluation.statistics.measures import F1
from judging.models import Study, StudyItem

# What was drawn for a scored response, and the reply to its check.
_MORE = ("order", "shots", "check_reply")


# Where responses of the study were made elsewhere.
_ELSEWHERE = {"prompt_verified": "response__prompt_verified"}


def columns_of(study: Study) -> dict[str, str | Combinable]:
    """Those of rows.csv that no scorer gives."""
    made = study.items.filter(response__prompt_verified__isnull=False)
    return {**COLUMNS, **_ELSEWHERE} if made.exists() else COLUMNS


def header(columns: Iterable[str], scores: Scored | None) -> list[str]:
    """The columns of rows.csv; where responses are scored, their scores, tags and what was drawn come last."""
    return [*columns, *_scores(scores), "tags", *_MORE] if scores else [*columns]


def _scores(scores: Scored) -> dict[str, Iterable[Any]]:
    """What the scorers say, column by column: a label or a state, and of squad its F1."""
    rows, found = scores.rows, dict[str, Iterable[Any]]()
    for scorer in scores.declaration.entries("scorer"):
        found[f"score_{scorer.name}"] = rows.labels[scorer.name]
        if F1 in kinds.of(scorer.values).means:
            numbers = rows.numbers[scorer.name].tolist()
            found[f"f1_{scorer.name}"] = (None if math.isnan(one) else one for one in numbers)
    return found


def records(
    items: QuerySet[StudyItem],
    scores: Scored | None = None,
    columns: Mapping[str, str | Combinable] = COLUMNS,
) -> Iterator[dict[str, Any]]:
    """The rows of rows.csv: one for each judge's slot, and one for a response without any."""
    labels: dict[str, dict[int, Any]] = {}
    if scores:
        for name, column in _scores(scores).items():
            labels[name] = dict(zip(scores.columns["position"], column, strict=True))
    more = {"drawn": "response__drawn", "check": "response__check_reply"} if scores else {}
    for record in read_columns(items, {**columns, **more}):
        if record["first_verdict"] is None:
            record |= {"comment": None, "seconds": None}
        if scores:
            drawn, check = record.pop("drawn") or {}, record.pop("check")
            tags = scores.tags.get(record["prompt"], {})
            record |= {name: of.get(record["item"]) for name, of in labels.items()}
            record["tags"] = "; ".join(f"{tag}: {value}" for tag, value in tags.items())
            record |= {name: ", ".join(drawn.get(name, ())) for name in ("order", "shots")}
            record["check_reply"] = check
        yield record


def read_columns(
    items: QuerySet[StudyItem], columns: Mapping[str, str | Combinable]
) -> Iterator[dict[str, Any]]:
    """These columns of the rows, by name.

    A slot drawn from a pool has no judge until it has a verdict: its holder changes.
    """
    rows = items.order_by(*ORDER).values_list(*columns.values(), "study__pairing")
    for *values, pairing in rows.iterator(chunk_size=2000):
        record = dict(zip(columns, values, strict=True))
        if pairing == Study.Pairing.POOL and record["first_verdict"] is None:
            record["judge"] = None
        record["reasoning"] = reasoning(record["reasoning"]).value
        record["excluded"] = record["excluded"] is not None
        yield record
