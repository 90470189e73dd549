"""The rows behind a report's numbers: found by what a number counts, written as a table, hashed.

People stand under their pseudonyms. Only first verdicts of closed slots and final verdicts are here: what a
judge may still change is in no number.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from datasets.contexts import reasoning
from datasets.models import SamePassage
from datasets.taxonomy import EXPLICIT, IMPLICIT
from evaluation import tables
from evaluation.counts import first_judged, kept_items, one_passage_prompts
from judging.models import Study, StudyItem, Verdict
from leases.refusal import Refusal

FINAL, FIRST = "final", "first"
LABELLED = "labelled"
MODEL = re.compile(r"[0-9]{1,18}")

_CONTRADICTION = "response__instance__contradiction__"
# Column of rows.csv -> where it stands, seen from a study's item.
COLUMNS = {
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
    "repeat": "slots__repeat",
    "judge": "slots__judge__pseudonym",
    "first_verdict": "slots__judgment__first_verdict",
    "comment": "slots__judgment__comment",
    "seconds": "slots__judgment__seconds",
    "final_verdict": "resolution__verdict",
    "how": "resolution__how",
    "cause": "resolution__cause",
    "note": "resolution__note",
}
ORDER = ("position", "slots__round__n", "slots__seat", "slots__repeat", "slots__pk")
# Texts that no number depends on.
NOT_HASHED = {"title", "question", "response", "comment", "seconds", "cause", "note"}


@dataclass(frozen=True)
class Choice:
    """Which responses of a study; an empty part chooses all.

    `of` names the population: "final" leaves out what the table of final verdicts leaves out, "first" keeps
    responses on which `judge_1` gave the first verdict `first_1` and `judge_2` gave `first_2`.
    """

    of: str = ""
    prompt: str = ""
    model: str = ""
    slice: str = ""
    verdict: str = ""
    judge_1: str = ""
    judge_2: str = ""
    first_1: str = ""
    first_2: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Choice":
        """From a request's query; raises Refusal for a value that no number links to."""
        given = {field.name: query.get(field.name, "").strip() for field in fields(cls)}
        allowed = {
            "of": [FINAL, FIRST],
            "slice": [*tables.SLICES, tables.UNTYPED],
            "verdict": [*Verdict.values, LABELLED, tables.UNLABELLED],
            "first_1": Verdict.values,
            "first_2": Verdict.values,
        }
        for name, values in allowed.items():
            if given[name] and given[name] not in values:
                raise Refusal(
                    f"{name}={given[name]} is not known. Use one of: {', '.join(values)}."
                )
        if given["model"] and not MODEL.fullmatch(given["model"]):
            raise Refusal("A model is chosen by its number. Follow the links of the report.")
        return cls(**given)


def chosen(study: Study, choice: Choice) -> QuerySet[StudyItem]:
    """The study's items that the choice keeps, in the study's order."""
    items = kept_items(study) if choice.of == FINAL else study.items.all()
    if choice.prompt:
        items = items.filter(response__prompt=choice.prompt)
    if choice.model:
        items = items.filter(response__model=int(choice.model))
    if choice.of == FINAL:
        one = Q(response__prompt__in=one_passage_prompts())
        same = Q(**{f"{_CONTRADICTION}same_passage": SamePassage.SAME})
        # Not exclude(): in SQL a condition on an absent value is neither true nor false.
        items = items.filter(~one | ~same | Q(**{f"{_CONTRADICTION}same_passage": None}))
    items = _of_slice(items, choice.slice)
    items = _of_verdict(items, choice.verdict)
    if choice.of == FIRST:
        items = items.filter(Exists(_pairs(study, choice)))
    return items.order_by("position")


def _of_slice(items: QuerySet[StudyItem], part: str) -> QuerySet[StudyItem]:
    column = f"{_CONTRADICTION}type_4"
    value = {tables.EXPLICIT: EXPLICIT, tables.IMPLICIT: IMPLICIT}.get(part)
    if value is not None:
        return items.filter(**{column: value})
    if part == tables.UNTYPED:
        return items.filter(Q(**{column: None}) | ~Q(**{f"{column}__in": [EXPLICIT, IMPLICIT]}))
    return items


def _of_verdict(items: QuerySet[StudyItem], verdict: str) -> QuerySet[StudyItem]:
    if verdict in (LABELLED, tables.UNLABELLED):
        return items.filter(resolution__isnull=verdict == tables.UNLABELLED)
    return items.filter(resolution__verdict=verdict) if verdict else items


def _pairs(study: Study, choice: Choice) -> QuerySet[Any]:
    """Two judges' slots on one item in one round, as the choice names them."""
    wanted = {
        "judge__pseudonym": choice.judge_1,
        "judgment__first_verdict": choice.first_1,
        "item__slots__judge__pseudonym": choice.judge_2,
        "item__slots__judgment__first_verdict": choice.first_2,
    }
    return first_judged(study).filter(
        item=OuterRef("pk"),
        item__slots__round=F("round"),
        item__slots__repeat=1,
        item__slots__judgment__first_verdict__isnull=False,
        item__slots__judge__pseudonym__gt=F("judge__pseudonym"),
        **{name: value for name, value in wanted.items() if value},
    )


def records(items: QuerySet[StudyItem]) -> Iterator[dict[str, Any]]:
    """One record a judge's slot, and one for a response without any: a row of rows.csv each."""
    for record in _read(items, list(COLUMNS)):
        if record["first_verdict"] is None:
            record |= {"comment": None, "seconds": None}
        yield record


def _read(items: QuerySet[StudyItem], names: list[str]) -> Iterator[dict[str, Any]]:
    rows = items.order_by(*ORDER).values_list(*(COLUMNS[name] for name in names))
    for values in rows.iterator(chunk_size=2000):
        record = dict(zip(names, values, strict=True))
        record["reasoning"] = reasoning(record["reasoning"]).value
        record["excluded"] = record["excluded"] is not None
        yield record


def digest(study: Study) -> tuple[str, int]:
    """sha256 (hex) over all that a report of the study is computed from, and how many rows that is.

    The same verdicts give the same hash in every database: no row id is in it.
    """
    sha256, count = hashlib.sha256(), 0
    names = [name for name in COLUMNS if name not in NOT_HASHED]
    for record in _read(study.items.all(), names):
        line = json.dumps(list(record.values()), ensure_ascii=False)
        sha256.update(line.encode("utf-8") + b"\n")
        count += 1
    return sha256.hexdigest(), count
