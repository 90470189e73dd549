"""The data of generation's pages, made from rows."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, FilteredRelation, Q

from generation import chat, client, embedded, prompting, registry, responses
from generation.faults import ServiceFault
from generation.models import LanguageModel, Response, Run
from generation.prompting import Prompt
from generation.states import ResponseState, RunState

Reasons = list[tuple[str, int]]


# ---------------------------------------------------------------- services and models


@dataclass(frozen=True)
class Offer:
    """One model that a service offers; `known` counts its stored sets of options."""

    model_id: str
    known: int
    is_poor: bool


@dataclass(frozen=True)
class ServiceAnswer:
    """The models that a service offers now; `problem` is "" when it answers."""

    name: str
    problem: str
    offers: list[Offer]


def service_answer(name: str) -> ServiceAnswer:
    """Ask the service for its models; takes at most a few seconds."""
    try:
        service = client.service(name)
        service.check()
        offered = service.models()
    except ServiceFault as fault:
        return ServiceAnswer(name, fault.sentence, [])
    rows = LanguageModel.objects.filter(service=name).order_by().values_list("model_id")
    known = dict(rows.annotate(Count("pk")))
    offers = [Offer(one, known.get(one, 0), embedded.is_poor_subject(one)) for one in offered]
    return ServiceAnswer(name, "", offers)


def options_line(options: Mapping[str, Any]) -> str:
    """A model's options as text, in a fixed order: databases differ in the order of JSON keys."""
    if not options:
        return "no options recorded"
    usual = [name for name in ("temperature", "max_tokens", "seed") if name in options]
    others = sorted(set(options) - {*usual, chat.SYSTEM_MESSAGE})
    parts = [f"{name.replace('_', ' ')} {options[name]}" for name in (*usual, *others)]
    system = options.get(chat.SYSTEM_MESSAGE)
    if system is None:
        return ", ".join([*parts, "no system message"])
    return ", ".join([*parts, f"system message “{system}”" if system else "empty system message"])


@dataclass(frozen=True)
class ModelRow:
    """A model in the list of models."""

    model: LanguageModel
    options: str
    responses: int
    is_poor: bool
    is_configured: bool


def all_models() -> list[ModelRow]:
    return _model_rows(registry.seen().annotate(answered=Count("responses")))


def _model_rows(models: Iterable[Any]) -> list[ModelRow]:
    """The rows of language models with their numbers of responses, `answered`."""
    configured = set(client.names())
    return [
        ModelRow(
            model=model,
            options=options_line(model.options),
            responses=model.answered,
            is_poor=embedded.is_poor_subject(model.model_id),
            is_configured=model.service in configured,
        )
        for model in models
    ]


# ---------------------------------------------------------------- runs


def prompts_of(run: Run) -> list[Prompt]:
    """The run's prompts that this program has; an imported run may name others."""
    known = prompting.prompts()
    return [known[name] for name in run.prompts if name in known]


def progress_context(run: Run) -> dict[str, Any]:
    """The part of a run's page that is updated while it runs."""
    progress = responses.progress(run)
    left = progress.failed + progress.cancelled
    return {
        "run": run,
        "progress": progress,
        "settled": progress.done + progress.failed,
        "is_running": run.state == RunState.RUNNING,
        "may_start": run.state == RunState.DRAFT,
        "may_cancel": run.state in (RunState.DRAFT, RunState.RUNNING),
        "may_resume": run.state == RunState.CANCELLED or (run.state == RunState.DONE and left > 0),
        "failures": reasons(run, ResponseState.FAILED),
        "troubles": [*service_troubles(run), *reasons(run, ResponseState.PENDING)],
    }


def reasons(run: Run, state: ResponseState) -> Reasons:
    """The reasons of responses in this state and their counts, the most frequent first; at most twenty."""
    rows = Response.objects.filter(run=run, state=state).exclude(error="").order_by()
    return list(rows.values_list("error").annotate(n=Count("pk")).order_by("-n", "error")[:20])


def service_troubles(run: Run) -> Reasons:
    """Why services of a running run cannot be asked, and how many responses wait for each."""
    if run.state != RunState.RUNNING:
        return []
    waiting = Response.objects.filter(run=run, state=ResponseState.PENDING).order_by()
    by_service = waiting.values_list("model__service").annotate(n=Count("pk"))
    return [(why, number) for name, number in by_service if (why := client.problem(name))]


def models_of(run: Run) -> list[ModelRow]:
    """The run's models, with the numbers of their finished responses in it."""
    done = Q(responses__run=run, responses__state=ResponseState.DONE)
    in_run = FilteredRelation("responses", condition=done)
    return _model_rows(run.models_asked.annotate(in_run=in_run, answered=Count("in_run")))


# ---------------------------------------------------------------- responses


def readable(data: Mapping[str, Any] | None) -> str:
    """A request or reply as indented JSON; "" where there is none."""
    return json.dumps(data, ensure_ascii=False, indent=2) if data else ""
