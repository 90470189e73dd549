"""A campaign as Label Studio's tasks: one for each tag of a round, with the work of each of its annotators.

A control has the annotator's pseudonym, because Label Studio gives annotations of people that it does not know to
whoever imports them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from annotation.exporting.annotation_records import BATCH
from annotation.models import Annotation, Assignment, Campaign, Question
from annotation.reviewing.publishing_tags import entered_columns, slots_of, tag_columns
from annotation.states import EDITABLE, AnnotationState, AssignmentState
from datasets import schema
from datasets.exporters.labelstudio import FEWEST_QUESTIONS
from datasets.labelstudio.configuration import configuration
from datasets.labelstudio.tasks import data_of, results_of, signature

# Those by which the tag was decided.
CHOSEN = (AnnotationState.ACCEPTED, AnnotationState.PUBLISHED)
BLANK = ({"text": [""]}, {"choices": [""]})  # of what is being corrected
# Of a sighting: long, and not exported.
LONG = ("revision__wikitext", "block_clean", "block_text")


def task_list(campaign: Campaign) -> Iterator[bytes]:
    """The file's UTF-8 text, a task at a time, in the order of the draw."""
    before = b"[\n"
    for task in _tasks(campaign):
        yield before + json.dumps(task, ensure_ascii=False).encode()
        before = b",\n"
    yield b"[]\n" if before.startswith(b"[") else b"\n]\n"


def labelling(campaign: Campaign) -> bytes:
    """The labelling configuration that the tasks fit."""
    asked = Question.objects.filter(annotation__first_assignment__campaign=campaign).order_by("-n")
    most = asked.values_list("n", flat=True).first() or 0
    return configuration(max(FEWEST_QUESTIONS, most), with_pseudonym=True).encode()


def _tasks(campaign: Campaign) -> Iterator[dict[str, Any]]:
    for _, slots in groupby(_given_out(campaign), attrgetter("round", "tag_id")):
        yield _task(campaign, list(slots))


def _given_out(campaign: Campaign) -> Iterable[Assignment]:
    """The assignments of the tags for annotators, with what was submitted for them first."""
    submitted = Annotation.objects.order_by("pk").select_related("author")
    handed_in = Annotation.objects.filter(first_assignment=OuterRef("pk"))
    rows: QuerySet[Assignment] = campaign.assignments.exclude(
        ~Exists(handed_in), state__in=(AssignmentState.RESERVE, AssignmentState.WITHDRAWN)
    )
    rows = rows.order_by("round", "order", "tag", "slot")
    rows = rows.select_related("person", "sighting__revision__article__wiki")
    rows = rows.defer(*(f"sighting__{column}" for column in LONG))
    of_each = Prefetch("first_submissions", submitted.prefetch_related("questions"))
    return rows.prefetch_related(of_each).iterator(chunk_size=BATCH)


def _task(campaign: Campaign, slots: list[Assignment]) -> dict[str, Any]:
    of_round = {"round": str(slots[0].round)} if campaign.pilot_tags else {}
    annotations: list[dict[str, Any]] = []
    drafts: list[dict[str, Any]] = []
    for slot in slots:
        for row in slot.first_submissions.all():
            is_draft = row.state in EDITABLE
            (drafts if is_draft else annotations).append(_made(row))
        if slot.state == AssignmentState.SKIPPED and slot.person:
            annotations.append(_skipped(slot.person.pseudonym))
    data = data_of(_record(tag_columns(slots[0].sighting)))
    return {"data": {**data, **of_round}, "annotations": annotations, "drafts": drafts}


def _made(row: Annotation) -> dict[str, Any]:
    results = results_of(_record(entered_columns(row), slots_of(row)))
    entered = [result for result in results if result["value"] not in BLANK]
    return {
        "result": [*entered, signature(row.author.pseudonym)],
        "was_cancelled": False,
        "ground_truth": row.state in CHOSEN,
        "lead_time": row.seconds_active,
        "created_at": row.created_at.isoformat(),
        "updated_at": (row.submitted_at or row.saved_at).isoformat(),
    }


def _skipped(pseudonym: str) -> dict[str, Any]:
    return {"result": [signature(pseudonym)], "was_cancelled": True, "ground_truth": False}


def _record(columns: Mapping[str, Any], slots: Iterable[schema.Slot] = ()) -> dict[str, Any]:
    return schema.build({**dict.fromkeys(schema.COLUMNS), **columns}, slots)
