"""Responses of the demonstration set: real responses of a model, stored in responses.json.

They are recorded once (manage.py record_demonstration_responses) and loaded as responses imported from a file,
since there may be no model to ask. Each is kept with the sha256 of the text that was sent: where an annotation has
changed since, loading stops instead of pairing an answer with another question.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from accounts.models import Person
from datasets.models import Collection
from generation import chat, client, planning, prompt_versions, prompting, registry
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.states import ResponseState, RunState
from leases.refusal import Refusal

RESPONSES = Path(__file__).parent / "responses.json"
# Two runs, so that the report of one can be published while the responses of the other are judged.
RUNS = {
    "Demonstration: responses recorded from the embedded model": ("1", "2", "3", "4", "5"),
    "Demonstration: the control prompt": ("5.2",),
}

Question = tuple[str, str]  # the article's title, the question


@dataclass(frozen=True)
class Recorded:
    """One reply. title and question name the instance; rendered_sha256 is that of the UTF-8 text sent."""

    title: str
    question: str
    prompt: str
    rendered_sha256: str
    text: str
    answered_by: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    raw: dict[str, Any]
    reasoning: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.title, self.question, self.prompt


def recorded_before() -> set[Question]:
    """The questions with responses in the file."""
    return {(title, question) for title, question, _ in _by_key(_whole())}


def _whole() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(RESPONSES.read_text(encoding="utf-8"))
    return whole


def _by_key(whole: Mapping[str, Any]) -> dict[tuple[str, str, str], Recorded]:
    return {each.key: each for each in (Recorded(**kept) for kept in whole["responses"])}


def first_questions(collection: Collection, number: int) -> set[Question]:
    instances = planning.instances_of(collection, number)
    return {(each.contradiction.title, each.question) for each in instances}


def questions_named(collection: Collection, named: list[str]) -> set[Question]:
    """The collection's questions with these texts. Raises Refusal if one is missing."""
    instances = planning.instances_of(collection)
    known = {each.question: (each.contradiction.title, each.question) for each in instances}
    if unknown := [question for question in named if question not in known]:
        raise Refusal(f"The collection has no question {unknown[0]!r}.")
    return {known[question] for question in named}


def kept_of(model: LanguageModel) -> dict[tuple[str, str, str], Recorded]:
    """The responses in the file. Raises Refusal if they are another model's."""
    whole = _whole()
    if whole["model"] != {"model_id": model.model_id, "options": model.options}:
        raise Refusal(f"The responses kept are of {whole['model']}. Record all of them anew.")
    return _by_key(whole)


def record(
    collection: Collection,
    questions: set[Question],
    model: LanguageModel,
    path: Path,
    kept: Mapping[tuple[str, str, str], Recorded] = MappingProxyType({}),
) -> Iterator[Recorded]:
    """Ask `model` every prompt about these questions, and write the file when all have answered.

    A prompt with the same text in `kept` is not sent again. Yields each new reply. Raises ServiceFault, and then
    writes nothing.
    """
    responses = []
    for asked in (each for each in _everything(collection) if _key(each)[:2] in questions):
        before = kept.get(_key(asked))
        if before and before.rendered_sha256 == sha256(asked.text):
            responses.append(before)
            continue
        responses.append(_ask(asked, model))
        yield responses[-1]
    content = {
        "source": "Replies of the model named here, unchanged; none was selected, corrected or left out.",
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": {"model_id": model.model_id, "options": model.options},
        "responses": [asdict(each) for each in responses],
    }
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _ask(asked: Rendered, model: LanguageModel) -> Recorded:
    reply = client.service(model.service).ask(model.model_id, model.options, asked.text)
    return Recorded(
        title=asked.instance.contradiction.title,
        question=asked.instance.question,
        prompt=asked.prompt.name,
        rendered_sha256=sha256(asked.text),
        raw=dict(reply.raw),
        **reply.columns,
    )


def load_responses(collection: Collection, by: Person) -> list[Run]:
    """The runs with the recorded responses. Raises Refusal if they do not match the collection's questions."""
    whole = _whole()
    recorded = _by_key(whole)
    asked = _asked(collection, recorded)
    known = whole["model"]
    model = registry.add("", known["model_id"], known["options"], f"{known['model_id']} (recorded)")
    runs = []
    for name, labels in RUNS.items():
        prompts = [prompting.find(label) for label in labels]
        prompt_versions.publish(prompts)
        run = Run.objects.create(
            name=name,
            collection=collection,
            prompts=[prompt.name for prompt in prompts],
            state=RunState.IMPORTED,
            is_demonstration=True,
            created_by=by,
            finished_at=datetime.fromisoformat(whole["recorded_at"]),
        )
        run.models_asked.add(model)
        here = [each for each in asked if each.prompt.label in labels]
        rows = list(planning.responses(run, here, [model], samples=1))
        for row, each in zip(rows, here, strict=True):
            _fill(row, recorded[_key(each)])
        Response.objects.bulk_create(rows)
        runs.append(run)
    return runs


def _asked(
    collection: Collection, recorded: dict[tuple[str, str, str], Recorded]
) -> list[Rendered]:
    """The recorded prompts in order, checked against the current ones."""
    asked = [each for each in _everything(collection) if _key(each) in recorded]
    same = [each for each in asked if recorded[_key(each)].rendered_sha256 == sha256(each.text)]
    if len(same) < len(recorded):
        raise Refusal(
            f"{len(recorded) - len(same)} recorded responses answer questions that have changed since. "
            "Record them anew: manage.py record_demonstration_responses."
        )
    return asked


def _everything(collection: Collection) -> Iterator[Rendered]:
    """All prompts of the runs for all questions, in order."""
    prompts = [prompting.find(label) for labels in RUNS.values() for label in labels]
    return planning.rendered(planning.instances_of(collection), prompts)


def _key(asked: Rendered) -> tuple[str, str, str]:
    return asked.instance.contradiction.title, asked.instance.question, asked.prompt.name


def _fill(row: Response, recorded: Recorded) -> None:
    row.state = ResponseState.DONE
    for name in chat.COLUMNS:
        setattr(row, name, getattr(recorded, name))
    row.request = chat.body(row.model.model_id, row.model.options, row.rendered)
    row.reply = recorded.raw
    row.answered_at = row.run.finished_at


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
