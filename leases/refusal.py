"""Refusals: errors with a sentence for the person and an HTTP status for the program. Pure.

Rooms raise them from their logic; pages turn them into a page, the API into JSON, commands into a CommandError.
The sentence says what was wrong and what to do; `retry` says whether trying again can help, `code` is the same for
programs, and `fields` names what was wrong in which field.
"""

from collections.abc import Mapping
from math import ceil

# What a program is told where the place that refuses has no code of its own.
CODES = {
    400: "invalid",
    401: "not_authenticated",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    409: "conflict",
    410: "gone",
    412: "stale_version",
    413: "too_large",
    415: "unsupported_media_type",
    422: "unprocessable",
    428: "version_required",
    429: "too_many_requests",
    503: "unavailable",
    507: "disk_full",
}


class Refusal(Exception):
    """A request that cannot be carried out, and that the person can do something about."""

    status = 400

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        retry: bool = False,
        fields: Mapping[str, list[str]] | None = None,
        details: object | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retry = retry
        self.fields = fields
        self.details = details
        if status is not None:
            self.status = status
        self.code = code or CODES.get(self.status, "failed")

    @property
    def headers(self) -> dict[str, str]:
        return {}


class NotAuthenticated(Refusal):
    """Nobody is signed in, or what a program sent to say who it is does not hold; `problem` as RFC 6750 names it."""

    status = 401

    def __init__(self, message: str, problem: str = "") -> None:
        super().__init__(message, code=problem)
        self.problem = problem

    @property
    def headers(self) -> dict[str, str]:
        problem = f', error="{self.problem}"' if self.problem else ""
        return {"WWW-Authenticate": f'Bearer realm="Sic et Non"{problem}'}


class NotAllowed(Refusal):
    """The person's roles do not permit this."""

    status = 403


class NotFoundHere(Refusal):
    """No such row, or none that this person may see."""

    status = 404


class Conflict(Refusal):
    """The row's state does not allow this; often another person, or a second click, was faster."""

    status = 409


class AsksFirst(Conflict):
    """What was asked for is shown once the person agrees: the message is a question.

    Its page has a button that posts `fields`, with the address as `next`, to the address named `view`; a program sends
    the same to `operation`.
    """

    def __init__(
        self,
        question: str,
        *,
        view: str,
        operation: str,
        fields: Mapping[str, str],
        button: str,
        details: object,
    ) -> None:
        super().__init__(question, code="asks_first", details=details)
        self.view = view
        self.operation = operation
        self.agreeing = fields
        self.button = button


class StaleVersion(Refusal):
    """The row was saved elsewhere since it was read; `details` holds both sides."""

    status = 412


class TooMany(Refusal):
    """Requested more often than is allowed; `wait` is the seconds until it is allowed again."""

    status = 429

    def __init__(self, message: str, *, wait: float) -> None:
        self.wait = max(1, ceil(wait))
        super().__init__(f"{message} Wait {in_words(self.wait)}, then try again.", retry=True)

    @property
    def headers(self) -> dict[str, str]:
        return {"Retry-After": str(self.wait)}


def in_words(seconds: int) -> str:
    """A wait in words, rounded up: "1 second", "40 seconds", "5 minutes"."""
    number, unit = (seconds, "second") if seconds < 120 else (ceil(seconds / 60), "minute")
    return f"{number} {unit}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """Control characters, as of a file that is named in it, are shown on the terminal, not obeyed."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )
