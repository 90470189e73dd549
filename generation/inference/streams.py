"""A stream of events that a service sends though none was asked for, joined to one reply. Pure.

Format: server-sent events (HTML standard, 9.2) with OpenAI's chunks, ended by `[DONE]`; or one JSON object a line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from generation.inference.shapes import SAID

_DONE = "[DONE]"
_LINE_ENDS = re.compile(r"\r\n|\r")


def joined(content: bytes) -> dict[str, Any] | None:
    """The reply of a whole stream, or None for what is no stream or one that broke off before its end.

    Texts of the first choice are put together; of other fields the last that is not null stays.
    """
    try:
        events = list(_events(content.decode("utf-8-sig")))
        is_done = events[-1:] == [_DONE]
        read = events[:-1] if is_done else events
        chunks = [json.loads(event, parse_constant=lambda _: None) for event in read]
    except (ValueError, RecursionError):
        return None
    if not chunks or not all(isinstance(chunk, dict) for chunk in chunks):
        return None
    whole: dict[str, Any] = {}
    choice: dict[str, Any] = {}
    for chunk in chunks:
        _merge(whole, {name: value for name, value in chunk.items() if name != "choices"})
        for part in chunk.get("choices") or ():
            if isinstance(part, dict) and not part.get("index"):
                _add(choice, part)
    is_whole = choice and (is_done or choice.get("finish_reason"))
    if not (is_whole or whole.get("error")):
        return None
    return {**whole, "object": "chat.completion", "choices": [choice] if choice else []}


def _events(text: str) -> Iterator[str]:
    """The data of each event. Only these line ends count: a text may have others, such as U+2028."""
    text = _LINE_ENDS.sub("\n", text)
    if not re.search(r"^data:", text, re.MULTILINE):
        yield from filter(None, map(str.strip, text.split("\n")))
        return
    for event in text.split("\n\n"):
        lines = [line for line in event.split("\n") if line.startswith("data:")]
        data = [line.removeprefix("data:").strip() for line in lines]
        # Some servers leave out the empty lines between events; then each line is one.
        yield from filter(None, data if all(map(_is_whole, data)) else ["\n".join(data)])


def _is_whole(data: str) -> bool:
    return not data or data == _DONE or (data[0], data[-1]) == ("{", "}")


def _merge(whole: dict[str, Any], found: Mapping[str, Any]) -> None:
    whole.update({name: value for name, value in found.items() if value is not None})


def _add(choice: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Add what a chunk has of the first choice."""
    rest = {name: value for name, value in part.items() if name not in ("delta", "message", "text")}
    if choice.get("logprobs") and rest.get("logprobs"):
        del rest["logprobs"]  # only the first token is ever scored
    _merge(choice, rest)
    if isinstance(part.get("text"), str):
        choice["text"] = choice.get("text", "") + part["text"]
    delta = part.get("delta") or part.get("message")
    if isinstance(delta, dict):
        message = choice.setdefault("message", {})
        for name, value in delta.items():
            is_said = name in SAID and isinstance(value, str | list)
            _merge(message, {name: _after(message.get(name), value) if is_said else value})


def _after(before: Any, more: str | list[Any]) -> str | list[Any]:
    if before is None:
        return more
    if isinstance(before, str) and isinstance(more, str):
        return before + more
    return [*_listed(before), *_listed(more)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
