"""Language models: a service's model with fixed options. Other options make another model."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from datasets.identity import canonical
from generation import chat, client, faults
from generation.models import LanguageModel, Run
from leases.refusal import Refusal
from leases.rows import first_of


class ServiceRefusal(Refusal):
    """A service's fault as a refusal, for pages and commands."""

    def __init__(self, fault: faults.ServiceFault) -> None:
        super().__init__(fault.sentence, status=502, retry=fault.retryable)


def options_hash(options: Mapping[str, Any]) -> str:
    """sha256 (hex) of the options, the same however their keys are ordered."""
    return hashlib.sha256(canonical(options)).hexdigest()


def add(
    service: str, model_id: str, options: Mapping[str, Any], display_name: str = ""
) -> LanguageModel:
    """The model with exactly these options; stored where it is new."""
    whole = {name: _plain(value) for name, value in options.items()}
    model, _ = LanguageModel.objects.get_or_create(
        service=service,
        model_id=model_id,
        options_hash=options_hash(whole),
        defaults={"options": whole, "display_name": display_name},
    )
    return model


def seen() -> QuerySet[LanguageModel]:
    """All models but those that only an unfinished import has."""
    asked = Run.everything.filter(models_asked=OuterRef("pk"))
    return LanguageModel.objects.exclude(
        Exists(asked.filter(collection__arriving_until__isnull=False)),
        ~Exists(asked.filter(collection__arriving_until=None)),
        service="",
    )


def _plain(value: Any) -> Any:
    """0.0 as 0, so that equal options make the same model."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def add_probed(
    service: str,
    model_id: str,
    options: Mapping[str, Any] = chat.DEFAULT_OPTIONS,
    display_name: str = "",
) -> LanguageModel:
    """The model with the system message that a test call accepts; raises Refusal when it does not answer."""
    try:
        probe = client.service(service).probe(model_id)
    except faults.ServiceFault as fault:
        raise ServiceRefusal(fault) from fault
    whole = {**options, chat.SYSTEM_MESSAGE: probe.system_message}
    return add(service, model_id, whole, display_name)


def named(name: str) -> LanguageModel:
    """The model SERVICE/MODEL, or SERVICE/MODEL#KEY where it is known with several sets of options.

    A model that is not stored yet is tested and added with the default options. Raises Refusal.
    """
    service, _, model_id = name.partition("/")
    if not service or not model_id:
        raise Refusal(
            f"{name!r} is not the name of a model. Write SERVICE/MODEL, such as embedded/SmolLM2-135M-Instruct."
        )
    model_id, _, key = model_id.partition("#")
    known = LanguageModel.objects.filter(service=service, model_id=model_id).order_by("pk")
    if key:
        chosen = known.filter(pk=int(key)) if key.isdecimal() else known.none()
        return first_of(chosen, f"There is no model {name!r}.")
    if len(known) > 1:
        choices = ", ".join(f"{service}/{model_id}#{model.pk}" for model in known)
        raise Refusal(f"{name} is stored with several sets of options. Choose one of {choices}.")
    return known[0] if known else add_probed(service, model_id)
