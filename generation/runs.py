"""Runs: created, started, cancelled, resumed, finished. The one module that changes a run's state."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.models import Collection
from generation import client, dispatch, planning, responses
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.prompting import Prompt
from generation.states import RUN, ResponseState, RunState
from leases.refusal import Conflict, Refusal

BATCH = 500
MOST_RESPONSES = 100_000


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
) -> tuple[Run, list[Rendered]]:
    """A run in draft with its responses waiting, over the first `limit` questions (None: all).

    Returns it with the prompts that were left out because a passage in them is empty. Raises Refusal when there is
    nothing to ask, or no model that can be asked.
    """
    _check_models(models)
    rendered = list(planning.rendered(planning.instances_of(collection, limit), prompts))
    askable = [one for one in rendered if not one.problem]
    _check_prompts(collection, rendered, askable)
    _check_size(collection, len(askable), len(askable) * len(models) * samples)
    run = Run.objects.create(
        name=name.strip() or _name(collection, models, prompts),
        collection=collection,
        prompts=[prompt.name for prompt in prompts],
        samples=samples,
        created_by=by,
        is_demonstration=collection.is_demonstration,
    )
    run.models_asked.set(models)
    rows = list(planning.responses(run, askable, models, samples))
    Response.objects.bulk_create(rows, batch_size=BATCH)
    return run, [one for one in rendered if one.problem]


def _check_prompts(
    collection: Collection, rendered: Sequence[Rendered], askable: Sequence[Rendered]
) -> None:
    """Raise NothingRevised for a prompt on revised passages where no question has checked ones."""
    fit = {one.prompt.name for one in askable}
    for one in rendered:
        if one.prompt.revised and one.prompt.name not in fit:
            raise NothingRevised(
                f"Prompt {one.prompt.label} shows passages revised so that they agree, and no question of "
                f"{collection.name} has such passages checked by a second person. Write and check them on "
                "the collection's page of revised passages, or leave this prompt out.",
                collection,
            )


def _check_size(collection: Collection, askable: int, size: int) -> None:
    if not askable:
        raise Refusal(
            f"There is nothing to ask: {collection.name} has no question that these prompts can be used on."
        )
    if size < 1:
        raise Refusal("Each prompt needs at least one sample.")
    if size > MOST_RESPONSES:
        raise Refusal(
            f"That would be {size} responses; a run has at most {MOST_RESPONSES}. Set a limit."
        )


def _check_models(models: Sequence[LanguageModel]) -> None:
    if not models:
        raise Refusal("Choose at least one model.")
    for model in models:
        check_askable(model)


def check_askable(model: LanguageModel) -> None:
    """Raise Refusal for a model without a service, or whose service cannot be used."""
    if not model.service:
        raise Refusal(f"{model} was imported with its responses; there is no service to ask.")
    if problem := client.problem(model.service):
        raise Refusal(problem)


def _name(
    collection: Collection, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> str:
    names = ", ".join(str(model) for model in models)
    labels = ", ".join(prompt.label for prompt in prompts)
    return f"{collection.name}: {names}, prompt{'s' if len(prompts) > 1 else ''} {labels}"[:120]


def start(run: Run) -> None:
    """Let workers ask; raises Conflict when the run was started before."""
    RUN.require(run, "start")


@transaction.atomic
def cancel(run: Run) -> int:
    """Send no more requests; calls in progress are still stored. Returns how many responses were not asked."""
    RUN.require(run, "cancel")
    return responses.cancel_waiting(run)


@transaction.atomic
def resume(run: Run) -> int:
    """Let responses that failed or were cancelled wait again; returns how many."""
    was_done = run.state == RunState.DONE
    RUN.require(run, "resume", finished_at=None)
    again = responses.resume(run)
    if was_done and not again:
        raise Conflict("Every response of this run has its text; there is nothing to ask again.")
    _finish(Run.objects.filter(pk=run.pk))
    return again


# ---------------------------------------------------------------- answered


def answer_next(service_name: str, run: Run | None = None) -> bool:
    """Ask the service for its next waiting response, and store it.

    False when there was nothing to do: no response waits, all calls in flight are taken, or the service is paused.
    """
    response = dispatch.serve_one(service_name, responses.Queue(run))
    if response is None:
        return False
    _finish(Run.objects.filter(pk=response.run_id))
    return True


def sweep() -> int:
    """Take back the responses of dead workers, and finish runs that are over; returns how many were taken back."""
    taken_back = responses.sweep()
    for run in Run.objects.filter(
        state=RunState.CANCELLED, responses__state=ResponseState.PENDING
    ).distinct():
        responses.cancel_waiting(run)
    _finish(Run.objects.all())
    return taken_back


def _finish(runs: QuerySet[Run]) -> None:
    """Finish the runs without open responses. Called outside the transaction that stored the last response."""
    left = Response.objects.filter(run=OuterRef("pk"), state__in=responses.OPEN)
    RUN.move(runs.exclude(Exists(left)), "finish", finished_at=Now())
