"""What the house says when it will not do something: a sentence for the person, a status for the machine.

Pure. Rooms raise these from their logic; pages turn them into a page, the API into JSON, commands into a
CommandError. The sentence says what was wrong and what to do; `retry` says whether trying again can help.
"""

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
    """No such row, or none that this person may know of."""

    status = 404


class Conflict(Refusal):
    """The row is not in a state that allows this; somebody, or a second click, was faster."""

    status = 409


class StaleVersion(Refusal):
    """The row was saved elsewhere since it was read; `details` holds both sides."""

    status = 412


class TooMany(Refusal):
    """Asked for more often than is given; `wait` is the seconds after which it will be."""

    status = 429

    def __init__(self, message: str, *, wait: float) -> None:
        self.wait = max(1, ceil(wait))
        super().__init__(f"{message} Wait {in_words(self.wait)}, then try again.")


def in_words(seconds: int) -> str:
    """A wait as people say it, rounded up: "1 second", "40 seconds", "5 minutes"."""
    number, unit = (seconds, "second") if seconds < 120 else (ceil(seconds / 60), "minute")
    return f"{number} {unit}{'' if number == 1 else 's'}"
