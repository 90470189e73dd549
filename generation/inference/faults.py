"""The faults of calls to inference services, one class each. Pure.

`of_service`: any call would fail now, so the service is paused and no response is charged for it. `retryable`: the
same call may succeed later. `of_prompt`: other prompts may well be answered. `was_sent`: the service may have read the
request.
"""

from typing import Any


class ServiceFault(Exception):
    """A call without a usable answer. `status` is the HTTP status, None where there was none.

    `retry_after` is the pause in seconds that the service requested.
    """

    of_service = False
    retryable = False
    of_prompt = False
    was_sent = True

    def __init__(
        self, sentence: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.retry_after = retry_after
        self.latency_ms: int | None = None
        # The whole reply, where there was one.
        self.raw: Any = None

    @property
    def needs_look(self) -> bool:
        """Whether the call or the service may be at fault: a look at the service shows which."""
        return self.retryable and not self.of_service and not self.of_prompt

    @property
    def is_answer(self) -> bool:
        """Whether the service works, though not for this call."""
        return self.of_prompt or (self.was_sent and not (self.retryable or self.of_service))


# ---------------------------------------------------------------- of the whole service


class ServiceDown(ServiceFault):
    """No connection."""

    of_service = retryable = True
    was_sent = False


class CertificateWrong(ServiceFault):
    """The service's certificate is not valid for its address."""

    of_service = True
    was_sent = False


class Redirected(ServiceFault):
    """The service sends its clients to another address (3xx)."""

    of_service = True


class KeyRefused(ServiceFault):
    """The service refuses the key (401, 403)."""

    of_service = True


class ServiceBusy(ServiceFault):
    """Too many requests (429)."""

    of_service = retryable = True


class ServiceUnavailable(ServiceFault):
    """The service is not ready (503), or a proxy reports so of one that a prompt has broken."""

    of_service = retryable = needs_look = True


class NotConfigured(ServiceFault):
    """The setting INFERENCE_SERVICES has no such service, or an unusable entry for it."""

    of_service = True
    was_sent = False


# ---------------------------------------------------------------- of the call, or of the service


class CallCut(ServiceFault):
    """The connection broke during the call."""

    retryable = True


class ServiceFailed(ServiceFault):
    """The service reported its own failure (408, 500, 504, …), or that its model server broke the call (502)."""

    retryable = True


class ServiceSlow(ServiceFault):
    """No answer within the service's timeout."""

    retryable = True


class BrokenReply(ServiceFault):
    """An answer that is not JSON: cut off, or a page of a proxy."""

    retryable = True


class EmptyReply(ServiceFault):
    """The model's answer is empty. `reply` is what came: if a form was asked for, it is a reply without that form."""

    retryable = of_prompt = True
    reply: Any = None


class Aborted(ServiceFault):
    """The service broke the reply off, as its finish reason says. `reply` is the finding, after the last attempt."""

    retryable = True
    reply: Any = None


# ---------------------------------------------------------------- lasting


class NoRoom(ServiceFault):
    """The model used up its tokens before its answer began."""

    of_prompt = True


class ContextTooLong(ServiceFault):
    """The prompt does not fit into the model's context."""

    of_prompt = True


class Filtered(ServiceFault):
    """A content filter of the service stopped the prompt: stored as a finding, not as a failure."""

    of_prompt = True


class WrongShape(ServiceFault):
    """JSON, but not a chat completion."""


class CannotScore(ServiceFault):
    """The service gives no log-probabilities for the model, as its last test found out."""

    was_sent = False


class ModelGone(ServiceFault):
    """The service has no such model or address (404)."""


class Refused(ServiceFault):
    """The service refuses this request, now and later (other 4xx)."""
