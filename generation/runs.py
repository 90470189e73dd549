"""Runs: created, extended, started, paused, cancelled, resumed, finished. The one module that changes a run's state."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.models import Collection, Instance
from generation import caps, prompt_versions, response_planning, responses
from generation.inference import client
from generation.models import LanguageModel, Response, Run
from generation.prompts import prompting
from generation.prompts.prompting import Form, Prompt
from generation.response_planning import Rendered
from generation.states import RUN, ResponseState, RunState
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal

BATCH = 500
# Calls to each model for a preview.
TRIED = 5
MOST_RESPONSES = 100_000
# Records that a refusal names.
MOST_NAMED = 5


class LeftOut(NamedTuple):
    """A prompt that cannot be used on a question: the question's key here and in exports, and the reason."""

    instance: int
    key: str
    prompt: Prompt
    problem: str


class NothingRevised(Refusal):
    """A prompt needs revised passages, and this collection has no checked ones."""

    def __init__(self, message: str, collection: Collection) -> None:
        super().__init__(message)
        self.collection = collection


@transaction.atomic
def create(
    *,
    collection: Collection,
    models: Sequence[LanguageModel],
    prompts: Sequence[Prompt],
    samples: int = 1,
    limit: int | None = None,
    name: str = "",
    by: Person | None = None,
    form: UUID | None = None,
) -> tuple[Run, list[LeftOut]]:
    """A run in draft with its responses waiting, over the first `limit` questions (None: all).

    One of given texts alone is finished at once. Returns it with the prompts that were left out because a passage in
    them is empty; the same `form` again returns the first run. Raises Refusal when there is nothing to ask, no model
    that can be asked, or a record that lacks what a prompt shows, and Conflict where records went meanwhile; the
    responses stored until then are taken back.
    """
    prompt_versions.check_fit(collection, prompts)
    asking = [prompt for prompt in prompts if not prompt.given]
    if asking:
        _check_models(models)
    _check_scores([(prompt, model) for prompt in asking for model in models])
    questions = response_planning.instances_of(collection, limit)
    if samples < 1:
        raise Refusal("Each prompt needs at least one sample.")
    asked = list(models) if asking else []
    columns = {
        "name": name.strip() or _name(collection, asked, prompts),
        "collection": collection,
        "prompts": [prompt.name for prompt in prompts],
        "samples": samples,
        "seed": _seed(prompts),
        "created_by": by,
        "is_demonstration": collection.is_demonstration,
    }
    if form:
        run, is_new = Run.objects.get_or_create(form=form, defaults=columns)
        if not is_new:
            return run, []
    else:
        run = Run.objects.create(**columns)
    run.models_asked.set(asked)
    found = _Found(collection)
    askable = found.askable(response_planning.rendered(questions, prompts, run.seed))
    by_prompt = response_planning.askers(prompts, asked)
    size = _store(found, response_planning.responses(run, askable, by_prompt, samples), prompts)
    if not size:
        raise Refusal(
            f"There is nothing to ask: {collection.name} has no question that these prompts can be used on."
        )
    _hold_records(run, size)
    if not asking:
        RUN.require(run, "give", finished_at=Now())
    return run, found.left_out


def _hold_records(run: Run, size: int) -> None:
    """Keep the records of the run's `size` responses where they are until the transaction ends.

    In the end, so that whoever changes the collection waits a moment only. Raises Conflict where the import that
    brought some of them was undone since they were read.
    """
    # Undoing takes a stronger lock, and finds the responses after it.
    list(Collection.objects.select_for_update(no_key=True).filter(pk=run.collection_id))
    there = run.responses.filter(instance__contradiction__collection=run.collection_id)
    if there.count() != size:
        raise Conflict(
            "An import of records was undone while this run was made, so nothing was made. Make the run again over "
            "what is left, or over another collection."
        )


def _seed(prompts: Sequence[Prompt], seed: int | None = None) -> int | None:
    """That of a run with these prompts: the one it has, or a new one where a prompt draws something."""
    if seed is None and any(prompt.shuffle or prompt.shots for prompt in prompts):
        return secrets.randbelow(2**31)
    return seed


@transaction.atomic
def extend(
    run: Run, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> tuple[int, list[LeftOut]]:
    """Ask the run's questions with further models and prompts; returns the number of new responses.

    Each new model gets all prompts, each new prompt all models. Questions changed or excluded since the run was made
    are left out. A finished or cancelled run goes on; its cancelled responses stay cancelled. What cannot be asked is
    returned too. Raises Refusal, and Conflict where the run has them all.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.state == RunState.IMPORTED:
        raise Refusal("This run was imported; nothing can be added to it.")
    prompt_versions.check_fit(run.collection, prompts)
    whole_prompts, whole, made = _whole(run, models, prompts)
    run.seed = _seed(prompts, run.seed)
    last = run.responses.aggregate(last=Max("order"))["last"] or 0
    found = _Found(run.collection)
    askable = found.askable(response_planning.rendered(_kept(run), whole_prompts, run.seed))
    by_prompt = response_planning.askers(whole_prompts, whole)
    rows = response_planning.responses(
        run, askable, by_prompt, run.samples, made=made, first=last + 1
    )
    stored = _store(found, rows, prompts, before=run.responses.count())
    if not stored:
        raise Refusal("There is nothing to ask: the run's questions were changed or excluded.")
    new = run.responses.filter(order__gt=last).order_by()
    if run.cost_cap is not None:
        texts = new.values_list("rendered", "follow_up").iterator(chunk_size=BATCH)
        run.longest = max(run.longest, caps.longest(texts, whole))
    run.prompts = [prompt.name for prompt in whole_prompts]
    caps.check_cap(run, whole)
    run.models_asked.set(whole)
    run.save(update_fields=["prompts", "longest", "seed"])
    waits = new.filter(state=ResponseState.PENDING).exists()
    if waits and run.state in (RunState.DONE, RunState.CANCELLED):
        RUN.require(run, "resume", finished_at=None, reason="")
    added = {prompt.name for prompt in prompts}
    return stored, [row for row in found.left_out if row.prompt.name in added]


def _whole(
    run: Run, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> tuple[list[Prompt], list[LanguageModel], set[tuple[str, int]]]:
    """All prompts and models of an extended run, and the pairs that it has. Raises Refusal for what cannot be asked."""
    known = prompt_versions.known(run.prompts)
    before = [prompting.found(name, known) for name in run.prompts]
    had = [*run.models_asked.all()]
    whole_prompts = [*before, *(prompt for prompt in prompts if prompt.name not in run.prompts)]
    whole = [*had, *(model for model in models if model not in had)]
    made = {(prompt.name, model.pk) for prompt, model in _pairs(before, had)}
    pairs = _pairs(whole_prompts, whole)
    new = [(prompt, model) for prompt, model in pairs if (prompt.name, model.pk) not in made]
    if any(not prompt.given for prompt in prompts):
        _check_models(whole)
    elif models:
        _check_models(models)
    if not new:
        raise Conflict("The run has these models and prompts already.")
    _check_scores([(prompt, model) for prompt, model in new if not prompt.given])
    return whole_prompts, whole, made


def _pairs(
    prompts: Sequence[Prompt], models: Sequence[LanguageModel]
) -> list[tuple[Prompt, LanguageModel]]:
    """The prompts, each with the models whose responses there are to it."""
    asked = response_planning.askers(prompts, models)
    return [(prompt, model) for prompt in prompts for model in asked[prompt.name]]


def _kept(run: Run) -> QuerySet[Instance]:
    """The run's questions without those changed or excluded since."""
    asked = Response.objects.filter(run=run).order_by().values("instance")
    return response_planning.instances_of(run.collection).filter(pk__in=asked)


class _Found:
    """What of the questions of a collection cannot be asked, counted while they go by."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.left_out: list[LeftOut] = []
        self.unfit = 0
        self._named: list[str] = []
        self._fit: set[str] = set()

    def askable(self, rows: Iterable[Rendered]) -> Iterator[Rendered]:
        for row in rows:
            if row.is_unfit:
                self.unfit += 1
                if self.unfit <= MOST_NAMED:
                    title = f"“{row.instance.contradiction.title}” ({row.key[:8]})"
                    self._named.append(f"{title} for prompt {row.prompt.label}: {row.problem}")
            elif row.problem:
                self.left_out.append(LeftOut(row.instance.pk, row.key, row.prompt, row.problem))
            else:
                self._fit.add(row.prompt.name)
                yield row

    def check(self) -> None:
        """Raise Refusal for records that lack what a prompt shows.

        And NothingRevised for a prompt on revised passages where no question has checked ones.
        """
        if self.unfit:
            more = f"; and {self.unfit - MOST_NAMED} more" if self.unfit > MOST_NAMED else ""
            raise Refusal(
                f"Records lack what prompts show: {'; '.join(self._named)}{more}. Correct or exclude them, or leave "
                "the prompts out."
            )
        for row in self.left_out:
            if row.prompt.revised and row.prompt.name not in self._fit:
                raise NothingRevised(
                    f"Prompt {row.prompt.label} shows passages revised so that they agree, and no question of "
                    f"{self.collection.name} has such passages checked by a second person. Write and check them on "
                    "the collection's page of revised passages, or leave this prompt out.",
                    self.collection,
                )


def _store(
    found: _Found, rows: Iterator[Response], prompts: Sequence[Prompt], before: int = 0
) -> int:
    """Add the responses of a run, a batch in memory at a time, and return how many; from now on its prompts stay.

    Those that make a refusal sure are counted and not added. The run has `before` already. Raises Refusal.
    """
    prompt_versions.publish(prompts)
    size = 0
    while batch := list(islice(rows, BATCH)):
        size += len(batch)
        if before + size <= MOST_RESPONSES and not found.unfit:
            Response.objects.bulk_create(batch)
    found.check()
    _check_size(before + size)
    learn_sizes_on_commit("generation")
    return size


def _check_size(size: int) -> None:
    if size > MOST_RESPONSES:
        raise Refusal(
            f"That would be {size} responses; a run has at most {MOST_RESPONSES}. Set a limit."
        )


def _check_models(models: Sequence[LanguageModel]) -> None:
    if not models:
        raise Refusal("Choose at least one model.")
    for model in models:
        check_askable(model)


def _check_scores(pairs: Iterable[tuple[Prompt, LanguageModel]]) -> None:
    """Raise Refusal for a prompt with options to score and a model whose service gives no log-probabilities."""
    for prompt, model in pairs:
        if prompt.form == Form.SCORES and not model.able.scores:
            is_tested = "scores" in model.abilities
            found = (
                "gives none, as far as its last test shows"
                if is_tested
                else "is not tested for them"
            )
            raise Refusal(
                f"Prompt {prompt.label} needs the log-probabilities of its options, and {model} at {model.service} "
                f"{found}. Test it again on the page of models. If that finds none, "
                "leave the model or the prompt out."
            )


def check_askable(model: LanguageModel) -> None:
    """Raise Refusal for a model without a service, or whose service cannot be used."""
    if not model.service:
        raise Refusal(f"{model} was imported with its responses; there is no service to ask.")
    if problem := client.problem(model.service):
        raise Refusal(problem)


def _name(
    collection: Collection, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> str:
    labels = ", ".join(prompt.label for prompt in prompts)
    asked = [*map(str, models), f"prompt{'s' if len(prompts) > 1 else ''} {labels}"]
    return f"{collection.name}: {', '.join(asked)}"[:120]


def start(run: Run) -> None:
    """Let workers ask; raises Conflict when the run was started before."""
    RUN.require(run, "start", reason="")


@transaction.atomic
def try_few(run: Run) -> int:
    """Let workers ask TRIED responses of each model, spread over the run, before it starts; returns how many in all."""
    RUN.require(run, "try", reason="")
    waiting: dict[int, list[int]] = defaultdict(list)
    rows = Response.objects.filter(run=run, state=ResponseState.PENDING).order_by("order")
    for key, model in rows.values_list("pk", "model_id"):
        waiting[model].append(key)
    few = [keys[n * len(keys) // TRIED] for keys in waiting.values() for n in range(TRIED)]
    return Response.objects.filter(pk__in=few).update(is_trial=True)


@transaction.atomic
def cancel(run: Run) -> int:
    """Send no more requests; calls in progress are still stored. Returns how many responses were not asked."""
    RUN.require(run, "cancel", reason="")
    return responses.cancel_waiting(run)


@transaction.atomic
def resume(run: Run) -> int:
    """Let responses that failed or were cancelled wait again; returns how many."""
    capped = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    caps.check_cap(capped, list(capped.models_asked.all()))
    was_done = run.state == RunState.DONE
    RUN.require(run, "resume", finished_at=None, reason="")
    again = responses.resume(run)
    if was_done and not again:
        raise Conflict("Every response of this run has its text; there is nothing to ask again.")
    finish(Run.everything.filter(pk=run.pk))
    return again


@transaction.atomic
def retry_failed(run: Run) -> int:
    """Let the responses that failed wait again, and no others, and go on with the run; returns how many."""
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    caps.check_cap(run, list(run.models_asked.all()))
    again = responses.ask_failed_again(run)
    if not again:
        raise Conflict("No response of this run has failed.")
    if run.state != RunState.RUNNING:
        RUN.require(run, "resume", finished_at=None, reason="")
    return again


def pause(run: Run, reason: str) -> None:
    """Ask no more until a person resumes the run; raises Conflict where it is not running."""
    RUN.require(run, "pause", reason=reason)


# ---------------------------------------------------------------- by workers


def pause_by_worker(key: int, reason: str) -> None:
    """The same, where it still runs; a trial ends."""
    RUN.move(Run.everything.filter(pk=key), "pause", reason=reason)
    RUN.move(Run.everything.filter(pk=key), "tried", reason=reason)


def cancel_late() -> None:
    """Cancel what was set back after its run was cancelled."""
    waiting = Run.objects.filter(
        state=RunState.CANCELLED, responses__state=ResponseState.PENDING
    ).distinct()
    for run in waiting:
        responses.cancel_waiting(run)


def finish(runs: QuerySet[Run]) -> None:
    """Finish the runs without open responses, and the trials.

    Called outside the transaction that stored the last response. `runs` joins nothing: after it has waited for a row,
    PostgreSQL does not check the conditions of a join again.
    """
    left = Response.objects.filter(run=OuterRef("pk"), state__in=responses.OPEN)
    RUN.move(runs.exclude(Exists(left.filter(is_trial=True))), "tried")
    over = runs.filter(~Exists(left), state__in=RUN.parsed["finish"].sources)
    keys = list(over.values_list("pk", flat=True))
    if not keys:
        return
    with transaction.atomic():
        # Looked at again under the lock: somebody may have just let responses wait again.
        locked = list(Run.objects.select_for_update(of=("self",)).filter(pk__in=keys))
        open_no_more = Run.everything.filter(~Exists(left), pk__in=[run.pk for run in locked])
        RUN.move(open_no_more, "finish", finished_at=Now(), reason="")
