"""Test calls: how a service takes the requests of a model with its own options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from generation.inference import chat, faults, scoring
from generation.inference.client import Service

QUESTION = "Say yes."
CHOICE = (
    "Which letter comes first in the alphabet? Reply with the letter only.\n(A) A\n(B) B\nAnswer: ("
)
OPTIONS = ("A", "B")
CHATS = (chat.Abilities(), chat.Abilities(limit=chat.MAX_COMPLETION_TOKENS))
COMPLETIONS = chat.Abilities(completions=True)
# Options that some services refuse for some models.
OPTIONAL = (("seed",), ("temperature",), ("seed", "temperature"))
# The options with a field of their own; the others are further fields of the request.
USUAL = ("temperature", "max_tokens", "seed")
# Another wording may help; a model or address that is not there may have the other kind of completions.
REFUSALS = (faults.Refused, faults.ServiceFailed, faults.ModelGone)
# What a reply that is cut off does not show.
UNSEEN = ("opens_reasoning", "marks")
# What a test leaves open if no way worked, and one failed for another reason than that the service lacks it.
SCORES = ("scores", "alternatives")


@dataclass(frozen=True)
class Probe:
    """What a test call found out: the system message that is taken, and the abilities.

    `remark` is the beginning of the answer with its time, or why there was none. `unseen` are the abilities that this
    test could not find out, so that what an earlier one found is kept.
    """

    system_message: str | None
    abilities: chat.Abilities
    remark: str
    unseen: tuple[str, ...] = ()


def probe(
    service: Service,
    model_id: str,
    options: Mapping[str, Any],
    systems: Sequence[str | None] = ("", None),
) -> Probe:
    """The first of these system messages and wordings that the service takes with these options.

    A model that uses up its tokens over this question can be asked too. Raises the ServiceFault of the first call, or
    Refused with the options that are to be left out.
    """
    first: faults.ServiceFault | None = None
    for abilities, system in _wordings(systems):
        whole = {**options, chat.SYSTEM_MESSAGE: system}
        try:
            found = _probed(service, model_id, whole, abilities)
        except REFUSALS as fault:
            first = first or fault
        else:
            return _with_scores(service, model_id, whole, found)
    assert first is not None
    if isinstance(first, faults.Refused) and (refused := _refused(service, model_id, options)):
        raise faults.Refused(
            f"The service does not take the {' and the '.join(refused)} for this model. Leave it "
            f"{'empty' if set(refused) <= set(USUAL) else 'out'}."
        ) from first
    raise first


def _wordings(systems: Sequence[str | None]) -> Iterator[tuple[chat.Abilities, str | None]]:
    yield from ((abilities, system) for abilities in CHATS for system in systems)
    if None in systems:
        yield COMPLETIONS, None


def _probed(
    service: Service, model_id: str, options: Mapping[str, Any], abilities: chat.Abilities
) -> Probe:
    try:
        reply = service.ask(model_id, options, QUESTION, abilities)
    except (faults.NoRoom, faults.EmptyReply) as fault:
        remark = f"did not answer the test: {fault.sentence}"
        return Probe(options[chat.SYSTEM_MESSAGE], abilities, remark, UNSEEN)
    is_cut_off = reply.finish_reason in chat.CUT_OFF and not reply.reasoning
    is_whole = not (reply.finding or is_cut_off)
    if is_whole:
        marks, opens = chat.marks_in(reply)
        abilities = replace(abilities, opens_reasoning=opens, marks=marks)
    beginning = " ".join((reply.text or reply.finding).split())[:80]
    remark = f"answered in {reply.latency_ms} ms: “{beginning}”"
    if is_cut_off:
        remark += (
            ". The answer was cut off, so that it is not known whether the model reasons first: "
            "add it with more max_tokens"
        )
    return Probe(options[chat.SYSTEM_MESSAGE], abilities, remark, () if is_whole else UNSEEN)


def _with_scores(
    service: Service, model_id: str, options: Mapping[str, Any], found: Probe
) -> Probe:
    """The same with how the service gives log-probabilities, if it does."""
    unseen: tuple[str, ...] = ()
    for way in scoring.ways(options, found.abilities):
        for most in scoring.ALTERNATIVES:
            abilities = replace(found.abilities, scores=way, alternatives=most)
            try:
                service.ask(model_id, options, CHOICE, abilities, scored=OPTIONS)
            except (faults.Refused, faults.ServiceFailed):
                continue  # it may return fewer
            except (faults.ModelGone, faults.WrongShape):
                break
            except faults.ServiceFault:
                unseen = SCORES
                break
            return replace(found, abilities=abilities)
    return replace(found, unseen=(*found.unseen, *unseen))


def _refused(service: Service, model_id: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The options without which the service takes the request; none where that is not the cause."""
    further = tuple(name for name in options if name not in USUAL)
    one_by_one = [(name,) for name in further]
    asked = [*OPTIONAL, *one_by_one, *([further] if len(further) > 1 else [])]
    for names in (names for names in asked if set(names) <= set(options)):
        left = {name: value for name, value in options.items() if name not in names}
        for abilities in CHATS:
            try:
                _probed(service, model_id, {**left, chat.SYSTEM_MESSAGE: None}, abilities)
            except REFUSALS:
                continue
            return names
    return ()
