"""Responses: claimed, stored, set back, cancelled, swept. The one module that changes their state."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Count, QuerySet
from django.db.models.functions import Now

from generation import chat, dispatch
from generation.client import ServiceEntry
from generation.faults import ServiceFault
from generation.models import Attempt, LanguageModel, Response, Run
from generation.states import RESPONSE, ResponseState, RunState
from leases import claim
from leases.clock import in_seconds

log = structlog.get_logger(__name__)

OPEN = (ResponseState.PENDING, ResponseState.RUNNING)
RESUME = "Resume the run to ask again."


@dataclass(frozen=True)
class RunProgress:
    """How many responses of a run are in which state."""

    waiting: int
    running: int
    done: int
    failed: int
    cancelled: int

    @property
    def total(self) -> int:
        return self.waiting + self.running + self.done + self.failed + self.cancelled


def progress(run: Run) -> RunProgress:
    return progress_of([run])[run.pk]


def progress_of(runs: Iterable[Run]) -> dict[int, RunProgress]:
    """The progress of several runs by their keys, in one query."""
    keys = [run.pk for run in runs]
    counts = dict.fromkeys(((key, state) for key in keys for state in ResponseState.values), 0)
    rows = Response.objects.filter(run__in=keys).order_by().values_list("run", "state")
    counts |= {(key, state): number for key, state, number in rows.annotate(Count("pk"))}
    return {
        key: RunProgress(
            waiting=counts[key, ResponseState.PENDING],
            running=counts[key, ResponseState.RUNNING],
            done=counts[key, ResponseState.DONE],
            failed=counts[key, ResponseState.FAILED],
            cancelled=counts[key, ResponseState.CANCELLED],
        )
        for key in keys
    }


# ---------------------------------------------------------------- asked


@dataclass(frozen=True)
class Queue:
    """The responses that wait to be asked: of one run, or of all that are running."""

    run: Run | None = None

    def waiting(self) -> QuerySet[Response]:
        """The responses that may be asked now."""
        rows = Response.objects.filter(state=ResponseState.PENDING, run__state=RunState.RUNNING)
        return dispatch.due(rows.filter(run=self.run) if self.run else rows)

    def claim(self, service: ServiceEntry, holder: str) -> Response | None:
        """Hold the next response of this service for as long as a call may take; None when none waits."""
        rows = self.waiting().filter(model__service=service.name).order_by("run_id", "order", "pk")
        return claim.claim(
            rows.select_related("model", "run"),
            RESPONSE,
            "start",
            seconds=service.lease,
            holder=holder,
        )

    def request(self, response: Response) -> tuple[LanguageModel, str]:
        return response.model, response.rendered

    @transaction.atomic
    def store(self, response: Response, holder: str, reply: chat.Reply) -> bool:
        """Keep the answer; False when the lease was lost meanwhile, and another worker has the response."""
        kept = claim.settle(
            response,
            RESPONSE,
            "finish",
            holder=holder,
            request=reply.request,
            reply=reply.raw,
            **reply.columns,
            answered_at=Now(),
            error="",
            not_before=None,
        )
        return _logged(kept, response, status=reply.status, latency_ms=reply.latency_ms)

    @transaction.atomic
    def set_back(self, response: Response, holder: str, fault: ServiceFault) -> bool:
        """Let it wait and be asked again, or fail it with the reason; False when the lease was lost."""
        verb, fields = dispatch.after_fault(fault, response.attempts, RESUME)
        request = chat.body(response.model.model_id, response.model.options, response.rendered)
        kept = claim.settle(response, RESPONSE, verb, holder=holder, request=request, **fields)
        if kept and verb == "retry":
            cancel_waiting(response.run)  # changes nothing unless the run was cancelled meanwhile
        return _logged(
            kept, response, status=fault.status, latency_ms=fault.latency_ms, error=fault.sentence
        )


def waiting_services() -> dict[str, int]:
    """How many responses may be asked now, by service."""
    rows = Queue().waiting().order_by().values_list("model__service")
    return dict(rows.annotate(Count("pk")))


def _logged(kept: bool, response: Response, *, latency_ms: int | None, **call: Any) -> bool:
    if not kept:
        log.warning("lease_lost", response=response.pk)
        return False
    Attempt.objects.create(
        response=response,
        # The UPDATE before holds the row, so that no two calls get the same number.
        n=response.attempt_log.count() + 1,
        started_at=in_seconds(-(latency_ms or 0) / 1000),
        latency_ms=latency_ms,
        **call,
    )
    return True


# ---------------------------------------------------------------- cancelled, resumed, swept


def cancel_waiting(run: Run) -> int:
    """Cancel the waiting responses of a cancelled run; replies to calls in progress are still stored."""
    rows = Response.objects.filter(run=run, run__state=RunState.CANCELLED)
    return RESPONSE.move(rows, "cancel", not_before=None)


def resume(run: Run) -> int:
    """Let the responses that failed or were cancelled wait again; returns how many."""
    rows = Response.objects.filter(run=run)
    return RESPONSE.move(rows, "resume", attempts=0, error="", not_before=None)


def sweep() -> int:
    """Take back responses whose worker died; returns how many."""
    running = Response.objects.filter(state=ResponseState.RUNNING)
    return dispatch.sweep(running, RESPONSE, RESUME)
