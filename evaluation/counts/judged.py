"""The responses and slots of a study, read once for all sections of a report.

They are read as columns of stored values: in a row, an expression, a key or a time costs several times as much as all
the rest. What a question, a model or an item has is read once, not for each response or slot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from django.db.models import OuterRef, QuerySet, Subquery, TextField
from django.db.models.expressions import Combinable
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from numpy.typing import NDArray

from datasets.models import Instance
from evaluation.statistics.columns import PIECE, Column, Mask, Places, columns
from generation.models import LanguageModel
from judging.clusters import cluster_field
from judging.models import Resolution, Study
from judging.rules.rubric import parse

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
    "excluded": "response__instance__exclusion__after_results",
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
# Which of COLUMNS belong to a slot, to an item, to its question and to its model.
SLOT: dict[str, str | Combinable] = {
    **{name: COLUMNS[name] for name in ("item", "round", "repeat", "judge", "first_verdict")},
    "moment": Cast("slots__judgment__judged_at", TextField()),
    "state": "slots__state",
    "skip_reason": "slots__skip_reason",
}
_OF_ITEMS = ("item", "prompt", "sample", "final_verdict", "final_round", "how")
ITEM: dict[str, str | Combinable] = {
    **{name: COLUMNS[name] for name in _OF_ITEMS},
    "instance": "response__instance_id",
    "llm": "response__model_id",
    "run": "response__run_id",
    "response_state": "response__state",
}
_QUESTION = "response__instance__"
QUESTION = {
    name: where.removeprefix(_QUESTION)
    for name, where in COLUMNS.items()
    if isinstance(where, str) and where.startswith(_QUESTION) and name != "question"
} | {"collection_id": "contradiction__collection_id", "why_excluded": "exclusion__reason"}
MODEL = {"model_service": "service", "model": "model_id", "model_options": "options_hash"}
Columns = Mapping[str, Column]
Moments = NDArray[np.datetime64]


class FirstVerdicts(NamedTuple):
    """Independent first verdicts, in the order of items and rounds: arrays of one entry each.

    `at` is the place among the items, `judge` among `Judged.judges` (-1 where it is not known), `verdict` on the scale;
    `moment` is when it was given (UTC).
    """

    at: Places
    round: Places
    judge: Places
    verdict: Places
    moment: Moments


@dataclass(frozen=True)
class Judged:
    """The columns of the items, by position, and of their slots in the order of rows.csv.

    An item without a slot has one empty slot. `at` is the place of each slot's item among the items, `moments` when
    its verdict was given (UTC).
    """

    study: Study
    items: Columns
    slots: Columns
    at: Places
    moments: Moments

    @classmethod
    def of_study(cls, study: Study) -> "Judged":
        # Slots first: an item that a new round adds between the two reads has no slot here.
        slots = _read(SLOT, study.items.order_by(*ORDER))
        items = items_of(study)
        at = slots["item"].on(items["item"].values)
        return cls(study, items, slots, at, _times(slots.pop("moment")))

    @property
    def scale(self) -> list[str]:
        """The verdicts of the study's rubric, in its order."""
        return self.study.judged_by.scale.keys if self.study.is_judged else []

    @cached_property
    def asked(self) -> Mask:
        """Which items people judge: those to prompts that the rubric has nothing on are scored alone."""
        version = self.study.rubric
        known = parse(version.body) if version else None
        return self.items["prompt"].among(
            {prompt for prompt in self.items["prompt"].values if known and known.is_judged(prompt)}
        )

    @cached_property
    def judges(self) -> list[str]:
        """Those who have a slot, by name."""
        return sorted(judge for judge in self.slots["judge"].values if judge is not None)

    @cached_property
    def given(self) -> Mask:
        """Whether a slot has a first verdict."""
        return ~self.slots["first_verdict"].among({None})

    @cached_property
    def rounds(self) -> Places:
        """The number of each slot's round, 0 where there is no slot."""
        return self.slots["round"].mapped(lambda n: n or 0).numbers()

    @cached_property
    def first(self) -> FirstVerdicts:
        """Repeats measure a judge against themself, so they stay out."""
        rows = np.flatnonzero(self.given & self.slots["repeat"].among({1}))
        judge, verdict = self.slots["judge"][rows], self.slots["first_verdict"][rows]
        return FirstVerdicts(
            self.at[rows],
            self.rounds[rows],
            judge.on(self.judges),
            verdict.on(self.scale),
            self.moments[rows],
        )


def items_of(study: Study) -> Columns:
    """The columns of a study's items, by position, with those of their questions and models."""
    items = _read(ITEM, study.items.order_by("position"))
    field = cluster_field(study)
    question: dict[str, str | Combinable] = {**QUESTION}
    if field:
        question["title"] = KeyTextTransform(field, "contradiction__fields")
    asked = Instance.objects.filter(pk__in=study.items.order_by().values("response__instance"))
    models = LanguageModel.objects.filter(pk__in=items["llm"].values)
    of_questions = of_each(items["instance"], question, asked)
    return {**items, **of_questions, **of_each(items["llm"], MODEL, models)}


def _read(where: Mapping[str, str | Combinable], rows: QuerySet[Any]) -> dict[str, Column]:
    return columns(where, rows.values_list(*where.values()).iterator(chunk_size=PIECE))


def of_each(
    keys: Column, where: Mapping[str, str | Combinable], rows: QuerySet[Any]
) -> dict[str, Column]:
    """The columns of the rows that `keys` name, one entry for each key."""
    of_key = {key: values for key, *values in rows.values_list("pk", *where.values())}
    read = columns(where, map(of_key.__getitem__, keys.values))
    return {name: column[keys.at] for name, column in read.items()}


def _times(moments: Column) -> Moments:
    """As numpy has them; PostgreSQL writes the time zone, which is always UTC."""
    texts = [moment and moment.removesuffix("+00") for moment in moments.values]
    return np.array(texts, dtype="datetime64[us]")[moments.at]
