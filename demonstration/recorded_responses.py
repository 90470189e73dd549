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
from typing import Any, NamedTuple

from accounts.models import Person
from datasets.models import Collection
from demonstration.annotating import COLLECTION
from demonstration.outputs import COPIES
from generation import prompt_versions, registry, response_planning
from generation.inference import chat, client
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting
from generation.prompts.prompting import Prompt
from generation.response_planning import Rendered
from generation.states import ResponseState, RunState
from leases.refusal import Refusal

RESPONSES = Path(__file__).parent / "responses.json"
Key = tuple[str, str, str, str]  # the collection, the article's title, the question, the prompt


class DemonstrationRun(NamedTuple):
    """One run: its collection, and the prompts by their labels."""

    name: str
    collection: str
    labels: tuple[str, ...]

    @property
    def prompts(self) -> list[Prompt]:
        return [prompting.find(label) for label in self.labels]


# A run for each study, because a run is closed to whoever judges its responses (judging/blinding.py).
RUNS = (
    DemonstrationRun(
        "Demonstration: responses recorded from the embedded model",
        COLLECTION,
        ("1", "2", "3", "4", "5"),
    ),
    DemonstrationRun("Demonstration: the control prompt", COPIES[0].name, ("5.2",)),
    DemonstrationRun("Demonstration: yours to judge", COPIES[1].name, ("4",)),
)


@dataclass(frozen=True)
class Recorded:
    """One reply. collection, title and question name the instance; rendered_sha256 is that of the UTF-8 text sent."""

    collection: str
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
    def key(self) -> Key:
        return self.collection, self.title, self.question, self.prompt


def recorded_before() -> set[Key]:
    return set(_by_key(_whole()))


def _whole() -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(RESPONSES.read_text(encoding="utf-8"))
    return whole


def _by_key(whole: Mapping[str, Any]) -> dict[Key, Recorded]:
    rows = [Recorded(**kept) for kept in whole["responses"]]
    return {row.key: row for row in rows}


def asking(collection: str, question: str) -> set[Key]:
    """The responses to a question of a run's collection. Raises Refusal if there is no such question."""
    every = (_key(row) for row in _everything())
    if not (named := {key for key in every if (key[0], key[2]) == (collection, question)}):
        raise Refusal(f"No run's collection {collection!r} has a question {question!r}.")
    return named


def kept_of(model: LanguageModel) -> dict[Key, Recorded]:
    """The responses in the file. Raises Refusal if they are another model's."""
    whole = _whole()
    if whole["model"] != {"model_id": model.model_id, "options": model.options}:
        raise Refusal(f"The responses kept are of {whole['model']}. Record all of them anew.")
    return _by_key(whole)


def record(
    asked: set[Key],
    model: LanguageModel,
    path: Path,
    kept: Mapping[Key, Recorded] = MappingProxyType({}),
) -> Iterator[Recorded]:
    """Ask `model` for these responses, and write the file when all have come.

    A prompt with the same text in `kept` is not sent again. Yields each new reply. Raises ServiceFault, and then
    writes nothing.
    """
    responses = []
    for row in (row for row in _everything() if _key(row) in asked):
        before = kept.get(_key(row))
        if before and before.rendered_sha256 == sha256(row.text):
            responses.append(before)
            continue
        responses.append(_ask(row, model))
        yield responses[-1]
    content = {
        "source": "Replies of the model named here, unchanged; none was selected, corrected or left out.",
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": {"model_id": model.model_id, "options": model.options},
        "responses": [asdict(response) for response in responses],
    }
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _ask(asked: Rendered, model: LanguageModel) -> Recorded:
    reply = client.service(model.service).ask(model.model_id, model.options, asked.text)
    return Recorded(
        *_key(asked), rendered_sha256=sha256(asked.text), raw=dict(reply.raw), **reply.columns
    )


def load_responses(by: Person) -> list[Run]:
    """The runs with the recorded responses. Raises Refusal if they do not match the collections' questions."""
    whole = _whole()
    recorded = _by_key(whole)
    asked = _asked(recorded)
    known = whole["model"]
    model = registry.add("", known["model_id"], known["options"], f"{known['model_id']} (recorded)")
    runs = []
    for asked_run in RUNS:
        prompt_versions.publish(asked_run.prompts)
        run = Run.objects.create(
            name=asked_run.name,
            collection=Collection.objects.get(name=asked_run.collection),
            prompts=[prompt.name for prompt in asked_run.prompts],
            state=RunState.IMPORTED,
            is_demonstration=True,
            created_by=by,
            finished_at=datetime.fromisoformat(whole["recorded_at"]),
        )
        run.models_asked.add(model)
        here = [rendered for rendered in asked if _key(rendered)[0] == asked_run.collection]
        askers = response_planning.askers(asked_run.prompts, [model])
        rows = list(response_planning.responses(run, here, askers, samples=1))
        for row, rendered in zip(rows, here, strict=True):
            _fill(row, recorded[_key(rendered)])
        Response.objects.bulk_create(rows)
        runs.append(run)
    return runs


def _asked(recorded: Mapping[Key, Recorded]) -> list[Rendered]:
    """The recorded prompts in order, checked against the current ones."""
    asked = [row for row in _everything() if _key(row) in recorded]
    same = [row for row in asked if recorded[_key(row)].rendered_sha256 == sha256(row.text)]
    if len(same) < len(recorded):
        raise Refusal(
            f"{len(recorded) - len(same)} recorded responses answer questions that have changed since. "
            "Record them anew: manage.py record_demonstration_responses."
        )
    return asked


def _everything() -> Iterator[Rendered]:
    """All prompts of each run for all questions of its collection, in order."""
    for run in RUNS:
        instances = response_planning.instances_of(Collection.objects.get(name=run.collection))
        yield from response_planning.rendered(
            instances.select_related("contradiction__collection"), run.prompts
        )


def _key(asked: Rendered) -> Key:
    record = asked.instance.contradiction
    return record.collection.name, record.title, asked.instance.question, asked.prompt.name


def _fill(row: Response, recorded: Recorded) -> None:
    row.state = ResponseState.DONE
    for name in chat.COLUMNS:
        setattr(row, name, getattr(recorded, name))
    row.request = chat.body(row.model.model_id, row.model.options, row.rendered)
    row.reply = recorded.raw
    row.answered_at = row.run.finished_at


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
