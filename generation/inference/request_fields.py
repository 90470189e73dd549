"""Further fields of a model's requests, beside those of the form: any that its service takes, but ours. Pure."""

import json
import math
from collections.abc import Mapping
from typing import Any

from generation.inference import chat

LONGEST = 4000
_NAMED = 10  # fields, of those that cannot be set
# Fields that the program sets for each call, and what they are.
_OURS = {
    **dict.fromkeys(("model", "messages", "prompt"), "what is asked"),
    **dict.fromkeys(("stream", "stream_options"), "how the reply is sent"),
    **dict.fromkeys(("n", "best_of"), "how many replies come"),
    **dict.fromkeys(
        ("tools", "tool_choice", "functions", "function_call", "parallel_tool_calls"), "what a model may call"
    ),
    **dict.fromkeys(("logprobs", "top_logprobs"), "how options are scored"),
    **dict.fromkeys(
        (chat.MAX_TOKENS, chat.MAX_COMPLETION_TOKENS, "max_new_tokens", "max_output_tokens", "n_predict",
         "num_predict"),
        "the maximum of new tokens, which has a field of its own",
    ),
}  # fmt: skip
_OF_THE_FORM = ("temperature", "seed", chat.SYSTEM_MESSAGE)


class BadFields(ValueError):
    """Fields that cannot be set, with a sentence for the admin."""


def parsed(text: str) -> dict[str, Any]:
    """The fields in a JSON object; none in an empty text. Raises BadFields."""
    if not text.strip():
        return {}
    if len(text) > LONGEST:
        raise BadFields(f"Write at most {LONGEST} characters.")
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except BadFields:
        raise
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise BadFields('Write one JSON object, such as {"top_p": 0.9, "stop": ["\\\\n"]}.')
    if own := [name for name in _OF_THE_FORM if name in data]:
        raise BadFields(f"{_quoted(own[0])} has a field of its own above. Enter it there.")
    check(data)
    return data


def check(fields: Mapping[str, Any]) -> None:
    """Raise BadFields for those that the program sets itself, or whose value cannot be sent or stored."""
    problems = [problem for name, value in fields.items() if (problem := _problem(name, value))]
    if problems:
        raise BadFields(" ".join(problems[:_NAMED]))


def _problem(name: str, value: Any) -> str:
    if name in _OURS:
        return f"{_quoted(name)} is set by the program: it is {_OURS[name]}. Leave it out."
    if not name.strip():
        return "A field needs a name."
    if value is None:
        return f"{_quoted(name)} has no value. Leave it out to send none."
    try:
        is_fit = is_storable([name, value])
    except RecursionError:
        return f"{_quoted(name)} is nested too deeply."
    if not is_fit:
        return (
            f"{_quoted(name)} has a number or a character that cannot be stored (infinity, NUL, half a surrogate "
            "pair)."
        )
    return ""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadFields(f"{_quoted(twice)} is there twice. Write it once.")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise BadFields(f"{name} is no number that can be sent.")


def is_storable(value: Any) -> bool:
    if isinstance(value, dict):
        return all(is_storable(name) and is_storable(inner) for name, inner in value.items())
    if isinstance(value, list):
        return all(map(is_storable, value))
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, bool) or chat.storable(value)


def _quoted(name: str) -> str:
    return f"“{name[:60]}”"
