"""What the server refuses, as exceptions."""

from collections.abc import Mapping
from typing import Any

from requests import Response


class ApiError(Exception):
    """A refusal. `code` is its kind for programs, `retry` whether trying again can help.

    `fields` has the errors of the body by field; `details` depends on the code.
    """

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.error = str(body.get("error", "The answer is no JSON of this API."))
        self.code = str(body.get("code", ""))
        self.retry = bool(body.get("retry", False))
        self.fields: dict[str, Any] = body.get("fields") or {}
        self.details: Any = body.get("details")
        self.agree: dict[str, Any] = body.get("agree") or {}
        super().__init__(f"{status}: {self.error}" + "".join(map(_in_words, self.fields.items())))


class AsksFirst(ApiError):
    """409: the answer shows what others entered. `Client.agree` says yes; what was asked for is then asked again."""


class StaleVersion(ApiError):
    """412: the row was changed since it was read. `details` holds both sides."""


class HashDiffers(Exception):
    """A file that was downloaded is not the one that was expected. It was not kept."""


class LogRefused(ValueError):
    """A log whose replies cannot be taken over, or get no verdicts. The message says why, and what to do."""


def _in_words(field: tuple[str, Any]) -> str:
    return f" {field[0]}: {field[1]}"


def refusal(response: Response) -> ApiError:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        body = {}
    if not isinstance(body, dict):
        body = {}
    if response.status_code == 409 and body.get("agree"):
        return AsksFirst(409, body)
    kind = StaleVersion if response.status_code == 412 else ApiError
    return kind(response.status_code, body)
