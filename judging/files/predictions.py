"""Imports a judge model's replies made elsewhere, as machine verdicts on a study's responses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now

from accounts.audit import AuditKind, record
from datasets.readers.json_text import refuse
from generation import prompt_versions
from judging.files import predictionfile
from judging.files.predictionfile import Prediction, Predictions
from judging.machine.control import free_pseudonym
from judging.machine.prompt import settled_by, spellings
from judging.machine.scope import version
from judging.models import Judge, JudgeCall, MachineVerdict, Rubric, Study
from judging.states import MachineState, StudyState
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal

BATCH = 500
LONGEST_NAME = 120
_INSTANCE = "response__instance__"
# Column of the file -> lookup from a study's item.
COLUMNS = {
    "response_id": "response_id",
    "item": "position",
    "contradiction": f"{_INSTANCE}contradiction__external_id",
    "question_number": f"{_INSTANCE}n",
    "prompt": "response__prompt",
    "model": "response__model__model_id",
    "sample": "response__sample",
}


@dataclass(frozen=True)
class ImportedReplies:
    """The result of an import: `untouched` responses of the study are not in the file."""

    judge: Judge
    is_new: bool
    replies: int
    unparsed: int
    untouched: int


def import_predictions(study: Study, data: bytes, name: str) -> ImportedReplies:
    """Store every reply of the file under the judge `name`, or nothing; the same file again adds nothing.

    Raises Refusal (Unreadable with a list of problems in lines), Conflict where that judge has other replies.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or "\x00" in name:
        raise Refusal(f"A judge's name has 1 to {LONGEST_NAME} characters.")
    study.require_judged()
    if study.state == StudyState.DRAFT:
        raise Conflict("The study is still being set up. Open it first: that fixes its responses.")
    # Before the transaction, which on SQLite stops all other writers. An open study's responses never change.
    whole = predictionfile.predictions_in(data)
    items = _items(study, whole)
    texts = dict(study.items.order_by().values_list("pk", "response__text"))
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        earlier = study.judges.filter(external=name).first()
        if earlier is not None:
            _check_same(earlier, items, whole.rows)
        judge = earlier or _stored(study, name, items, texts, whole.rows)
        if earlier is None:
            record(AuditKind.IMPORT, None, f"replies of a judge model for study {study.slug}")
    unparsed = judge.machine_verdicts.filter(state=MachineState.UNPARSED).count()
    untouched = study.items.count() - len(whole.rows)
    return ImportedReplies(judge, earlier is None, len(whole.rows), unparsed, untouched)


def _items(study: Study, whole: Predictions) -> dict[Prediction, int]:
    """The study's item for each line; raises Unreadable for lines that match no item, or several."""
    known: dict[tuple[str, ...], list[int]] = {}
    columns = [COLUMNS[name] for name in whole.way]
    for pk, *values in study.items.order_by("position").values_list("pk", *columns):
        known.setdefault(tuple(map(str, values)), []).append(pk)
    items, problems = {}, []
    prompts = prompt_versions.known()
    labels = {prompt.label: name for name, prompt in prompts.items() if prompt.label not in prompts}
    for row in whole.rows:
        matches = known.get(_spelled(whole.way, row.key, labels), [])
        if len(matches) == 1:
            items[row] = matches[0]
        else:
            how_many = "no response" if not matches else f"{len(matches)} responses"
            named = ", ".join(
                f"{name} {value}" for name, value in zip(whole.way, row.key, strict=True)
            )
            more = " (add the column sample, or use item)" if matches else ""
            problems.append(f"line {row.line}: {how_many} of this study for {named[:200]}{more}")
    refuse(problems)
    return items


def _spelled(
    way: Iterable[str], key: tuple[str, ...], labels: Mapping[str, str]
) -> tuple[str, ...]:
    """The key with a prompt's label replaced by its name."""
    return tuple(
        labels.get(value, value) if column == "prompt" else value
        for column, value in zip(way, key, strict=True)
    )


def _stored(
    study: Study,
    name: str,
    items: dict[Prediction, int],
    texts: Mapping[int, str],
    rows: Iterable[Prediction],
) -> Judge:
    # Under the study's lock: a round that opens gives its responses another version.
    versions = dict(study.items.order_by().values_list("pk", version()))
    rubrics = Rubric.objects.in_bulk(set(versions.values()))
    known = {pk: spellings(rubric.scale) for pk, rubric in rubrics.items()}
    judge = Judge.objects.create(study=study, external=name, pseudonym=free_pseudonym(study, name))
    verdicts, calls = [], []
    for row in rows:
        item = items[row]
        verb, values, call = settled_by(row.reply, texts[item], known[versions[item]])
        state = MachineState.JUDGED if verb == "judge" else MachineState.UNPARSED
        made = MachineVerdict(
            judge=judge,
            item_id=item,
            rubric_id=versions[item],
            state=state,
            judged_at=Now(),
            **values,
        )
        verdicts.append(made)
        calls.append(JudgeCall(machine_verdict=made, n=1, **call))
    MachineVerdict.objects.bulk_create(verdicts, batch_size=BATCH)
    JudgeCall.objects.bulk_create(calls, batch_size=BATCH)
    learn_sizes_on_commit("judging")
    return judge


def _check_same(judge: Judge, items: dict[Prediction, int], rows: Iterable[Prediction]) -> None:
    held = dict(
        JudgeCall.objects.filter(machine_verdict__judge=judge)
        .order_by()
        .values_list("machine_verdict__item_id", "reply")
    )
    if held != {items[row]: row.reply for row in rows}:
        raise Conflict(
            f"This study already has other verdicts by {judge.external!r}. Choose another name."
        )
