"""Runs: made, started, cancelled, resumed, carried out, finished. The one module that changes a run's state."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.models import Collection
from generation import asking, chat, client, faults, planning, responses
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.prompting import Prompt
from generation.states import RUN, ResponseState, RunState
from leases.refusal import Conflict, Refusal

BATCH = 500
MOST_RESPONSES = 100_000


class NothingRevised(Refusal):
    """A prompt needs revised passages, and this collection has none that are checked."""

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

    Returns it with the prompts left out because a passage that they show is empty. Raises Refusal when there
    is nothing to ask, or nobody to ask it of.
    """
    _check_models(models)
    asked = list(planning.rendered(planning.instances_of(collection, limit), prompts))
    askable = [one for one in asked if not one.problem]
    _check_prompts(collection, asked, askable)
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
    return run, [one for one in asked if one.problem]


def _check_prompts(
    collection: Collection, asked: Sequence[Rendered], askable: Sequence[Rendered]
) -> None:
    """Raise Refusal for a prompt that no question fits, where it is for want of revised passages."""
    fit = {one.prompt.name for one in askable}
    for one in asked:
        if one.prompt.revised and one.prompt.name not in fit:
            raise NothingRevised(
                f"Prompt {one.prompt.label} shows passages revised so that they agree, and no question of "
                f"{collection.name} has such passages that a second person has checked. Write and check them on "
                "the collection's page of revised passages, or leave this prompt out.",
                collection,
            )


def _check_size(collection: Collection, askable: int, size: int) -> None:
    if not askable:
        raise Refusal(
            f"There is nothing to ask: {collection.name} has no question that these prompts fit."
        )
    if size < 1:
        raise Refusal("Each prompt needs at least one sample.")
    if size > MOST_RESPONSES:
        raise Refusal(
            f"That would be {size} responses; a run holds at most {MOST_RESPONSES}. Set a limit."
        )


def _check_models(models: Sequence[LanguageModel]) -> None:
    if not models:
        raise Refusal("Choose at least one model.")
    for model in models:
        if not model.service:
            raise Refusal(f"{model} was imported with its responses; there is no service to ask.")
        if problem := client.problem(model.service):
            raise Refusal(problem)


def _name(
    collection: Collection, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> str:
    asked = ", ".join(str(model) for model in models)
    labels = ", ".join(prompt.label for prompt in prompts)
    return f"{collection.name}: {asked}, prompt{'s' if len(prompts) > 1 else ''} {labels}"[:120]


def start(run: Run) -> None:
    """Let workers ask; raises Conflict when the run was started before."""
    RUN.require(run, "start")


@transaction.atomic
def cancel(run: Run) -> int:
    """Ask nothing more; answers under way are kept when they come. Returns how many were not asked."""
    RUN.require(run, "cancel")
    return responses.cancel_waiting(run)


@transaction.atomic
def resume(run: Run) -> int:
    """Ask again what failed or was cancelled; returns how many responses that is."""
    was_done = run.state == RunState.DONE
    RUN.require(run, "resume", finished_at=None)
    again = responses.resume(run)
    if was_done and not again:
        raise Conflict("Every response of this run is there; there is nothing to ask again.")
    _finish(Run.objects.filter(pk=run.pk))
    return again


# ---------------------------------------------------------------- carried out


@dataclass(frozen=True)
class _Queue:
    """The responses that wait to be asked: of one run, or of all that are running."""

    run: Run | None

    def claim(self, service: client.ServiceEntry, holder: str) -> Response | None:
        return responses.claim_next(service, holder, self.run)

    def request(self, response: Response) -> tuple[LanguageModel, str]:
        return response.model, response.rendered

    def store(self, response: Response, holder: str, reply: chat.Reply) -> bool:
        return responses.store(response, holder, reply)

    def set_back(self, response: Response, holder: str, fault: faults.ServiceFault) -> bool:
        return responses.set_back(response, holder, fault)


def answer_next(service_name: str, run: Run | None = None) -> bool:
    """Ask the service for its next waiting response and store the answer as it comes.

    False when there was nothing to do: nothing waits, all calls in flight are taken, or the service rests.
    """
    response = asking.serve_one(service_name, _Queue(run))
    if response is None:
        return False
    _finish(Run.objects.filter(pk=response.run_id))
    return True


def sweep() -> int:
    """Return what dead workers held, and finish runs that are over; returns how many responses came back."""
    returned = responses.sweep()
    for run in Run.objects.filter(
        state=RunState.CANCELLED, responses__state=ResponseState.PENDING
    ).distinct():
        responses.cancel_waiting(run)
    _finish(Run.objects.all())
    return returned


def _finish(runs: QuerySet[Run]) -> None:
    """Finish those that have nothing left to ask. Called outside the transaction that stored the last answer."""
    still = Response.objects.filter(run=OuterRef("pk"), state__in=responses.OPEN)
    RUN.move(runs.exclude(Exists(still)), "finish", finished_at=Now())
