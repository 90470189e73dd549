"""Refusals: errors with a sentence for the person and an HTTP status for the program. Pure.

Rooms raise them from their logic; pages turn them into a page, the API into JSON, commands into a CommandError.
The sentence says what was wrong and what to do; `retry` says whether trying again can help.
"""

from collections.abc import Mapping
from math import ceil


class Refusal(Exception):
    """A request that cannot be carried out, and that the person can do something about."""

    status = 400

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry: bool = False,
        details: object | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retry = retry
        self.details = details
        if status is not None:
            self.status = status


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

    Its page has a button that posts `fields`, with the address as `next`, to the address named `view`.
    """

    def __init__(
        self, question: str, *, view: str, fields: Mapping[str, str], button: str, details: object
    ) -> None:
        super().__init__(question, details=details)
        self.view = view
        self.fields = fields
        self.button = button


class StaleVersion(Refusal):
    """The row was saved elsewhere since it was read; `details` holds both sides."""

    status = 412


class TooMany(Refusal):
    """Requested more often than is allowed; `wait` is the seconds until it is allowed again."""

    status = 429

    def __init__(self, message: str, *, wait: float) -> None:
        self.wait = max(1, ceil(wait))
        super().__init__(f"{message} Wait {in_words(self.wait)}, then try again.")


def in_words(seconds: int) -> str:
    """A wait in words, rounded up: "1 second", "40 seconds", "5 minutes"."""
    number, unit = (seconds, "second") if seconds < 120 else (ceil(seconds / 60), "minute")
    return f"{number} {unit}{'' if number == 1 else 's'}"
