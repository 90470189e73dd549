"""A cap on a run's cost: no call begins that might raise the cost above it."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef

from generation import costs, prompt_versions
from generation.inference import chat
from generation.models import LanguageModel, Response, Run
from generation.prompts.prompting import Form
from generation.states import ResponseState, RunState
from leases.refusal import Refusal


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
    most = 0 if cap is None else longest(texts.iterator(chunk_size=1000), models)
    run.cost_cap, run.longest = cap, most
    check_cap(run, models)
    run.save(update_fields=["cost_cap", "longest"])


def check_cap(run: Run, models: Sequence[LanguageModel]) -> None:
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
    dearest = max((most_of_call(run, model) for model in dear), default=0.0)
    if run.cost_cap < dearest:
        raise Refusal(f"One call may cost {dearest:.4f}. Set a cap of at least that.")


def has_calls_in_flight(key: int) -> bool:
    return Response.objects.filter(run=key, state=ResponseState.RUNNING).exists()


def longest(texts: Iterable[tuple[str, list[str] | None]], models: Sequence[LanguageModel]) -> int:
    """Bytes of the longest request.

    A second turn sends the first reply as the model's own turn, and at each of its places in the second text. There
    each token that the reply may have counts as a byte.
    """
    reply = max((model.options.get(chat.MAX_TOKENS) or 0 for model in models), default=0)
    return max(
        (_size(text, *(pieces or ())) + reply * len(pieces or ()) for text, pieces in texts),
        default=0,
    )


def _size(*texts: str) -> int:
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def most_of_call(run: Run, model: LanguageModel) -> float:
    """The most that a call of a run with a cap costs: with one new token where all prompts that ask score options."""
    known = prompt_versions.known(run.prompts)
    asking = [name for name in run.prompts if name not in known or not known[name].given]
    scores = all(name in known and known[name].form == Form.SCORES for name in asking)
    return costs.most(model, run.longest, scores)


def waits_for_room(run_key: int, model_key: int) -> bool:
    """Whether the model's next call has no room under the cap, and the run goes on without it."""
    run, model = Run.objects.get(pk=run_key), LanguageModel.objects.get(pk=model_key)
    return not _has_room(model, run) and goes_on_without(model, run)


def _has_room(model: LanguageModel, run: Run) -> bool:
    if run.cost_cap is None or costs.is_free(model):
        return True
    return costs.calls_within(run.cost_cap - run.cost, most_of_call(run, model)) >= 1


def goes_on_without(model: LanguageModel, run: Run) -> bool:
    """Whether calls in flight may leave room, or another model has room for the responses that wait for it."""
    if has_calls_in_flight(run.pk):
        return True
    waiting = Response.objects.filter(
        run=run, model=OuterRef("pk"), state=ResponseState.PENDING
    ).order_by()
    if run.state == RunState.TRYING:
        waiting = waiting.filter(is_trial=True)
    others = run.models_asked.exclude(pk=model.pk).filter(Exists(waiting))
    return any(_has_room(other, run) for other in others)
