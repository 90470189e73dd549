"""Language models: a service's model with fixed options. Other options make another model."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from datasets.identity import canonical
from datasets.models import Instance
from generation.inference import chat, client, faults, markup, probing, request_fields, scoring
from generation.models import GIVEN, LanguageModel, Response, Run, shown_sha256
from generation.states import ResponseState, RunState
from leases.extension import ExtensionPoint
from leases.refusal import Refusal
from leases.rows import first_of

# Those of the responses with these keys that somebody has judged, whose texts stay as they are.
judged: ExtensionPoint[[Collection[int]], set[int]] = ExtensionPoint("generation.registry.judged")
_BATCH = 500
_READ = ("pk", "text", "finding", "reasoning", "held", "check_reply", "reply", "request")


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
    whole = plain(options)
    model, _ = LanguageModel.objects.get_or_create(
        service=service,
        model_id=model_id,
        options_hash=options_hash(whole),
        defaults={"options": whole, "display_name": display_name},
    )
    return model


def made_elsewhere(model_id: str, options: Mapping[str, Any]) -> LanguageModel:
    """The model of an imported file with these options; not stored where it is new."""
    whole, known = plain(options), LanguageModel.objects.filter(service="", model_id=model_id)
    mine = {"options_hash": options_hash(whole)}
    return known.filter(**mine).first() or LanguageModel(model_id=model_id, options=whole, **mine)


def author(name: str) -> LanguageModel:
    """The row that stands for the author of given texts (prompting.Prompt.by); no service is asked for them."""
    return add("", name, GIVEN)


def has_replies() -> Q:
    """The condition of a model whose whole replies are kept, or will be, so that they can be read again."""
    kept = Response.objects.filter(model=OuterRef("pk"), reply__isnull=False)
    return ~Q(service="") | Q(Exists(kept))


def seen() -> QuerySet[LanguageModel]:
    """All models but those that only an unfinished import has."""
    asked = Run.everything.filter(models_asked=OuterRef("pk"))
    return LanguageModel.objects.exclude(
        Exists(asked.filter(collection__arriving_until__isnull=False)),
        ~Exists(asked.filter(collection__arriving_until=None)),
        service="",
    )


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in options.items()}


def _plain(value: Any) -> Any:
    """0.0 as 0, so that equal options make the same model."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def add_probed(
    service: str,
    model_id: str,
    options: Mapping[str, Any] = chat.DEFAULT_OPTIONS,
    display_name: str = "",
    systems: Sequence[str | None] = ("", None),
) -> tuple[LanguageModel, str]:
    """The model with the first of the system messages that a test call takes, and what the call brought.

    Raises Refusal when it does not answer.
    """
    set_apart = (chat.MAX_TOKENS, chat.SYSTEM_MESSAGE)
    try:
        request_fields.check({key: value for key, value in options.items() if key not in set_apart})
    except request_fields.BadFields as bad:
        raise Refusal(str(bad)) from None
    probe = _probed(service, model_id, options, systems)
    whole = {**options, chat.SYSTEM_MESSAGE: probe.system_message}
    model = add(service, model_id, whole, display_name)
    _keep(model, probe)
    return model, probe.remark


def test(model: LanguageModel) -> str:
    """Test the model with its own options, and keep what it can do; returns what the call brought. Raises Refusal."""
    options = {name: value for name, value in model.options.items() if name != chat.SYSTEM_MESSAGE}
    system = model.options.get(chat.SYSTEM_MESSAGE)
    probe = _probed(model.service, model.model_id, options, (system,))
    _keep(model, probe)
    return probe.remark


def set_prices(model: LanguageModel, read: float | None, written: float | None) -> None:
    """Prices for a million tokens, both or none; calls made before keep their cost.

    Raises Refusal where the cap of a run that asks the model would no longer hold.
    """
    over = (RunState.DONE, RunState.CANCELLED, RunState.IMPORTED)
    capped = Run.everything.filter(models_asked=model, cost_cap__isnull=False)
    if capped.exclude(state__in=over).exists():
        _check_prices(model, read, written)
    model.price_read, model.price_written = read, written
    model.save(update_fields=["price_read", "price_written"])


def _check_prices(model: LanguageModel, read: float | None, written: float | None) -> None:
    if read is None:
        raise Refusal(
            f"A run that is not finished asks {model} under a cap, which needs its prices. Enter 0 if it costs "
            "nothing, or remove the run's cap first."
        )
    if (read or written) and not model.options.get(chat.MAX_TOKENS):
        raise Refusal(
            f"A run that is not finished asks {model} under a cap, which cannot hold for a price: the model has no "
            "maximum of new tokens. Remove the run's cap first."
        )


def _probed(
    service: str, model_id: str, options: Mapping[str, Any], systems: Sequence[str | None]
) -> probing.Probe:
    try:
        return probing.probe(client.service(service), model_id, plain(options), systems)
    except faults.ServiceFault as fault:
        raise ServiceRefusal(fault) from fault


def _keep(model: LanguageModel, probe: probing.Probe) -> None:
    # What an earlier test saw is kept where this one could not see it.
    kept = {name: getattr(model.able, name) for name in probe.unseen}
    able = replace(probe.abilities, **kept)
    # An admin's choice, or that of an earlier test.
    if before := model.able.marks:
        able = replace(able, marks=before, opens_reasoning=model.able.opens_reasoning)
    is_new = (able.marks, able.opens_reasoning) != (model.able.marks, model.able.opens_reasoning)
    if able.scores not in scoring.ways(model.options, able):
        able = replace(able, scores="", alternatives=0)
    # Neither this test nor an earlier one saw them: they stay unknown.
    unknown = set(probing.SCORES) & set(probe.unseen) - set(model.abilities)
    model.abilities = {name: value for name, value in asdict(able).items() if name not in unknown}
    model.save(update_fields=["abilities"])
    if is_new:
        read_again(model)


@transaction.atomic
def choose_marks(model: LanguageModel, marks: str, opens: bool) -> int:
    """Keep how the model marks reasoning (chat.Abilities.marks); the number of stored texts that this changes."""
    model.abilities = {
        **asdict(model.able),
        **model.abilities,
        "marks": marks,
        "opens_reasoning": opens,
    }
    model.save(update_fields=["abilities"])
    return read_again(model)


def read_again(model: LanguageModel) -> int:
    """Read the texts of its finished responses again from their whole replies; the number of those that change.

    What somebody has judged stays, and what a check was sent about: only whether it is held is looked at again.
    """
    rows = model.responses.filter(state=ResponseState.DONE, scored__isnull=True)
    rows = rows.exclude(~Q(finding=""), text="")
    keys = list(rows.filter(reply__isnull=False).order_by().values_list("pk", flat=True))
    changed = 0
    for start in range(0, len(keys), _BATCH):
        some = keys[start : start + _BATCH]
        kept = set().union(*judged(some))
        read = list(Response.objects.filter(pk__in=set(some) - kept).only(*_READ))
        new = [row for row in read if read_text(row, model.able)]
        Response.objects.bulk_update(new, ["text", "text_sha256", "reasoning", "held"])
        changed += len(new)
    return changed


def read_text(row: Response, able: chat.Abilities) -> bool:
    """Read the response's text from its whole reply; whether anything changes."""
    before = (row.text, row.reasoning, bool(row.held))
    is_read = row.check_reply is None
    found = chat.text_of(row.reply, able, bare="prompt" in (row.request or {})) if is_read else None
    row.text, row.reasoning = found or before[:2]
    row.text_sha256 = shown_sha256(row.text, row.finding)
    said = (row.text, row.check_reply or "")
    row.held = (is_read and not found) or any(markup.is_held(text, able.marks) for text in said)
    return (row.text, row.reasoning, row.held) != before


def answered(questions: Sequence[Instance]) -> set[int]:
    """The ids of those that a model has answered, in any version of their record. Given texts are no answers."""
    answers = Response.objects.filter(
        instance__n=OuterRef("n"),
        instance__contradiction__collection=OuterRef("contradiction__collection"),
        instance__contradiction__position=OuterRef("contradiction__position"),
        state=ResponseState.DONE,
    ).exclude(model__options=GIVEN)
    rows = Instance.objects.filter(Exists(answers), pk__in=[row.pk for row in questions])
    return set(rows.order_by().values_list("pk", flat=True))


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
    return known[0] if known else add_probed(service, model_id)[0]
