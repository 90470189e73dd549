"""The body of a request for a completion, and reading the reply to it. Pure.

Formats: OpenAI's POST /v1/chat/completions, and /v1/completions for models without a chat, as vLLM, SGLang, llama.cpp,
TGI, Ollama and others implement them.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generation.inference import faults

# Greedy and at most 250 new tokens (WikiContradict, section 4).
DEFAULT_OPTIONS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 250}

SYSTEM_MESSAGE = "system_message"
MAX_TOKENS, MAX_COMPLETION_TOKENS = "max_tokens", "max_completion_tokens"

# The finish reasons of services for a reply that the token limit cut off.
CUT_OFF = ("length", "max_tokens")

# Errors are known by their code or type, or by how their message begins. The whole message is not searched, because it
# may quote the prompt. First those for a prompt that does not fit, of llama.cpp, OpenAI, vLLM, SGLang, TGI and LiteLLM.
_LENGTH_CODES = (
    "exceed_context_size_error", "context_length_exceeded", "contextwindowexceedederror",
)  # fmt: skip
_TOO_LONG = re.compile(
    r"(?:litellm\.)?(?:ContextWindowExceededError|(?:\w+: |\w+Exception - )*(?:"
    r"(?:this|the) (?:model|endpoint)'s maximum context length"
    r"|(?:the |this )?request (?:\(\d+ tokens\) )?exceeds the (?:available )?context"
    r"|requested token count exceeds the model's maximum context"
    r"|(?:input validation error: )?`inputs` (?:tokens \+|must have less than)"
    r"|(?:the )?(?:\w+ )?(?:input|prompt)(?: length)? (?:\([^)]{1,40}\) )?(?:is longer than|exceeds) (?:the |model's )"
    r"|'max_tokens'[^:]{0,40} is too large: \d+\. (?:max_model_len|this model's maximum context)"
    r"|you passed \d+ input tokens"
    r"|prompt is too long: \d+ tokens"
    r"|prompt contains \d+ tokens .{0,40}too large for model"
    r"))",
    re.IGNORECASE,
)
# The codes of hosted services for a prompt that their filter stopped, and the sentence of Azure.
_FILTER_CODES = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
_FILTERED = "The response was filtered due to the prompt triggering"
# The marks round a model's reasoning, where its server leaves it in the text.
_OPEN, _CLOSE = "<think>", "</think>"
# Why a finished response is not an answer of the model.
# UNDECIDED: of options that are scored none is the likeliest, because none was returned or several are equal.
REFUSED, FILTERED, UNDECIDED = "refused", "filtered", "undecided"
# What PostgreSQL's JSON does not take: NUL, and halves of surrogate pairs; whole pairs are found too.
_UNSTORABLE = re.compile(rb"\x00|\\u(?:0000|[dD][89a-fA-F])|\xed[\xa0-\xbf]")
COLUMNS = (
    "text", "reasoning", "answered_by", "finish_reason", "prompt_tokens", "completion_tokens", "latency_ms",
)  # fmt: skip
# What reads the likeliest option and all scores from a reply's choice, its text, its reasoning and its status.
Choose = Callable[[Mapping[str, Any], str | None, str, int], tuple[str, dict[str, float | None]]]
# How many characters of a service's error page are shown.
_SHOWN = 300


@dataclass(frozen=True)
class Abilities:
    """What a service can do with a model, as a test call found out; the defaults are for one never tested.

    `completions`: it has no chat, and takes the bare text. `limit`: its name for the maximum of new tokens.
    `opens_reasoning`: its chat template begins the reasoning, so that a reply has the mark of its end alone.
    `scores`: how it gives log-probabilities (scoring.ways), "" where it does not; of `alternatives` tokens.
    """

    completions: bool = False
    limit: str = MAX_TOKENS
    opens_reasoning: bool = False
    scores: str = ""
    alternatives: int = 0


USUAL = Abilities()


@dataclass(frozen=True)
class Reply:
    """A service's reply. `raw` is all of it; `reasoning` is what the model wrote before its answer, kept apart.

    Token counts the service does not give are None, a missing finish reason is "". `finding` is REFUSED where the model
    declined in a field of its own, FILTERED where a filter withheld the answer, else "". `scores` are the probabilities
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
    opens_reasoning: bool = False,
    choose: Choose | None = None,
) -> Reply:
    """The reply in a successful answer; raises EmptyReply, NoRoom, BrokenReply or WrongShape.

    `choose` reads the scores of options from it.
    A fault has the whole reply as `raw`, where it is JSON.
    """
    data = parsed(content, status)
    raw = _cleaned(data) if _UNSTORABLE.search(content) else data
    try:
        return _reply(request, status, data, raw, latency_ms, opens_reasoning, choose)
    except faults.ServiceFault as fault:
        fault.raw = raw
        raise


def _reply(
    request: Mapping[str, Any],
    status: int,
    data: Any,
    raw: Any,
    latency_ms: int,
    opens_reasoning: bool,
    choose: Choose | None,
) -> Reply:
    try:
        choice = data["choices"][0]
        message = {"content": choice["text"]} if "prompt" in request else choice["message"]
        text, declined = message.get("content"), message.get("refusal")
        apart = message.get("reasoning_content") or message.get("reasoning")
        finish_reason = choice.get("finish_reason") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise faults.WrongShape(
            "The service's answer is not a chat completion. Is its url that of an OpenAI-compatible API, with /v1? "
            f"It begins: {shown(json.dumps(raw, ensure_ascii=False).encode())}",
            status=status,
        ) from None
    finding = FILTERED if finish_reason == "content_filter" else ""
    if not text and isinstance(declined, str) and declined.strip():
        text, finding = declined, REFUSED
    if not isinstance(text, str | None) or not isinstance(finish_reason, str):
        raise faults.WrongShape(
            "The service's answer contains something other than text.", status=status
        )
    apart = apart if isinstance(apart, str) else ""
    reasoning = ""
    scores: Mapping[str, float | None] = {}
    if choose and not finding:
        text, scores = choose(choice, text, apart, status)
        # It ends after the one token that was asked for, which cuts off nothing.
        finding, finish_reason = "" if text else UNDECIDED, ""
    elif finding != REFUSED:
        text, reasoning = parted(text or "", opened=opens_reasoning and not apart)
    read, written = counted(data)
    made = Reply(
        text=text or "",
        reasoning=_cleaned("\n\n".join(filter(None, (apart.strip(), reasoning)))),
        finding=finding,
        request=request,
        status=status,
        answered_by=_text(data.get("model"))[:200],
        finish_reason=_text(finish_reason)[:40],
        prompt_tokens=read,
        completion_tokens=written,
        latency_ms=latency_ms,
        raw=raw,
        scores=scores,
    )
    _check(made, has_end=text is not None)
    return made


def parted(text: str, *, opened: bool = False) -> tuple[str | None, str]:
    """(answer, reasoning) of a text, the answer None where the reasoning does not end.

    `opened`: the text begins within the reasoning. A text without reasoning is unchanged.
    """
    if opened and not text.lstrip().startswith(_OPEN):
        text = _OPEN + text
    if _OPEN not in text and _CLOSE not in text:
        return text, ""
    answer: list[str] = []
    reasoning: list[str] = []
    for number, part in enumerate(text.split(_OPEN)):
        thought, closed, rest = part.rpartition(_CLOSE)
        if number and not closed:
            return None, "\n\n".join([*reasoning, rest.strip()])
        answer.append(rest)
        reasoning += filter(None, [thought.strip()])
    return "".join(answer).strip(), "\n\n".join(reasoning)


def opens_reasoning(reply: Reply) -> bool:
    """Whether the text has the end of the reasoning without its beginning, which the chat template wrote."""
    message = reply.raw["choices"][0].get("message") or {}
    content = message.get("content") or ""
    return _CLOSE in content and _OPEN not in content


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
    """Raise the fault of a reply without an answer, or with one that cannot be stored; `has_end`: of its reasoning."""
    if made.finding and not made.text:
        return
    if not made.text.strip():
        if made.finish_reason in CUT_OFF:
            raise faults.NoRoom(
                "The model used up its tokens before it answered. Add the model again with more max_tokens.",
                status=made.status,
            )
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


def fault(status: int, content: bytes, retry_after: float | None = None) -> faults.ServiceFault:
    """The fault for an answer with a status other than 2xx."""
    message = error_text(content)
    if not message.endswith((".", "!", "?", "…")):
        message += "."  # another sentence may follow
    if status in (400, 403, 422) and _is_filtered(content):
        kind: type[faults.ServiceFault] = faults.Filtered
        sentence = f"The service's filter stopped the prompt ({status}): {message}"
    else:
        kind, sentence = _kind(status, message, _is_too_long(content))
    return kind(sentence, status=status, retry_after=retry_after)


def _kind(status: int, message: str, too_long: bool) -> tuple[type[faults.ServiceFault], str]:
    if status == 429:
        return faults.ServiceBusy, f"The service is overloaded (429): {message}"
    if status == 503:
        return faults.ServiceUnavailable, f"The service is not ready ({status}): {message}"
    if status == 408 or status >= 500:
        return faults.ServiceFailed, f"The service failed ({status}): {message}"
    if status == 413 or too_long:
        return (
            faults.ContextTooLong,
            f"The prompt is too long for this model ({status}): {message} Use one with a longer context.",
        )
    if status in (401, 403):
        return (
            faults.KeyRefused,
            f"The service refused the key ({status}): {message} Check its key_env.",
        )
    if status == 404:
        return faults.ModelGone, f"The service has no such model or address (404): {message}"
    return faults.Refused, f"The service refused the request ({status}): {message}"


def _is_filtered(content: bytes) -> bool:
    """By the error's code or type, Azure's sentence, or the flagged input that OpenRouter returns."""
    error = _error(content)
    if not isinstance(error, dict):
        return False
    inner, metadata = error.get("innererror"), error.get("metadata")
    return (
        _has_code(error, _FILTER_CODES)
        or (isinstance(inner, dict) and _has_code(inner, _FILTER_CODES))
        or str(error.get("message")).startswith(_FILTERED)
        or (isinstance(metadata, dict) and "flagged_input" in metadata)
    )


def _is_too_long(content: bytes) -> bool:
    """Whether the prompt does not fit: by the error's code or type, or by how its message begins."""
    error = _error(content)
    message = error.get("message") if isinstance(error, dict) else error
    return (isinstance(error, dict) and _has_code(error, _LENGTH_CODES)) or (
        isinstance(message, str) and _TOO_LONG.match(message.strip()) is not None
    )


def _has_code(error: Mapping[str, Any], codes: Collection[str]) -> bool:
    given = (error.get("code"), error.get("type"))
    return any(isinstance(code, str) and code.lower() in codes for code in given)


def _error(content: bytes) -> Any:
    """The error object in the body of an answer, or the whole of it; None where it is not JSON."""
    try:
        data = json.loads(content)
    except ValueError:
        return None
    return data.get("error", data) if isinstance(data, dict) else data


def error_text(content: bytes) -> str:
    """The message in an error body of one of the usual formats, otherwise the beginning of the body."""
    error = _error(content)
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        kind = error.get("type") or error.get("code")
        sentence = f"{error['message']} ({kind})" if kind else error["message"]
        return shown(sentence.encode("utf-8", "replace"))
    return shown(content)


def model_ids(content: bytes, status: int) -> list[str]:
    """The ids that GET /v1/models lists; raises WrongShape or BrokenReply."""
    data = parsed(content, status)
    try:
        ids = [entry["id"] for entry in data["data"]]
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
        return json.loads(content, parse_constant=lambda _: None)
    except ValueError:
        message = shown(content) or "nothing"
        raise faults.BrokenReply(
            f"The service's answer is not JSON: {message}", status=status
        ) from None


def shown(content: bytes) -> str:
    """The beginning of some bytes as one printable line."""
    line = " ".join(content[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in line)[
        :_SHOWN
    ]


def storable(value: object) -> bool:
    """Whether a database stores this: a text without NUL and half surrogate pairs, or an integer."""
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= mark <= "\udfff" for mark in value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _cleaned(value: Any) -> Any:
    """The same with a replacement character for each that no database stores."""
    if isinstance(value, str):
        return (
            value
            if storable(value)
            else re.sub("[\x00\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", value)
        )
    if isinstance(value, list):
        return [_cleaned(one) for one in value]
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(one) for name, one in value.items()}
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
