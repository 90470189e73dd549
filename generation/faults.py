"""What can go wrong between us and an inference service: one class each, with what to do about it. Pure.

`retryable` says whether asking the same again may help; `brief` whether it may help within seconds.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


class ServiceFault(Exception):
    """A call that brought no answer. `status` is the HTTP status, None where there was none.

    `retry_after` is the pause in seconds that the service asked for.
    """

    retryable = False
    brief = False

    def __init__(
        self, sentence: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.retry_after = retry_after
        self.latency_ms: int | None = None


class ServiceDown(ServiceFault):
    """Nobody listens, or the connection broke."""

    retryable = brief = True


class ServiceFailed(ServiceFault):
    """The service answered with a fault of its own (408, 5xx)."""

    retryable = brief = True


class ServiceBusy(ServiceFault):
    """Too many requests (429)."""

    retryable = brief = True


class ServiceSlow(ServiceFault):
    """No answer within the service's timeout."""

    retryable = True


class BrokenReply(ServiceFault):
    """An answer that is no JSON: cut off, or a page of something standing in between."""

    retryable = True


class EmptyReply(ServiceFault):
    """The model said nothing."""

    retryable = True


class NoRoom(ServiceFault):
    """The model used up its tokens before it said anything."""


class WrongShape(ServiceFault):
    """JSON, but no chat completion."""


class ContextTooLong(ServiceFault):
    """The prompt does not fit into the model's context."""


class Refused(ServiceFault):
    """The service will not take this request, now or later (other 4xx)."""


class NotConfigured(ServiceFault):
    """No such service in the setting INFERENCE_SERVICES, or an entry that cannot be used."""


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds to wait by a Retry-After header: a number, or an HTTP date; None where it is neither."""
    text = (header or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())
