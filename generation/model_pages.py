"""What the pages of models show: what services offer, and each model's options and abilities in words."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from generation import registry
from generation.inference import chat, client, embedded, markup
from generation.inference.faults import ServiceFault
from generation.models import GIVEN, LanguageModel, Response


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
    offers = [
        Offer(model_id, known.get(model_id, 0), embedded.is_poor_subject(model_id))
        for model_id in offered
    ]
    return ServiceAnswer(name, "", offers)


def options_line(options: Mapping[str, Any]) -> str:
    """A model's options as text, in a fixed order: databases differ in the order of JSON keys."""
    if not options:
        return "no options recorded"
    if options == GIVEN:
        return "its texts are in the records; it is not asked"
    usual = [name for name in ("temperature", "max_tokens", "seed") if name in options]
    others = sorted(set(options) - {*usual, chat.SYSTEM_MESSAGE})
    parts = [f"{name.replace('_', ' ')} {_value(options[name])}" for name in (*usual, *others)]
    system = options.get(chat.SYSTEM_MESSAGE)
    if system is None:
        return ", ".join([*parts, "no system message"])
    return ", ".join([*parts, f"system message “{system}”" if system else "empty system message"])


def _value(value: Any) -> str:
    return (
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    )


def whole_name(model: LanguageModel) -> str:
    """The model's name with its service and options, which tell it from others of that name."""
    return f"{model} ({model.source}; {options_line(model.options)})"


def abilities_line(model: LanguageModel) -> str:
    """What a test call found out about the model, as text."""
    if not model.service:
        return ""
    if not model.abilities:
        return "not tested"
    parts = ["completions without a chat" if model.able.completions else "chat"]
    if model.able.limit != chat.MAX_TOKENS:
        parts.append(model.able.limit)
    if model.able.marks == markup.SHOWN:
        parts.append("texts shown as they are")
    elif model.able.marks:
        parts.append(f"reasoning in {model.able.marks}")
    if model.able.opens_reasoning:
        parts.append("reasons before it answers")
    parts.append(_scores_line(model))
    return f"tested: {', '.join(parts)}"


def _scores_line(model: LanguageModel) -> str:
    if "scores" not in model.abilities:
        return "log-probabilities not tested"
    if not model.able.scores:
        return "no log-probabilities"
    by = "" if model.able.completions else f" by {model.able.scores}"
    return f"log-probabilities of {model.able.alternatives} tokens{by}"


@dataclass(frozen=True)
class ModelRow:
    model: LanguageModel
    options: str
    abilities: str
    responses: int
    held: str
    is_poor: bool
    is_configured: bool
    may_choose_marks: bool


def all_models() -> list[ModelRow]:
    return model_rows(registry.seen().annotate(answered=Count("responses")))


def model_rows(rows: Iterable[Any]) -> list[ModelRow]:
    """The rows of language models with their numbers of responses, `answered`."""
    configured = set(client.names())
    models = list(rows)
    waiting = Response.objects.filter(held=True, model__in=models).order_by().values_list("model")
    held = dict(waiting.annotate(Count("pk")))
    imported = LanguageModel.objects.filter(registry.has_replies(), service="")
    reread = set(
        imported.filter(pk__in=[model.pk for model in models]).values_list("pk", flat=True)
    )
    return [
        ModelRow(
            model=model,
            options=options_line(model.options),
            abilities=abilities_line(model),
            responses=model.answered,
            held=f"{held[model.pk]} held" if model.pk in held else "",
            is_poor=embedded.is_poor_subject(model.model_id),
            is_configured=model.service in configured,
            may_choose_marks=bool(model.service) or model.pk in reread,
        )
        for model in models
    ]
