"""The one module that changes the state of responses: claimed, stored, set back, cancelled, swept."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from generation import chat
from generation.client import ServiceEntry
from generation.faults import ServiceFault
from generation.models import Attempt, Response, Run
from generation.states import RESPONSE, ResponseState, RunState
from leases import claim
from leases.clock import in_seconds

log = structlog.get_logger(__name__)

# Calls for one response before it fails; a resumed run starts counting anew.
MAX_ATTEMPTS = 5
# Seconds to wait after the first, second, … failed call.
OUTAGE_PAUSES = (10, 30, 120, 300)

OPEN = (ResponseState.PENDING, ResponseState.RUNNING)
RESTING = (ResponseState.FAILED, ResponseState.CANCELLED)


@dataclass(frozen=True)
class Progress:
    """How many responses of a run are in which state."""

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int

    @property
    def total(self) -> int:
        return self.waiting + self.running + self.done + self.failed + self.cancelled

    @property
    def is_over(self) -> bool:
        return not self.waiting and not self.running


def progress(run: Run) -> Progress:
    return progress_of([run])[run.pk]


def progress_of(runs: Iterable[Run]) -> dict[int, Progress]:
    """The progress of several runs by their keys, in one query."""
    keys = [run.pk for run in runs]
    counts = dict.fromkeys(((key, state) for key in keys for state in ResponseState.values), 0)
    found = Response.objects.filter(run__in=keys).order_by().values_list("run", "state")
    counts |= {(key, state): number for key, state, number in found.annotate(Count("pk"))}
    return {
        key: Progress(
            waiting=counts[key, ResponseState.PENDING],
            running=counts[key, ResponseState.RUNNING],
            done=counts[key, ResponseState.DONE],
            failed=counts[key, ResponseState.FAILED],
            cancelled=counts[key, ResponseState.CANCELLED],
        )
        for key in keys
    }


# ---------------------------------------------------------------- asked


def waiting(run: Run | None = None) -> QuerySet[Response]:
    """Responses of running runs (or of this one) that may be asked now."""
    rows = Response.objects.filter(state=ResponseState.PENDING, run__state=RunState.RUNNING)
    rows = rows.filter(Q(not_before=None) | Q(not_before__lte=Now()))
    return rows.filter(run=run) if run else rows


def waiting_services() -> dict[str, int]:
    """How many responses may be asked now, by service."""
    found = waiting().order_by().values_list("model__service").annotate(Count("pk"))
    return dict(found)


def claim_next(service: ServiceEntry, holder: str, run: Run | None = None) -> Response | None:
    """Hold the next response of this service for as long as a call may take; None when none waits."""
    rows = waiting(run).filter(model__service=service.name).order_by("run_id", "order", "pk")
    return claim.claim(
        rows.select_related("model", "run"),
        RESPONSE,
        "start",
        seconds=service.lease,
        holder=holder,
    )


@transaction.atomic
def store(response: Response, holder: str, reply: chat.Reply) -> bool:
    """Keep the answer; False when the lease was lost meanwhile, and another has the response."""
    kept = claim.settle(
        response,
        RESPONSE,
        "finish",
        holder=holder,
        text=reply.text,
        request=reply.request,
        reply=reply.raw,
        answered_by=reply.answered_by,
        finish_reason=reply.finish_reason,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        latency_ms=reply.latency_ms,
        answered_at=Now(),
        error="",
        not_before=None,
    )
    return _logged(kept, response, status=reply.status, latency_ms=reply.latency_ms)


@transaction.atomic
def set_back(response: Response, holder: str, fault: ServiceFault) -> bool:
    """Let it wait and be asked again, or fail it with the reason; False when the lease was lost."""
    spent = response.attempts >= MAX_ATTEMPTS
    again = fault.retryable and not spent
    reason = fault.sentence
    if fault.retryable and spent:
        reason = f"{reason} Asked {response.attempts} times; resume the run to ask again."
    pause = in_seconds(pause_after(response.attempts, fault.retry_after)) if again else None
    request = chat.body(response.model.model_id, response.model.options, response.rendered)
    verb = "retry" if again else "fail"
    kept = claim.settle(
        response,
        RESPONSE,
        verb,
        holder=holder,
        error=reason,
        request=request,
        not_before=pause,
    )
    if kept and again:
        cancel_waiting(response.run)  # no-op unless the run was cancelled while this was asked
    return _logged(
        kept, response, status=fault.status, latency_ms=fault.latency_ms, error=fault.sentence
    )


def pause_after(attempts: int, asked_for: float | None) -> float:
    """Seconds before the next call: longer each time, and as long as the service asked for."""
    usual = OUTAGE_PAUSES[min(attempts, len(OUTAGE_PAUSES)) - 1]
    return max(float(usual), min(asked_for or 0.0, 3600.0))


def _logged(kept: bool, response: Response, *, latency_ms: int | None, **call: Any) -> bool:
    if not kept:
        log.warning("lease_lost", response=response.pk)
        return False
    Attempt.objects.create(
        response=response,
        # The UPDATE before holds the row, so that no two calls count to the same number.
        n=response.attempt_log.count() + 1,
        started_at=in_seconds(-(latency_ms or 0) / 1000),
        latency_ms=latency_ms,
        **call,
    )
    return True


# ---------------------------------------------------------------- cancelled, resumed, swept


def cancel_waiting(run: Run) -> int:
    """Cancel what has not been asked, where the run is cancelled; calls under way are stored when they come."""
    rows = Response.objects.filter(run=run, run__state=RunState.CANCELLED)
    return RESPONSE.move(rows, "cancel", not_before=None)


def resume(run: Run) -> int:
    """Let all that failed or was cancelled wait again; returns how many."""
    rows = Response.objects.filter(run=run)
    return RESPONSE.move(rows, "resume", attempts=0, error="", not_before=None)


def sweep() -> int:
    """Take back responses whose worker died: asked again, or failed when that has happened too often."""
    error = "The worker stopped while it asked."
    spent = Response.objects.filter(attempts__gte=MAX_ATTEMPTS)
    lost = (
        f"{error} That happened at the last of {MAX_ATTEMPTS} calls; resume the run to ask again."
    )
    failed = claim.sweep(spent.filter(state=ResponseState.RUNNING), RESPONSE, "fail", error=lost)
    return failed + claim.sweep(Response.objects.all(), RESPONSE, "expire", error=error)
