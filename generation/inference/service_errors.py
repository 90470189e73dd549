"""The fault that a service reports: by the status of its answer, or in the body of one with 2xx. Pure."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from generation.inference import faults

# Errors are known by their code or type, or by how their message begins. The whole message is not searched, because it
# may quote the prompt. First those for a prompt that does not fit, of llama.cpp, OpenAI, vLLM, SGLang, TGI and LiteLLM.
_LENGTH_CODES = (
    "exceed_context_size_error", "context_length_exceeded", "contextwindowexceedederror", "context_window_exceeded",
    "model_max_prompt_tokens_exceeded", "tokens_limit_reached", "string_above_max_length",
)  # fmt: skip
_TOO_LONG = re.compile(
    r"(?:litellm\.)?(?:ContextWindowExceededError|(?:\w+: |\w+Exception - )*(?:"
    r"(?:this|the) (?:model|endpoint)'s maximum context length"
    r"|(?:the |this )?request (?:\(\d+ tokens\) )?exceeds the (?:available )?context"
    r"|requested token count exceeds the model's maximum context"
    r"|(?:input validation error: )?`inputs` (?:tokens \+|must have less than)"
    r"|(?:the )?(?:\w+ )?(?:input|prompt)(?: length| token count)? (?:\([^)]{1,40}\) )?(?:is longer than|exceeds) "
    r"(?:the |model's |maximum |max )"
    r"|input length and `?max_tokens`? exceed"
    r"|context (?:size|length|window) (?:has been |is )?exceeded"
    r"|input is too long for"
    r"|too many tokens: "
    r"|'max_tokens'[^:]{0,40} is too large: \d+\. (?:max_model_len|this model's maximum context)"
    r"|you passed \d+ input tokens"
    r"|prompt is too long: \d+ tokens"
    r"|prompt contains \d+ tokens .{0,40}too large for model"
    r"))",
    re.IGNORECASE,
)
# The codes of hosted services for a prompt that their filter stopped, and the sentence of Azure.
_FILTER_CODES = (
    "content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed",
)  # fmt: skip
_FILTERED = "The response was filtered due to the prompt triggering"
# The status that an error's code, type or status in words stands for; without any of these it is a failure.
_STATUSES = (
    (re.compile(r"rate.?limit|too.?many|quota|resource.?exhausted|throttl|busy"), 429),
    (re.compile(r"overload|unavailable|not.?ready|loading"), 503),
    (re.compile(r"authenti|unauthorized|api.?key"), 401),
    (re.compile(r"permission|forbidden"), 403),
    (re.compile(r"not.?found|does.?not.?exist"), 404),
    (re.compile(r"timeout|timed.?out|deadline"), 504),
    (
        re.compile(
            r"invalid|bad.?request|validation|unsupported|unprocessable|filter|inspection|policy"
        ),
        400,
    ),
)
# The same by how a message begins, where the error has no code that says it.
_BUSY = re.compile(
    r"rate limit|too many requests|(?:the )?(?:server|service|model|engine) is (?:currently )?(?:busy|overloaded)",
    re.IGNORECASE,
)
_FAILED = 500
# How many characters of a service's error page are shown.
_SHOWN = 300


def fault_of(status: int, content: bytes, retry_after: float | None = None) -> faults.ServiceFault:
    """The fault for an answer with a status other than 2xx."""
    message = error_text(content)
    if not message.endswith((".", "!", "?", "…")):
        message += "."  # another sentence may follow
    if status in (400, 403, 422, 451, 500) and _is_filtered(content):
        kind: type[faults.ServiceFault] = faults.Filtered
        sentence = f"The service's filter stopped the prompt ({status}): {message}"
    else:
        kind, sentence = _kind(status, message, _is_too_long(content))
    return kind(sentence, status=status, retry_after=retry_after)


def fault_in(data: Any, retry_after: float | None = None) -> faults.ServiceFault | None:
    """The fault in the body of an answer with 2xx, by the error's own code; None where it names no error."""
    error = _named(data)
    if error is None:
        return None
    content = json.dumps({"error": error}).encode()
    if _is_too_long(content):
        return fault_of(400, content)
    if isinstance(error, dict):
        asked = error.get("retry_after")
        is_number = isinstance(asked, int | float) and not isinstance(asked, bool)
        retry_after = asked if is_number else retry_after
    return fault_of(_own_status(error, data), content, retry_after)


def _named(data: Any) -> Any:
    """The error in a body: in a field, in the first choice (OpenRouter's), or the body itself (vLLM's)."""
    if not isinstance(data, dict):
        return None
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    inner = first.get("error") if isinstance(first, dict) else None
    for error in (data.get("error"), inner):
        if isinstance(error, str) and error.strip():
            return error
        if isinstance(error, dict) and any(error.values()):
            return error
    says = isinstance(data.get("message"), str) and any(
        data.get(name) for name in ("code", "type", "status", "error")
    )
    return data if says and not (choices or data.get("data")) else None


def _own_status(error: Any, data: Mapping[str, Any]) -> int:
    """The status from 400 that an error names as a number, or that its code or type stands for."""
    places = [error, data] if isinstance(error, dict) else [data]
    names = ("code", "status", "status_code", "type", "error_type")
    named = [place.get(name) for place in places for name in names]
    for value in named:
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return number
    for word in (value.casefold() for value in named if isinstance(value, str)):
        for pattern, status in _STATUSES:
            if pattern.search(word):
                return status
    message = error.get("message") if isinstance(error, dict) else error
    return 429 if _BUSY.match(str(message)) else _FAILED


def _kind(status: int, message: str, too_long: bool) -> tuple[type[faults.ServiceFault], str]:
    if status == 429:
        return faults.ServiceBusy, f"The service is overloaded (429): {message}"
    # Some servers send that with 500.
    if status == 413 or too_long:
        return (
            faults.ContextTooLong,
            f"The prompt is too long for this model ({status}): {message} Use one with a longer context.",
        )
    if status == 503:
        return faults.ServiceUnavailable, f"The service is not ready ({status}): {message}"
    if status == 408 or status >= 500:
        return faults.ServiceFailed, f"The service failed ({status}): {message}"
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
    except (ValueError, RecursionError):
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


def shown(content: bytes) -> str:
    """The beginning of some bytes as one printable line."""
    line = " ".join(content[: 4 * _SHOWN].decode("utf-8", "replace").split())
    return "".join(mark if mark.isprintable() else "\N{REPLACEMENT CHARACTER}" for mark in line)[
        :_SHOWN
    ]
