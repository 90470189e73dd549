"""The faults of calls to inference services, one class each. Pure.

`retryable`: the same call may succeed later; `brief`: it may succeed within seconds.
"""


class ServiceFault(Exception):
    """A call without a usable answer. `status` is the HTTP status, None where there was none.

    `retry_after` is the pause in seconds that the service requested.
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
    """No connection, or it broke."""

    retryable = brief = True


class ServiceFailed(ServiceFault):
    """The service reported its own failure (408, 5xx)."""

    retryable = brief = True


class ServiceBusy(ServiceFault):
    """Too many requests (429)."""

    retryable = brief = True


class ServiceSlow(ServiceFault):
    """No answer within the service's timeout."""

    retryable = True


class BrokenReply(ServiceFault):
    """An answer that is not JSON: cut off, or a page of a proxy."""

    retryable = True


class EmptyReply(ServiceFault):
    """The model's answer is empty."""

    retryable = True


class NoRoom(ServiceFault):
    """The model used up its tokens before its answer began."""


class WrongShape(ServiceFault):
    """JSON, but not a chat completion."""


class ContextTooLong(ServiceFault):
    """The prompt does not fit into the model's context."""


class Refused(ServiceFault):
    """The service refuses this request, now and later (other 4xx)."""


class NotConfigured(ServiceFault):
    """The setting INFERENCE_SERVICES has no such service, or an unusable entry for it."""
