"""Imports a published human evaluation: a collection of its own, imported models, a run, a study with verdicts.

The whole file is imported or nothing, and importing it again adds nothing. Its questions are not matched with those of
other files or collections, because the file numbers and words them differently.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets import schema
from datasets.contexts import context_1, context_2
from datasets.importers.arriving import ArrivingImport, arrival
from datasets.models import Collection, Instance
from datasets.readers.json_text import decode
from datasets.records import Draft, add_contradictions
from datasets.taxonomy import DIMENSIONS
from generation import prompt_versions, registry
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting, rendering
from generation.states import ResponseState, RunState
from judging import rubric_versions, studies
from judging.files import exporting, wikicontradict
from judging.files.wikicontradict import PublishedAnswer, PublishedQuestion, PublishedRow
from judging.models import ImportedRow, Resolution, Round, Study, StudyItem
from judging.settling import resolution, store
from judging.states import StudyState
from leases.refusal import Conflict, Refusal

RUBRIC = "wikicontradict"
BATCH = 500
ROWS = 100  # of a step: five responses each
T = TypeVar("T")
SAME_ARTICLE = "Within the same article"


@dataclass
class ImportedEvaluation:
    """The result of an import. `kept`: in how many rows a key of the file has another value than our other rows."""

    study: Study
    is_new: bool
    models: int
    questions: int
    responses: int
    unlabelled: int
    missing: list[str]
    kept: Counter[str] = field(default_factory=Counter)


def import_human_evaluation(
    data: bytes,
    name: str,
    *,
    source: str = "",
    by: Person | None = None,
    allow_missing: bool = False,
) -> ImportedEvaluation:
    """Make the study `name` from the file, unless it exists with the same content.

    Raises Refusal (Unreadable with a list of problems in rows); then nothing was stored.
    """
    name = name.strip()
    if not name or len(name) > 120:
        raise Refusal("A study's name has 1 to 120 characters.")
    whole = wikicontradict.plain(decode(data))
    rows = wikicontradict.rows_in(whole, allow_missing=allow_missing)
    study = Study.objects.filter(name=name).first()
    if study is None:
        return _report(_stored(rows, name, source, by), True, rows)
    if not study.imported_rows.exists() or exporting.published_data(study) != whole:
        raise Conflict(
            f"There is already a study named {name!r}, with other content. Choose another name."
        )
    return _report(study, False, rows)


def _report(study: Study, is_new: bool, rows: Sequence[PublishedRow]) -> ImportedEvaluation:
    verdicts = [answer.verdict for row in rows for answer in row.answers]
    return ImportedEvaluation(
        study,
        is_new,
        models=len({row.model for row in rows}),
        questions=len({row.question.number for row in rows}),
        responses=len(verdicts),
        unlabelled=verdicts.count(None),
        missing=wikicontradict.missing(rows),
        kept=Counter(key for row in study.imported_rows.all() for key in row.kept),
    )


# ---------------------------------------------------------------- rows


def _stored(rows: Sequence[PublishedRow], name: str, source: str, by: Person | None) -> Study:
    """The study, written in steps that nobody sees before the last (datasets/importers/arriving.py)."""
    questions: dict[int, PublishedQuestion] = {}
    # A question is worded as in its first row; other wordings are kept with their responses.
    for row in rows:
        questions.setdefault(row.question.number, row.question)
    with arrival(source=source, by=by) as arriving:
        with arriving.step():
            study = _unseen_study(arriving.collection, by)
            models = {
                name: registry.add("", name, {}) for name in {row.model: None for row in rows}
            }
            run = _run(arriving.collection, name, models, by)
        instances: dict[int, Instance] = {}
        for some in in_parts(list(questions.values()), BATCH):
            with arriving.step():
                instances |= _instances(arriving.collection, some)
        for number, part in enumerate(in_parts(rows, ROWS)):
            with arriving.step():
                _add_rows(study, _ImportedPart(run, models, instances, part, number * ROWS))
        with arriving.step():
            _show(study, name, arriving)
    return study


def in_parts(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _unseen_study(collection: Collection, by: Person | None) -> Study:
    study = Study.everything.create(
        name=collection.name,
        slug=collection.name,
        rubric=rubric_versions.written(RUBRIC),
        state=StudyState.CLOSED,
        is_imported=True,
        created_by=by,
        closed_at=Now(),
        arriving_in=collection,
    )
    Round.objects.create(study=study, rubric=study.judged_by, closed_at=Now())
    return study


def _show(study: Study, name: str, arriving: ArrivingImport) -> None:
    study.name, study.slug, study.arriving_in = name, studies.free_slug(name), None
    try:
        with transaction.atomic():
            study.save(update_fields=["name", "slug", "arriving_in"])
    except IntegrityError:
        raise Conflict(
            "A study of that name was made in the meantime. Import the file again."
        ) from None
    arriving.show(
        _free_name(study),
        title=f"{study.name} (imported human evaluation)"[:200],
        description="Questions as a human evaluation's file numbers and words them.",
    )
    record(AuditKind.IMPORT, study.created_by, f"study {study.slug}")


def _free_name(study: Study) -> str:
    """A name after the study's for a new collection; never an existing one."""
    names = (study.slug[:70] + ending for ending in chain([""], (f"-{n}" for n in count(2))))
    return next(name for name in names if not Collection.objects.filter(name=name).exists())


def _instances(
    collection: Collection, questions: Sequence[PublishedQuestion]
) -> dict[int, Instance]:
    """These questions as rows, by their number in the file."""
    added = add_contradictions(collection=collection, drafts=map(_draft, questions))
    made = Instance.objects.filter(contradiction__in=[key for key, _ in added])
    in_order = made.select_related("contradiction").order_by("contradiction__position")
    instances = {question.number: row for question, row in zip(questions, in_order, strict=True)}
    for number, row in instances.items():
        row.external_number = number
    Instance.objects.bulk_update(instances.values(), ["external_number"], batch_size=BATCH)
    return instances


def _draft(question: PublishedQuestion) -> Draft:
    """A question as a contradiction of its own: the file does not say which questions share one.

    A type that the taxonomy does not have, such as `unknown`, is stored as it is and not as a chosen option.
    """
    types = {key: getattr(question, column) for key, column in schema.TYPE_COLUMNS.items()}
    columns = {
        "title": question.title,
        "url": question.url,
        "validity": schema.VALID,
        "article_1": question.title,
        "passage_1_copied": question.context_1,
        "article_2": question.title if question.type_3 == SAME_ARTICLE else "",
        "passage_2_copied": question.context_2,
        "same_passage": question.same_passage,
        "taxonomy": [
            [kind.key, types[kind.key]] for kind in DIMENSIONS if types[kind.key] in kind.values
        ],
        **{column: types[key] for key, column in schema.TYPE_COLUMNS.items()},
    }
    slot = schema.Slot(1, question.question, question.answer_1, question.answer_2)
    return Draft(columns, [slot])


def _run(
    collection: Collection, name: str, models: Mapping[str, LanguageModel], by: Person | None
) -> Run:
    prompts = [prompting.find(label) for label in wikicontradict.PROMPTS]
    prompt_versions.publish(prompts)
    run = Run.objects.create(
        name=name,
        collection=collection,
        prompts=[prompt.name for prompt in prompts],
        state=RunState.IMPORTED,
        created_by=by,
        finished_at=Now(),
    )
    run.models_asked.set(models.values())
    return run


@dataclass(frozen=True)
class _ImportedPart:
    """Rows of the file from place `first`, with what was written before them."""

    run: Run
    models: Mapping[str, LanguageModel]
    instances: Mapping[int, Instance]
    rows: Sequence[PublishedRow]
    first: int


def _add_rows(study: Study, part: _ImportedPart) -> None:
    by_row = [
        [
            _response(part.run, part.models[row.model], part.instances, row, answer)
            for answer in row.answers
        ]
        for row in part.rows
    ]
    responses = list(chain.from_iterable(by_row))
    first = part.first * len(wikicontradict.PROMPTS)
    for order, response in enumerate(responses, first):
        response.order = order
    Response.objects.bulk_create(responses, batch_size=BATCH)
    verdicts = [answer.verdict for row in part.rows for answer in row.answers]
    _add_items(study, responses, verdicts, first)
    ImportedRow.objects.bulk_create(
        _imported(study, place, row, made)
        for place, (row, made) in enumerate(zip(part.rows, by_row, strict=True), part.first)
    )


def _response(
    run: Run,
    model: LanguageModel,
    instances: Mapping[int, Instance],
    row: PublishedRow,
    answer: PublishedAnswer,
) -> Response:
    question, prompt = row.question, prompting.find(answer.prompt)
    instance = instances[question.number]
    tag = instance.contradiction
    given = [question.context_1, question.context_2]
    # Where the published file repeats the answer as the text sent, the text sent is not known.
    sent = "" if answer.sent == answer.text else answer.sent
    as_written = rendering.render(
        prompt,
        question=question.question,
        context_1=question.context_1,
        context_2=question.context_2,
        same=question.same_passage == schema.SAME,
    )
    return Response(
        run=run,
        instance=instance,
        model=model,
        prompt=prompt.name,
        prompt_hash=prompt.sha256 if as_written in sent else "",
        rendered=sent,
        passages=None if given == [context_1(tag), context_2(tag)] else given,
        gold=prompting.gold(prompt, answer_1=question.answer_1, answer_2=question.answer_2),
        state=ResponseState.DONE,
        text=answer.text,
    )


def _add_items(
    study: Study, responses: Sequence[Response], verdicts: Sequence[str | None], first: int
) -> None:
    made = studies.items_of(study, responses, first, study.rounds.get())
    items = StudyItem.objects.bulk_create(made, batch_size=BATCH)
    store(
        [
            resolution(item, verdict=verdict, how=Resolution.How.IMPORTED)
            for item, verdict in zip(items, verdicts, strict=True)
            if verdict
        ]
    )


def _imported(
    study: Study, place: int, row: PublishedRow, responses: Sequence[Response]
) -> ImportedRow:
    verdicts = [answer.verdict for answer in row.answers]
    instance = responses[0].instance
    ours = exporting.row_of(row.model, instance, zip(responses, verdicts, strict=True))
    return ImportedRow(
        study=study,
        model=responses[0].model,
        instance=instance,
        position=place,
        kept=row.differences(ours),
    )
