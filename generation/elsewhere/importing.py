"""A file of responses made elsewhere becomes a run over a release: all of it or nothing.

It is written in steps, as records are (datasets/importers/arriving.py): until the last the run belongs to a collection
that nobody sees.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.exclusions import hidden_from
from datasets.exporters.export_files import sha256_of
from datasets.identity import canonical
from datasets.importers.arriving import ArrivingImport, arrival, in_batches, remove_abandoned
from datasets.models import Release
from generation import prompt_versions, registry
from generation.elsewhere.lines import GivenResponse, Problems, responses_in
from generation.elsewhere.release_rows import ReleaseRows
from generation.inference import chat
from generation.models import LanguageModel, Response, Run
from generation.prompts.prompting import Prompt
from generation.response_planning import Rendered
from generation.runs import MOST_RESPONSES
from generation.states import ResponseState, RunState
from leases import clock
from leases.planner import learn_sizes_on_commit
from leases.refusal import Refusal

# A model with another seed is another model.
MOST_MODELS = 200


@dataclass
class ReadResponses:
    """What a file holds, counted while its responses go by. `numbers` are by the place of a model in `models`.

    `earlier_runs`: the keys of those that were made of the same file.
    """

    models: list[LanguageModel] = field(default_factory=list)
    numbers: Counter[int] = field(default_factory=Counter)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    questions: set[int] = field(default_factory=set)
    earlier_runs: list[int] = field(default_factory=list)
    not_verified: int = 0
    other_sha256: int = 0
    held: int = 0
    empty: int = 0
    aborted: int = 0

    def count(self, place: int, given: GivenResponse, row: Response, prompt: Prompt) -> None:
        self.numbers[place] += 1
        self.prompts[prompt.name] = prompt
        self.questions.add(row.instance_id)
        self.not_verified += not row.prompt_verified
        self.other_sha256 += bool(given.prompt_sha256 and not row.prompt_verified)
        self.held += bool(row.held)
        self.empty += row.finding == chat.EMPTY
        self.aborted += row.finding == chat.ABORTED

    @property
    def report(self) -> dict[str, Any]:
        """As JSON; the models in the order of the file."""
        return {
            "responses": self.numbers.total(),
            "questions": len(self.questions),
            "prompts": sorted(self.prompts),
            "models": [
                {
                    "model": model.model_id,
                    "options": model.options,
                    "responses": self.numbers[place],
                }
                for place, model in enumerate(self.models)
            ],
            "not_verified": self.not_verified,
            "without_sha256": self.not_verified - self.other_sha256,
            "other_sha256": self.other_sha256,
            "held": self.held,
            "empty": self.empty,
            "aborted": self.aborted,
            "earlier_runs": self.earlier_runs,
        }


def check(release: Release, file: BinaryIO, *, by: Person | None = None) -> dict[str, Any]:
    """Read the whole file and store nothing; returns ReadResponses.report. Raises Unreadable with its problems."""
    reading = _Reading(release, file, by)
    for _ in reading.batches():
        pass
    reading.problems.refuse()
    return reading.read.report


def bring(
    release: Release,
    file: BinaryIO,
    *,
    name: str = "",
    by: Person | None = None,
    ended: Callable[[Run, dict[str, Any]], None] = lambda run, report: None,
) -> tuple[Run, dict[str, Any]]:
    """Make a run of the file's responses; returns it with what `check` returns. Each file makes a run of its own.

    `ended` is called with them in the transaction in which others see the run. Raises Refusal (Unreadable with its
    problems); then nothing is stored.
    """
    name = checked_name(name) or f"{release}, answered elsewhere"[:120]
    remove_abandoned()
    reading = _Reading(release, file, by)
    with arrival(by=by) as arriving:
        with arriving.step():
            run = _unseen_run(arriving, release, name, by, reading.sha256)
        for batch in reading.batches():
            if not reading.problems.found:
                with arriving.step():
                    _store(run, reading.read.models, batch)
        reading.problems.refuse()
        with arriving.step():
            _show(run, arriving, list(reading.read.prompts.values()))
            record(AuditKind.IMPORT, by, f"run {run.pk}")
            ended(run, reading.read.report)
    learn_sizes_on_commit("generation")
    return run, reading.read.report


def checked_name(name: str) -> str:
    """The name of a run; raises Refusal for one that cannot be."""
    name = name.strip()
    if len(name) > 120 or not name.isprintable():
        raise Refusal("A run's name has at most 120 characters, all of which are printed.")
    return name


# ---------------------------------------------------------------- read

Placed = tuple[int, Response]  # a response and the place of its model


class _Reading:
    """The file's responses as rows without a run and a model, and what is wrong with it."""

    def __init__(self, release: Release, file: BinaryIO, by: Person | None) -> None:
        file.seek(0)
        self.sha256 = sha256_of(file)
        earlier = Run.objects.filter(file_sha256=self.sha256).order_by("pk")
        self.problems = Problems()
        self.read = ReadResponses(earlier_runs=list(earlier.values_list("pk", flat=True)))
        self._rows = ReleaseRows(release, hidden_from(by) if by else set())
        self._file = file
        self._lines: dict[bytes, int] = {}
        self._places: dict[bytes, int] = {}

    def batches(self) -> Iterator[list[Placed]]:
        self._file.seek(0)
        given = self._once(responses_in(self._file, self.problems))
        for batch in in_batches(given):
            found = self._rows.found({one.row for one in batch})
            yield [made for one in batch if (made := self._made(one, found[one.row]))]
            if self.problems.is_full:
                return

    def _once(self, given: Iterator[GivenResponse]) -> Iterator[GivenResponse]:
        """The responses, each row and model once, of no more models and responses than a run can have."""
        for number, one in enumerate(given, 1):
            model = _identity(one)
            place = self._places.setdefault(model, len(self._places))
            if number > MOST_RESPONSES or place >= MOST_MODELS:
                most = (
                    f"{MOST_RESPONSES:,} responses"
                    if place < MOST_MODELS
                    else f"{MOST_MODELS} models"
                )
                self.problems.add(
                    one.line, f"a run has at most {most}. {SPLIT[place < MOST_MODELS]}"
                )
                return
            if place == len(self.read.models):
                self.read.models.append(registry.made_elsewhere(one.model, one.options))
            key = hashlib.blake2b(model + one.row.encode(), digest_size=16).digest()
            earlier = self._lines.setdefault(key, one.line)
            if earlier == one.line:
                yield one
            else:
                self.problems.add(
                    one.line,
                    f"the model has a response to the row {one.row[:120]} in line {earlier} already",
                )

    def _made(self, given: GivenResponse, found: Rendered | str) -> Placed | None:
        if isinstance(found, str):
            self.problems.add(given.line, found)
            return None
        place = self._places[_identity(given)]
        row = _response(given, found, self.read.models[place].able)
        row.order = self.read.numbers.total()
        self.read.count(place, given, row, found.prompt)
        return place, row


SPLIT = {
    True: "Split the file: each part becomes a run",
    False: "Other options make another model, as a seed for each response does: leave such options out",
}


def _identity(given: GivenResponse) -> bytes:
    """That of its model."""
    return canonical({"model": given.model, "options": registry.plain(given.options)})


def _response(given: GivenResponse, found: Rendered, able: chat.Abilities) -> Response:
    """The response; its text is read as those of services are, so that markup is taken off, or holds it."""
    is_known = given.prompt_sha256.lower() == found.prompt.sha256
    row = Response(
        instance=found.instance,
        prompt=found.prompt.name,
        prompt_hash=found.prompt.sha256 if is_known else "",
        prompt_verified=is_known,
        rendered=found.text if is_known else "",
        gold=found.gold,
        state=ResponseState.DONE,
        text=given.text,
        reply=given.reply,
        finding=given.finding,
        finish_reason=given.finish_reason,
        prompt_tokens=given.tokens[0],
        completion_tokens=given.tokens[1],
    )
    if given.finding == chat.ABORTED:
        row.text = ""
    elif not given.text.strip():
        row.finding = given.finding or chat.EMPTY
    else:
        registry.read_text(row, able)
    return row


# ---------------------------------------------------------------- written


def _unseen_run(
    arriving: ArrivingImport, release: Release, name: str, by: Person | None, sha256: str
) -> Run:
    return Run.everything.create(
        name=name,
        collection=arriving.collection,
        release=release,
        file_sha256=sha256,
        state=RunState.IMPORTED,
        is_demonstration=release.collection.is_demonstration,
        created_by=by,
    )


def _store(run: Run, models: list[LanguageModel], batch: list[Placed]) -> None:
    used = {place for place, _ in batch}
    for place in used:
        if (model := models[place])._state.adding:
            models[place] = registry.add("", model.model_id, model.options)
    # In the same step, so that a model of an import that stopped is removed with it.
    run.models_asked.add(*(models[place] for place in used))
    for place, row in batch:
        row.run, row.model = run, models[place]
    Response.objects.bulk_create(row for _, row in batch)


def _show(run: Run, arriving: ArrivingImport, prompts: list[Prompt]) -> None:
    """Let the run be seen, in the last step; from now on its prompts stay."""
    prompt_versions.publish(prompts)
    assert run.release, "It is over a release."
    run.collection = run.release.collection
    run.prompts = [prompt.name for prompt in prompts]
    run.finished_at = clock.now()
    run.save(update_fields=["collection", "prompts", "finished_at"])
    arriving.collection.delete()
