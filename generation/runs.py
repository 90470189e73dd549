"""Runs: created, extended, started, paused, cancelled, resumed, finished. The one module that changes a run's state."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.db.models.functions import Now

from accounts.models import Person
from datasets.models import Collection, Instance
from generation import costs, planning, prompt_versions, responses
from generation.inference import chat, client
from generation.models import LanguageModel, Response, Run
from generation.planning import Rendered
from generation.prompts import prompting
from generation.prompts.prompting import Form, Prompt
from generation.states import RUN, ResponseState, RunState
from leases.planner import learn_sizes_on_commit
from leases.refusal import Conflict, Refusal

BATCH = 500
# Calls to each model for a preview.
TRIED = 5
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
    form: UUID | None = None,
) -> tuple[Run, list[Rendered]]:
    """A run in draft with its responses waiting, over the first `limit` questions (None: all).

    Returns it with the prompts that were left out because a passage in them is empty; the same `form` again returns the
    first run. Raises Refusal when there is nothing to ask, or no model that can be asked.
    """
    _check_models(models)
    _check_scores([(prompt, model) for prompt in prompts for model in models])
    rendered = list(planning.rendered(planning.instances_of(collection, limit), prompts))
    askable = [one for one in rendered if not one.problem]
    _check_prompts(collection, rendered, askable)
    if not askable:
        raise Refusal(
            f"There is nothing to ask: {collection.name} has no question that these prompts can be used on."
        )
    if samples < 1:
        raise Refusal("Each prompt needs at least one sample.")
    _check_size(len(askable) * len(models) * samples)
    columns = {
        "name": name.strip() or _name(collection, models, prompts),
        "collection": collection,
        "prompts": [prompt.name for prompt in prompts],
        "samples": samples,
        "created_by": by,
        "is_demonstration": collection.is_demonstration,
    }
    if form:
        run, is_new = Run.objects.get_or_create(form=form, defaults=columns)
        if not is_new:
            return run, []
    else:
        run = Run.objects.create(**columns)
    prompt_versions.publish(prompts)
    run.models_asked.set(models)
    rows = list(planning.responses(run, askable, models, samples))
    Response.objects.bulk_create(rows, batch_size=BATCH)
    learn_sizes_on_commit("generation")
    return run, [one for one in rendered if one.problem]


@transaction.atomic
def extend(
    run: Run, models: Sequence[LanguageModel], prompts: Sequence[Prompt]
) -> tuple[int, list[Rendered]]:
    """Ask the run's questions with further models and prompts; returns the number of new responses.

    Each new model gets all prompts, each new prompt all models. Questions changed or excluded since the run was made
    are left out. A finished or cancelled run goes on; its cancelled responses stay so. The prompts that cannot be asked
    are returned too. Raises Refusal, and Conflict where the run has them all.
    """
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.state == RunState.IMPORTED:
        raise Refusal("This run was imported; nothing can be added to it.")
    whole = [*run.models_asked.all()]
    named = [*run.prompts]
    made = {(name, model.pk) for name in named for model in whole}
    whole += [model for model in models if model not in whole]
    named += [prompt.name for prompt in prompts if prompt.name not in named]
    if len(made) == len(whole) * len(named):
        raise Conflict("The run has these models and prompts already.")
    _check_models(whole if prompts else models)
    known = prompt_versions.known(named)
    _check_scores(
        [
            (known[name], model)
            for name in named
            for model in whole
            if name in known and (name, model.pk) not in made
        ]
    )
    rendered = list(planning.rendered(_kept(run), [prompting.found(name, known) for name in named]))
    askable = [one for one in rendered if not one.problem]
    _check_prompts(run.collection, rendered, askable)
    last = run.responses.aggregate(last=Max("order"))["last"] or 0
    rows = list(planning.responses(run, askable, whole, run.samples, made=made, first=last + 1))
    _check_size(run.responses.count() + len(rows))
    if not rows:
        raise Refusal("There is nothing to ask: the run's questions were changed or excluded.")
    prompt_versions.publish(prompts)
    Response.objects.bulk_create(rows, batch_size=BATCH)
    learn_sizes_on_commit("generation")
    if run.cost_cap is not None:
        texts = ((row.rendered, row.follow_up) for row in rows)
        run.longest = max(run.longest, _longest(texts, whole))
    run.prompts = named
    _check_cap(run, whole)
    run.models_asked.set(whole)
    run.save(update_fields=["prompts", "longest"])
    if run.state in (RunState.DONE, RunState.CANCELLED):
        RUN.require(run, "resume", finished_at=None, reason="")
    added = {prompt.name for prompt in prompts}
    return len(rows), [one for one in rendered if one.problem and one.prompt.name in added]


@transaction.atomic
def set_cap(run: Run, cap: float | None) -> None:
    """Let no call begin that might raise the run's cost above the cap; None: no cap. Raises Refusal."""
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if cap is not None and run.cost_cap is None and has_calls_in_flight(run.pk):
        raise Refusal(
            "Calls of this run are in progress, and a new cap would not count them. Pause the run, wait for its calls, "
            "then set the cap."
        )
    texts = Response.objects.filter(run=run).order_by().values_list("rendered", "follow_up")
    models = list(run.models_asked.all())
    longest = 0 if cap is None else _longest(texts.iterator(chunk_size=1000), models)
    run.cost_cap, run.longest = cap, longest
    _check_cap(run, models)
    run.save(update_fields=["cost_cap", "longest"])


def has_calls_in_flight(key: int) -> bool:
    return Response.objects.filter(run=key, state=ResponseState.RUNNING).exists()


def _longest(texts: Iterable[tuple[str, list[str] | None]], models: Sequence[LanguageModel]) -> int:
    """Bytes of the longest request; of a second turn with a byte for each token of the first reply, each time.

    It is sent as the model's own turn, and at each of its places in the second text.
    """
    reply = max((model.options.get(chat.MAX_TOKENS) or 0 for model in models), default=0)
    return max(
        (_size(text, *(pieces or ())) + reply * len(pieces or ()) for text, pieces in texts),
        default=0,
    )


def _size(*texts: str) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def most_of_call(run: Run, model: LanguageModel) -> float:
    """The most that a call of a run with a cap costs: with one new token where all its prompts score options."""
    known = prompt_versions.known(run.prompts)
    scores = all(name in known and known[name].form == Form.SCORES for name in run.prompts)
    return costs.most(model, run.longest, scores)


def _check_cap(run: Run, models: Sequence[LanguageModel]) -> None:
    """Raise Refusal for a cap that would not hold, or that is below the price of one call."""
    if run.cost_cap is None:
        return
    if unknown := [str(model) for model in models if model.price_read is None]:
        raise Refusal(
            f"A cap needs the prices of all models. Set those of {', '.join(unknown)} on the page of models (0 if it "
            "costs nothing), or leave the cap out."
        )
    dear = [model for model in models if not costs.is_free(model)]
    if boundless := [str(model) for model in dear if not model.options.get(chat.MAX_TOKENS)]:
        raise Refusal(f"A cap cannot hold for {boundless[0]}, which has no maximum of new tokens.")
    one = max((most_of_call(run, model) for model in dear), default=0.0)
    if run.cost_cap < one:
        raise Refusal(f"One call may cost {one:.4f}. Set a cap of at least that.")


def _kept(run: Run) -> QuerySet[Instance]:
    """The run's questions without those changed or excluded since."""
    asked = Response.objects.filter(run=run).order_by().values("instance")
    return planning.instances_of(run.collection).filter(pk__in=asked)


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
    names = ", ".join(str(model) for model in models)
    labels = ", ".join(prompt.label for prompt in prompts)
    return f"{collection.name}: {names}, prompt{'s' if len(prompts) > 1 else ''} {labels}"[:120]


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
    _check_cap(capped, list(capped.models_asked.all()))
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
    _check_cap(run, list(run.models_asked.all()))
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

    Called outside the transaction that stored the last response. `runs` joins nothing: PostgreSQL checks the conditions
    of a join not again after it waited for a row.
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
