"""The rows behind a report's numbers: found by what a number counts, written as a table, hashed.

People stand under their pseudonyms. Only first verdicts of closed slots and final verdicts are here: what a
judge may still change is in no number.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from datasets.contexts import reasoning
from datasets.models import SamePassage
from datasets.taxonomy import EXPLICIT, IMPLICIT
from evaluation import tables
from evaluation.counts import (
    first_judged,
    kept_items,
    model_names,
    models_of,
    one_passage_prompts,
)
from judging.models import MachineVerdict, Study, StudyItem, Verdict
from judging.states import MachineState
from leases.refusal import Refusal

FINAL, FIRST = "final", "first"
YES, NO = tables.YES, tables.NO
LABELLED, REPLIED = tables.LABELLED, tables.REPLIED
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
HASHED = [name for name in COLUMNS if name not in NOT_HASHED]
MACHINE_COLUMNS = {
    "item": "item__position",
    "judge": "judge__pseudonym",
    "state": "state",
    "verdict": "verdict",
}
REPLIES = [MachineState.JUDGED, MachineState.UNPARSED]
BUNDLED = {"columns": HASHED, "machine_columns": list(MACHINE_COLUMNS)}


@dataclass(frozen=True)
class Choice:
    """Which responses of a study; an empty part chooses all.

    `of` names the population: "final" leaves out what the table of final verdicts leaves out, "first" keeps
    responses on which `judge_1` gave the first verdict `first_1` and `judge_2` gave `first_2`; with `differ` "yes"
    only those on which the two are not the same. `judge_model` keeps those that this judge model was asked
    about, `said` those on which it said so (or on which any did; "replied" is any reply, with a verdict or without).
    `with_model` and `with_prompt` keep those whose question has a final verdict on that model's response to that
    prompt too (each is the response's own where it is empty): the responses of a paired comparison.
    `match` "yes" keeps those on which it said the final verdict, "no" those on which it replied otherwise, and
    `either` those to which people or the judge model gave that verdict.
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
    differ: str = ""
    judge_model: str = ""
    said: str = ""
    match: str = ""
    either: str = ""
    with_model: str = ""
    with_prompt: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Choice":
        """From a request's query; raises Refusal for a value that no number links to."""
        given = {field.name: query.get(field.name, "").strip() for field in fields(cls)}
        allowed = {
            "of": [FINAL, FIRST],
            "slice": [*tables.SLICES, tables.UNTYPED],
            "verdict": [*Verdict.values, LABELLED, tables.UNLABELLED],
            "differ": [YES, NO],
            "first_1": Verdict.values,
            "first_2": Verdict.values,
            "said": [*Verdict.values, tables.UNPARSED, REPLIED],
            "match": [YES, NO],
            "either": Verdict.values,
        }
        for name, values in allowed.items():
            if given[name] and given[name] not in values:
                raise Refusal(
                    f"{name}={given[name]} is not known. Use one of: {', '.join(values)}."
                )
        for name in ("model", "judge_model", "with_model"):
            if given[name] and not MODEL.fullmatch(given[name]):
                raise Refusal("A model is chosen by its number. Follow the links of the report.")
        return cls(**given)


def chosen(study: Study, choice: Choice) -> QuerySet[StudyItem]:
    """The study's items that the choice keeps, in the study's order."""
    items = _counted(study) if choice.of == FINAL else study.items.all()
    if choice.prompt:
        items = items.filter(response__prompt=choice.prompt)
    if choice.model:
        items = items.filter(response__model=int(choice.model))
    if choice.with_model or choice.with_prompt:
        items = items.filter(Exists(_paired(study, choice)))
    items = _of_slice(items, choice.slice)
    items = _of_verdict(items, choice.verdict)
    if choice.judge_model or choice.said or choice.match:
        items = items.filter(Exists(_machine(choice)))
    if choice.either:
        said = _machines_of(choice).filter(verdict=choice.either)
        items = items.filter(Q(resolution__verdict=choice.either) | Exists(said))
    if choice.of == FIRST:
        items = items.filter(Exists(_pairs(study, choice)))
    return items.order_by("position")


def _counted(study: Study) -> QuerySet[StudyItem]:
    """The items that the tables of final verdicts count, labelled or not."""
    one = Q(response__prompt__in=one_passage_prompts())
    same = Q(**{f"{_CONTRADICTION}same_passage": SamePassage.SAME})
    # Not exclude(): in SQL a condition on an absent value is neither true nor false.
    return kept_items(study).filter(~one | ~same | Q(**{f"{_CONTRADICTION}same_passage": None}))


def _paired(study: Study, choice: Choice) -> QuerySet[StudyItem]:
    """The other side's items on the question of one item."""
    model = int(choice.with_model) if choice.with_model else OuterRef("response__model")
    prompt = choice.with_prompt or OuterRef("response__prompt")
    return _counted(study).filter(
        resolution__isnull=False,
        response__instance=OuterRef("response__instance"),
        response__model=model,
        response__prompt=prompt,
    )


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
    other = F("item__slots__judgment__first_verdict")
    # In one filter with the rest, so that all speak of the same other slot.
    unlike = Q(judgment__first_verdict__lt=other) | Q(judgment__first_verdict__gt=other)
    return first_judged(study).filter(
        unlike if choice.differ == YES else Q(),
        item=OuterRef("pk"),
        item__slots__round=F("round"),
        item__slots__repeat=1,
        item__slots__judgment__first_verdict__isnull=False,
        item__slots__judge__pseudonym__gt=F("judge__pseudonym"),
        **{name: value for name, value in wanted.items() if value},
    )


def _machines_of(choice: Choice) -> QuerySet[MachineVerdict]:
    """What the chosen judge model (or any) was asked about one item."""
    found = MachineVerdict.objects.filter(item=OuterRef("pk"))
    return found.filter(judge=int(choice.judge_model)) if choice.judge_model else found


def _machine(choice: Choice) -> QuerySet[MachineVerdict]:
    """The judge models' verdicts on one item that the choice names."""
    found = _machines_of(choice)
    if choice.said == tables.UNPARSED:
        found = found.filter(state=MachineState.UNPARSED)
    elif choice.said == REPLIED or choice.match:
        found = found.filter(state__in=REPLIES)
    if choice.said in Verdict.values:
        found = found.filter(verdict=choice.said)
    return found.filter(_matching(choice.match)) if choice.match else found


def _matching(match: str) -> Q:
    """Whether the machine's verdict is people's; a reply without one, or a response without one, matches nothing."""
    people = F("item__resolution__verdict")
    if match == YES:
        return Q(verdict=people)
    # Not ~Q(): in SQL a condition on an absent value is neither true nor false.
    absent = Q(verdict=None) | Q(item__resolution=None)
    return absent | Q(verdict__lt=people) | Q(verdict__gt=people)


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


def hashed_lines(study: Study) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line: of the columns HASHED for what people said,
    then of MACHINE_COLUMNS for what judge models said.

    The same verdicts give the same lines in every database: no row id is in them.
    """
    said = (list(record.values()) for record in _read(study.items.all(), HASHED))
    for values in chain(said, _machine_rows(study)):
        yield json.dumps(values, ensure_ascii=False).encode("utf-8") + b"\n"


def models_of_rows(study: Study) -> list[dict[str, str]]:
    """By service, model and options' hash, as the rows name it: what a report calls each model."""
    models = models_of(study)
    names = model_names(models)
    return [
        {
            "service": model.service,
            "model": model.model_id,
            "options": model.options_hash,
            "name": names[model.pk],
        }
        for model in models
    ]


def digest(study: Study) -> tuple[str, int]:
    """sha256 (hex) over the hashed lines, and how many they are."""
    sha256, count = hashlib.sha256(), 0
    for line in hashed_lines(study):
        sha256.update(line)
        count += 1
    return sha256.hexdigest(), count


def _machine_rows(study: Study) -> Iterator[list[Any]]:
    """What judge models said, by response and judge; what waits or failed is in no number."""
    rows = MachineVerdict.objects.filter(judge__study=study, state__in=REPLIES)
    said = rows.order_by("item__position").values_list(*MACHINE_COLUMNS.values())
    for _, of_item in groupby(said.iterator(chunk_size=2000), key=itemgetter(0)):
        # Names in an order of our own: databases do not agree on that of small and capital letters.
        yield from map(list, sorted(of_item, key=itemgetter(1)))
