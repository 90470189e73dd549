"""The body of a request for a completion, and reading the reply to it. Pure.

Formats: OpenAI's POST /v1/chat/completions, and /v1/completions for models without a chat, as vLLM, SGLang, llama.cpp,
TGI, Ollama and others implement them.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generation.inference import faults, markup, service_errors, shapes, streams
from generation.inference.service_errors import shown
from generation.inference.shapes import ABORTED, CUT_OFF, FILTERED, REFUSED, REPETITION

# Greedy and at most 250 new tokens (WikiContradict, section 4).
DEFAULT_OPTIONS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 250}

SYSTEM_MESSAGE = "system_message"
MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"

# A finding too: of options that are scored none is the likeliest, because none was returned or several are equal.
UNDECIDED = "undecided"
# And of a reply made elsewhere: it has no text. Services are asked again instead.
EMPTY = "empty"
# What PostgreSQL's JSON does not take: NUL, and halves of surrogate pairs; whole pairs are found too.
_UNSTORABLE = re.compile(rb"\x00|\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]")
COLUMNS = (
    "text", "reasoning", "answered_by", "finish_reason", "prompt_tokens", "completion_tokens", "latency_ms",
)  # fmt: skip
# What reads the likeliest option and all scores from a reply's choice, its text, its reasoning and its status.
Choose = Callable[[Mapping[str, Any], str | None, str, int], tuple[str, dict[str, float | None]]]


@dataclass(frozen=True)
class Abilities:
    """What a service can do with a model, as a test call found out; the defaults are for one never tested.

    `completions`: it has no chat, and takes the bare text. `limit`: its name for the maximum of new tokens.
    `opens_reasoning`: its chat template begins the reasoning, so that a reply has the mark of its end alone.
    `marks`: how it marks reasoning in its text (markup.MARKS), "" where that is not chosen.
    `scores`: how it gives log-probabilities (scoring.ways), "" where it does not; of `alternatives` tokens.
    """

    completions: bool = False
    limit: str = MAX_TOKENS
    opens_reasoning: bool = False
    scores: str = ""
    alternatives: int = 0
    marks: str = ""


USUAL = Abilities()


@dataclass(frozen=True)
class Reply:
    """A service's reply. `raw` is all of it; `reasoning` is what the model wrote before its answer, kept apart.

    Token counts the service does not give are None, a missing finish reason is "". `finding` is REFUSED where the model
    declined in a field of its own, FILTERED where a filter withheld the answer, ABORTED (in Aborted.reply) where the
    service broke it off, else "". `scores` are the probabilities
    of options where these were asked for (scoring.py); the text is then the likeliest one.
    """

    text: str
    request: Mapping[str, Any]
    status: int
    answered_by: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    finding: str = ""
    reasoning: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict)
    scores: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Any]:
        """What is kept of a reply under the same name: its text, model and numbers."""
        return {name: getattr(self, name) for name in COLUMNS}


def body(
    model_id: str,
    options: Mapping[str, Any],
    text: str,
    abilities: Abilities = USUAL,
    before: Sequence[str] = (),
) -> dict[str, Any]:
    """The request for one prompt. The option system_message is a text, possibly empty; None sends no system message.

    `before` are the texts of earlier turns, first ours, then the model's, and so on. A service without a chat gets all
    in one text, with empty lines between. The system message is an option of the model, because some chat templates
    refuse one, and others add their own where none is sent. All other options are sent unchanged, the maximum of new
    tokens under the service's name for it.
    """
    sent = {
        abilities.limit if name == MAX_TOKENS else name: value
        for name, value in options.items()
        if name != SYSTEM_MESSAGE
    }
    if abilities.completions:
        return {"model": model_id, "prompt": "\n\n".join([*before, text]), **sent}
    system = options.get(SYSTEM_MESSAGE)
    messages = [] if system is None else [{"role": "system", "content": system}]
    for place, turn in enumerate((*before, text)):
        messages.append({"role": "assistant" if place % 2 else "user", "content": turn})
    return {"model": model_id, "messages": messages, **sent}


def path(request: Mapping[str, Any]) -> str:
    """Where the request goes, after the service's url."""
    return "/completions" if "prompt" in request else "/chat/completions"


def reply(
    request: Mapping[str, Any],
    status: int,
    content: bytes,
    latency_ms: int,
    *,
    abilities: Abilities = USUAL,
    choose: Choose | None = None,
) -> Reply:
    """The reply in a successful answer; raises EmptyReply, NoRoom, BrokenReply, WrongShape, Aborted, or the fault that
    it names.

    `choose` reads the scores of options from it.
    A fault has the whole reply as `raw`, where it is JSON.
    """
    data = parsed(content, status)
    raw = _readable(lambda: cleaned(data), status) if _UNSTORABLE.search(content) else data
    try:
        return _reply(request, status, data, raw, latency_ms, abilities, choose)
    except faults.ServiceFault as fault:
        fault.raw = raw
        raise


def _reply(
    request: Mapping[str, Any],
    status: int,
    data: Any,
    raw: Any,
    latency_ms: int,
    abilities: Abilities,
    choose: Choose | None,
) -> Reply:
    if fault := service_errors.fault_in(data):
        raise fault
    choice, said = _choice(request, status, data, raw)
    text, finding, finish_reason, thought = said.text, said.finding, said.finish_reason, ""
    scores: Mapping[str, float | None] = {}
    if choose and finding in ("", ABORTED):
        text, scores = choose(choice, text, said.apart, status)
        # It ends after the one token that was asked for, which cuts off nothing.
        finding, finish_reason = "" if text else UNDECIDED, ""
    elif finding == ABORTED:
        text = ""
    else:
        text, thought = _parted(said, abilities)
    read, written = counted(data)
    made = Reply(
        text=text or "",
        reasoning=cleaned("\n\n".join(filter(None, (said.apart.strip(), thought)))),
        finding=finding,
        request=request,
        status=status,
        answered_by=_text(data.get("model"))[:200],
        finish_reason=cleaned(finish_reason)[:40],
        prompt_tokens=read,
        completion_tokens=written,
        latency_ms=latency_ms,
        raw=raw,
        scores=scores,
    )
    _check(made, has_end=text is not None)
    return made


def _parted(said: shapes.Said, abilities: Abilities) -> tuple[str | None, str]:
    return markup.parted(
        said.text or "",
        marks=abilities.marks,
        opened=abilities.opens_reasoning and not said.apart and said.finding != REFUSED,
        is_cut=said.finish_reason in CUT_OFF,
    )


def text_of(raw: Any, abilities: Abilities, *, bare: bool) -> tuple[str, str] | None:
    """(text, reasoning) of a whole reply that was kept, read again; None where it has no answer."""
    try:
        said = shapes.said(raw["choices"][0], bare=bare)
    except (KeyError, IndexError, TypeError, shapes.OddShape):
        return None
    text, thought = _parted(said, abilities)
    if not (text or "").strip() or not storable(text):
        return None
    return text or "", cleaned("\n\n".join(filter(None, (said.apart.strip(), thought))))


def marks_in(reply: Reply) -> tuple[str, bool]:
    """(name of the mark, whether the template writes its opening) of the reply to a test (markup.found)."""
    said = shapes.said(reply.raw["choices"][0], bare="prompt" in reply.request)
    return markup.found(said.text or "")


def _choice(
    request: Mapping[str, Any], status: int, data: Any, raw: Any
) -> tuple[Mapping[str, Any], shapes.Said]:
    """The first choice of a reply, and what it says. Raises WrongShape."""
    try:
        choice = data["choices"][0]
    except (KeyError, IndexError, TypeError):
        choice = None
    try:
        return choice, shapes.said(choice, bare="prompt" in request)
    except shapes.OddShape as odd:
        raise faults.WrongShape(
            str(odd)
            or "The service's answer is not a chat completion. Is its url that of an OpenAI-compatible API, with /v1? "
            f"It begins: {shown(json.dumps(raw, ensure_ascii=False).encode())}",
            status=status,
        ) from None


def filtered(request: Mapping[str, Any], fault: faults.ServiceFault) -> Reply:
    """The finding that a filter stopped the prompt: a reply without a text."""
    return Reply(
        text="",
        request=request,
        status=fault.status or 0,
        answered_by="",
        finish_reason="content_filter",
        prompt_tokens=None,
        completion_tokens=None,
        latency_ms=fault.latency_ms or 0,
        finding=FILTERED,
        raw={"error": fault.sentence},
    )


def _check(made: Reply, has_end: bool) -> None:
    """Raise the fault of a reply without an answer, or that no database stores. `has_end`: its reasoning ends."""
    if made.finding == ABORTED:
        aborted = faults.Aborted(
            f"The service broke the reply off. Its finish reason is “{made.finish_reason}”.",
            status=made.status,
        )
        aborted.reply = made
        raise aborted
    if made.finding and not made.text:
        return
    if not made.text.strip():
        if made.finish_reason in CUT_OFF:
            why = (
                "The model repeated itself before it answered, until the service cut it off."
                if made.finish_reason == REPETITION
                else "The model used up its tokens before it answered. Add the model again with more max_tokens."
            )
            raise faults.NoRoom(why, status=made.status)
        sentence = (
            "The model answered with an empty text."
            if has_end
            else "The model's reasoning has no end and no answer."
        )
        empty = faults.EmptyReply(sentence, status=made.status)
        empty.reply = made
        raise empty
    if not storable(made.text):
        raise faults.WrongShape(
            "The answer contains characters that no database stores (NUL or half a surrogate pair).",
            status=made.status,
        )


def model_ids(content: bytes, status: int) -> list[str]:
    """The ids that GET /v1/models lists; raises WrongShape or BrokenReply."""
    data = parsed(content, status)
    if fault := service_errors.fault_in(data):
        raise fault
    try:
        # Ollama without a model lists null.
        ids = [entry["id"] for entry in ([] if data["data"] is None else data["data"])]
    except (KeyError, TypeError):
        ids = [None]
    if not all(isinstance(name, str) and storable(name) and 0 < len(name) <= 200 for name in ids):
        raise faults.WrongShape(
            f"The service's list of models cannot be read: {shown(content)}", status=status
        )
    return sorted(set(ids))


def parsed(content: bytes, status: int) -> Any:
    try:
        # NaN and Infinity are no JSON, and no database stores them.
        return _readable(lambda: json.loads(content, parse_constant=lambda _: None), status)
    except ValueError:
        if (stream := streams.joined(content)) is not None:
            return stream
        message = shown(content) or "nothing"
        raise faults.BrokenReply(
            f"The service's answer is not JSON: {message}", status=status
        ) from None


def _readable(read: Callable[[], Any], status: int) -> Any:
    try:
        return read()
    except RecursionError:
        raise faults.BrokenReply(
            "The service's answer is nested too deeply to be read.", status=status
        ) from None


def storable(value: object) -> bool:
    """Whether a database stores this: a text without NUL and half surrogate pairs, or an integer."""
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= mark <= "\udfff" for mark in value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def cleaned(value: Any) -> Any:
    """The same with a replacement character for each that no database stores."""
    if isinstance(value, str):
        return (
            value
            if storable(value)
            else re.sub("[\x00\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", value)
        )
    if isinstance(value, list):
        return [cleaned(inner) for inner in value]
    if isinstance(value, dict):
        return {cleaned(name): cleaned(inner) for name, inner in value.items()}
    return value


def counted(data: object) -> tuple[int | None, int | None]:
    """The tokens read and written that a reply reports."""
    usage = data.get("usage") if isinstance(data, dict) else None
    return _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")


def _text(value: object) -> str:
    return value if isinstance(value, str) and storable(value) else ""


def _count(usage: object, key: str) -> int | None:
    count = usage.get(key) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count < 2**31 else None
