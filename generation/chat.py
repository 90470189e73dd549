"""The words spoken with a service: the body of a chat completion, and what its answer says. Pure.

Shapes: OpenAI's POST /v1/chat/completions as vLLM, SGLang, llama.cpp and others answer it.
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

_TOO_LONG = re.compile(
    r"exceed_context_size|context_length_exceeded|context (size|length|window)|longer than the model's context"
    r"|maximum (input|prompt) length",
    re.IGNORECASE,
)
_KEPT = ("id", "created", "system_fingerprint", "service_tier")
# How much of a stranger's error page is shown to people.
_SHOWN = 300


@dataclass(frozen=True)
class Reply:
    """What came back. `raw` holds the reply's id, time and fingerprint where the service gives them.

    Token counts and the finish reason are None and "" where it does not; `latency_ms` covers the call that
    succeeded.
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


def body(model_id: str, options: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The request for one prompt. The option system_message is a text, perhaps empty; None sends no system turn.

    That is an option of the model, since some chat templates refuse a system turn and others put one of
    their own where none is sent. All other options are sent as they are.
    """
    system = options.get(SYSTEM_MESSAGE)
    messages = [] if system is None else [{"role": "system", "content": system}]
    sent = {name: value for name, value in options.items() if name != SYSTEM_MESSAGE}
    return {"model": model_id, "messages": [*messages, {"role": "user", "content": text}], **sent}


def reply(request: Mapping[str, Any], status: int, content: bytes, latency_ms: int) -> Reply:
    """A successful answer read; raises EmptyReply, NoRoom, BrokenReply or WrongShape."""
    data = parsed(content, status)
    try:
        choice = data["choices"][0]
        text = choice["message"]["content"]
        finish_reason = choice.get("finish_reason") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise faults.WrongShape(
            "The service's answer is no chat completion. Is its url that of an OpenAI-compatible API, /v1 included? "
            f"It begins: {shown(content)}",
            status=status,
        ) from None
    if not isinstance(text, str | None) or not isinstance(finish_reason, str):
        raise faults.WrongShape(
            "The service's answer holds something else than a text.", status=status
        )
    usage = data.get("usage")
    return Reply(
        text=_spoken(text, finish_reason, status),
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


def _spoken(text: str | None, finish_reason: str, status: int) -> str:
    if text is None or not text.strip():
        if finish_reason == "length":
            raise faults.NoRoom(
                "The model used up its tokens before it answered. Add the model again with more max_tokens.",
                status=status,
            )
        raise faults.EmptyReply("The model answered with an empty text.", status=status)
    if not storable(text):
        raise faults.WrongShape(
            "The answer holds characters that no database keeps (NUL or half a pair).",
            status=status,
        )
    return text


def fault(status: int, content: bytes, retry_after: float | None = None) -> faults.ServiceFault:
    """The fault that an answer other than 2xx stands for."""
    kind, sentence = _kind(status, error_text(content))
    return kind(sentence, status=status, retry_after=retry_after)


def _kind(status: int, said: str) -> tuple[type[faults.ServiceFault], str]:
    if status == 429:
        return faults.ServiceBusy, f"The service has too much to do (429): {said}"
    if status == 408 or status >= 500:
        return faults.ServiceFailed, f"The service failed ({status}): {said}"
    if status == 413 or _TOO_LONG.search(said):
        return (
            faults.ContextTooLong,
            f"The prompt is too long for this model ({status}): {said} Use one with a longer context.",
        )
    if status in (401, 403):
        return faults.Refused, f"The service refused the key ({status}): {said} Check its key_env."
    if status == 404:
        return faults.Refused, f"The service has no such model or address (404): {said}"
    return faults.Refused, f"The service refused the request ({status}): {said}"


def error_text(content: bytes) -> str:
    """The sentence inside an error body, whichever of the usual shapes it has; else its beginning."""
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
        said = shown(content) or "nothing at all"
        raise faults.BrokenReply(
            f"The service answered with something that is not JSON: {said}", status=status
        ) from None


def shown(content: bytes) -> str:
    """The beginning of some bytes as one printable line."""
    line = " ".join(content[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in line)[
        :_SHOWN
    ]


def storable(value: object) -> bool:
    """Whether a database keeps this: a text without NUL and half pairs, or a plain number."""
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= mark <= "\udfff" for mark in value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _text(value: object) -> str:
    return value if isinstance(value, str) and storable(value) else ""


def _count(usage: object, key: str) -> int | None:
    count = usage.get(key) if isinstance(usage, dict) else None
    return count if isinstance(count, int) and 0 <= count < 2**31 else None
