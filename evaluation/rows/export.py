"""The rows of a report's numbers: written as a table, and hashed.

People are named by their pseudonyms. Only first verdicts of closed slots and final verdicts are here: what a
judge may still change is in no number.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from datasets.contexts import reasoning
from evaluation.annotators.campaign import COMPARED, comparison_rows
from evaluation.archive.bundles import RowsOf
from evaluation.counts.naming import model_names, models_of
from evaluation.report.shapes import Report
from judging.models import MachineVerdict, Study, StudyItem
from judging.states import MachineState

_CONTRADICTION = "response__instance__contradiction__"
# Column of rows.csv -> where it is, seen from a study's item.
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


def records(items: QuerySet[StudyItem]) -> Iterator[dict[str, Any]]:
    """One record a judge's slot, and one for a response without any: a row of rows.csv each."""
    for record in _read(items, list(COLUMNS)):
        if record["first_verdict"] is None:
            record |= {"comment": None, "seconds": None}
        yield record


def _read(items: QuerySet[StudyItem], names: list[str]) -> Iterator[dict[str, Any]]:
    """Who holds a slot that was drawn from a pool is left out until it has a verdict: it changes all the time."""
    rows = items.order_by(*ORDER).values_list(*(COLUMNS[name] for name in names), "study__pairing")
    for *values, pairing in rows.iterator(chunk_size=2000):
        record = dict(zip(names, values, strict=True))
        if pairing == Study.Pairing.POOL and record["first_verdict"] is None:
            record["judge"] = None
        record["reasoning"] = reasoning(record["reasoning"]).value
        record["excluded"] = record["excluded"] is not None
        yield record


def hashed_lines(study: Study, report: Report | None = None) -> Iterator[bytes]:
    """All that a report of the study is computed from, a JSON list a line: the columns HASHED for what people entered,
    then MACHINE_COLUMNS for judge models' replies, then COMPARED for the annotators of the campaigns that `report` has
    numbers of (None: of the closed ones).

    The same verdicts give the same lines in every database: no row id is in them.
    """
    first_verdicts = (list(record.values()) for record in _read(study.items.all(), HASHED))
    for values in chain(first_verdicts, _machine_rows(study), comparison_rows(study, report)):
        yield json.dumps(values, ensure_ascii=False).encode("utf-8") + b"\n"


def rows_of(study: Study) -> RowsOf:
    """How to read the study's hashed lines: their columns, and what a report calls the models that they name."""
    models = models_of(study)
    names = model_names(models)
    return {
        "columns": HASHED,
        "machine_columns": list(MACHINE_COLUMNS),
        "annotator_columns": COMPARED,
        "models": [
            {
                "service": model.service,
                "model": model.model_id,
                "options": model.options_hash,
                "name": names[model.pk],
            }
            for model in models
        ],
    }


def digest(study: Study, report: Report | None = None) -> tuple[str, int]:
    """sha256 (hex) over the hashed lines, and how many they are."""
    sha256, count = hashlib.sha256(), 0
    for line in hashed_lines(study, report):
        sha256.update(line)
        count += 1
    return sha256.hexdigest(), count


def _machine_rows(study: Study) -> Iterator[list[Any]]:
    """Judge models' replies, by response and judge; what waits or failed is in no number."""
    rows = MachineVerdict.objects.filter(judge__study=study, state__in=REPLIES)
    values_of = rows.order_by("item__position").values_list(*MACHINE_COLUMNS.values())
    for _, of_item in groupby(values_of.iterator(chunk_size=2000), key=itemgetter(0)):
        # Names in an order of our own: databases do not agree on that of small and capital letters.
        yield from map(list, sorted(of_item, key=itemgetter(1)))
