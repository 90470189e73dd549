"""The body of a chat completion request, and reading the reply to it. Pure.

Formats: OpenAI's POST /v1/chat/completions, as vLLM, SGLang, llama.cpp and others implement it.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from generation import faults

# Greedy and at most 250 new tokens (WikiContradict, section 4).
DEFAULT_OPTIONS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 250}

SYSTEM_MESSAGE = "system_message"

# The finish reasons of services for a reply that the token limit cut off.
CUT_OFF = ("length", "max_tokens")

_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded|context (size|length|window)|longer than the model's context"
    r"|maximum (input|prompt) length",
    re.IGNORECASE,
)
_KEPT = ("id", "created", "system_fingerprint", "service_tier")
COLUMNS = (
    "text", "answered_by", "finish_reason", "prompt_tokens", "completion_tokens", "latency_ms",
)  # fmt: skip
# How many characters of a service's error page are shown.
_SHOWN = 300


@dataclass(frozen=True)
class Reply:
    """A service's reply. `raw` has its id, time and fingerprint where the service gives them.

    Token counts the service does not give are None, a missing finish reason is ""; `latency_ms` is that of the
    successful call.
    """

    text: str
    request: Mapping[str, Any]
    status: int
    answered_by: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_ms: int
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, Any]:
        """What is kept of a reply under the same name: its text, model and numbers."""
        return {name: getattr(self, name) for name in COLUMNS}


def body(model_id: str, options: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The request for one prompt. The option system_message is a text, possibly empty; None sends no system message.

    It is an option of the model, because some chat templates refuse a system message, and others add their own where
    none is sent. All other options are sent unchanged.
    """
    system = options.get(SYSTEM_MESSAGE)
    messages = [] if system is None else [{"role": "system", "content": system}]
    sent = {name: value for name, value in options.items() if name != SYSTEM_MESSAGE}
    return {"model": model_id, "messages": [*messages, {"role": "user", "content": text}], **sent}


def reply(request: Mapping[str, Any], status: int, content: bytes, latency_ms: int) -> Reply:
    """The reply in a successful answer; raises EmptyReply, NoRoom, BrokenReply or WrongShape."""
    data = parsed(content, status)
    try:
        choice = data["choices"][0]
        text = choice["message"]["content"]
        finish_reason = choice.get("finish_reason") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise faults.WrongShape(
            "The service's answer is not a chat completion. Is its url that of an OpenAI-compatible API, with /v1? "
            f"It begins: {shown(content)}",
            status=status,
        ) from None
    if not isinstance(text, str | None) or not isinstance(finish_reason, str):
        raise faults.WrongShape(
            "The service's answer contains something other than text.", status=status
        )
    usage = data.get("usage")
    return Reply(
        text=_answer_text(text, finish_reason, status),
        request=request,
        status=status,
        answered_by=_text(data.get("model"))[:200],
        finish_reason=finish_reason[:40],
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        latency_ms=latency_ms,
        raw={
            key: data[key] for key in _KEPT if storable(data.get(key)) and data.get(key) is not None
        },
    )


def _answer_text(text: str | None, finish_reason: str, status: int) -> str:
    if text is None or not text.strip():
        if finish_reason == "length":
            raise faults.NoRoom(
                "The model used up its tokens before it answered. Add the model again with more max_tokens.",
                status=status,
            )
        raise faults.EmptyReply("The model answered with an empty text.", status=status)
    if not storable(text):
        raise faults.WrongShape(
            "The answer contains characters that no database stores (NUL or half a surrogate pair).",
            status=status,
        )
    return text


def fault(status: int, content: bytes, retry_after: float | None = None) -> faults.ServiceFault:
    """The fault for an answer with a status other than 2xx."""
    kind, sentence = _kind(status, error_text(content))
    return kind(sentence, status=status, retry_after=retry_after)


def _kind(status: int, message: str) -> tuple[type[faults.ServiceFault], str]:
    if status == 429:
        return faults.ServiceBusy, f"The service is overloaded (429): {message}"
    if status == 408 or status >= 500:
        return faults.ServiceFailed, f"The service failed ({status}): {message}"
    if status == 413 or _TOO_LONG.search(message):
        return (
            faults.ContextTooLong,
            f"The prompt is too long for this model ({status}): {message} Use one with a longer context.",
        )
    if status in (401, 403):
        return (
            faults.Refused,
            f"The service refused the key ({status}): {message} Check its key_env.",
        )
    if status == 404:
        return faults.Refused, f"The service has no such model or address (404): {message}"
    return faults.Refused, f"The service refused the request ({status}): {message}"


def error_text(content: bytes) -> str:
    """The message in an error body of one of the usual formats, otherwise the beginning of the body."""
    try:
        data = json.loads(content)
    except ValueError:
        return shown(content)
    error = data.get("error", data) if isinstance(data, dict) else data
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
        return json.loads(content)
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


def _text(value: object) -> str:
    return value if isinstance(value, str) and storable(value) else ""


def _count(usage: object, key: str) -> int | None:
    count = usage.get(key) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count < 2**31 else None
