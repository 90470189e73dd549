"""The entries of the setting INFERENCE_SERVICES, checked. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from generation.inference import faults

# With the time of a turn (asking/turn.py), below half the broker's visibility timeout.
LONGEST_TIMEOUT = 600.0


@dataclass(frozen=True)
class ServiceEntry:
    """One entry of INFERENCE_SERVICES. `url` ends where /chat/completions begins, usually in /v1.

    `timeout` is in seconds for one reply. `per_minute` None means as fast as `in_flight` allows. Both limits hold for
    all worker processes together. `headers` and `query` are sent with each call; a header's value $NAME is that of the
    environment variable NAME.
    """

    name: str
    url: str
    key_env: str = ""
    in_flight: int = 4
    per_minute: float | None = None
    timeout: float = 120.0
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()


def checked_entry(name: str, data: Mapping[str, Any]) -> ServiceEntry:
    """An entry of the setting, checked; raises NotConfigured with what to write."""
    pairs = {key: _pairs(name, key, data[key]) for key in ("headers", "query") if key in data}
    try:
        made = ServiceEntry(name=name, **{**data, **pairs})
    except TypeError as error:
        raise _misconfigured(name, f"cannot be read ({error})") from None
    parts = urlsplit(made.url) if isinstance(made.url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise _misconfigured(name, "needs a url such as http://127.0.0.1:8080/v1")
    if not name or "/" in name or len(name) > 60:
        raise _misconfigured(name, "needs a name without a slash, at most 60 characters long")
    if (
        isinstance(made.in_flight, bool)
        or not isinstance(made.in_flight, int)
        or made.in_flight < 1
    ):
        raise _misconfigured(name, "needs in_flight as a whole number from 1")
    for key, value in (("timeout", made.timeout), ("per_minute", made.per_minute)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or value <= 0
        ):
            raise _misconfigured(name, f"needs {key} as a number above 0")
    if made.timeout and made.timeout > LONGEST_TIMEOUT:
        raise _misconfigured(name, f"needs a timeout of at most {LONGEST_TIMEOUT:g} seconds")
    if made.timeout is None or not isinstance(made.key_env, str):
        raise _misconfigured(name, "needs timeout as a number and key_env as a variable's name")
    return made


def _pairs(name: str, key: str, data: Any) -> tuple[tuple[str, str], ...]:
    """What is sent with each call: names and printable values, neither empty."""
    texts = [*data, *data.values()] if isinstance(data, dict) else [""]
    if not all(isinstance(text, str) and text and is_printable(text) for text in texts):
        raise _misconfigured(name, f'needs {key} as names with texts, such as {{"name": "text"}}')
    return tuple(sorted(data.items()))


def is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _misconfigured(name: str, problem: str) -> faults.NotConfigured:
    return faults.NotConfigured(f"Setting INFERENCE_SERVICES: service {name!r} {problem}.")
