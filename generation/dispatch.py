"""Calls to services for the rows of a queue: when a service is asked, and what follows a fault.

Two queues use this: the responses of runs, and the verdicts of judge models. Each claims and stores its own rows.
"""

from typing import Any, Protocol, TypeVar

import structlog
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from generation import chat, client, faults
from generation.client import ServiceEntry
from generation.models import LanguageModel
from leases import claim
from leases.clock import in_seconds
from leases.models import Leased
from leases.states import StateTable

log = structlog.get_logger(__name__)

Row = TypeVar("Row")
LeasedRow = TypeVar("LeasedRow", bound=Leased)

# Calls for one row before it fails; a resumed row starts counting again.
MAX_ATTEMPTS = 5
# Seconds to wait after the first, second, … failed call.
OUTAGE_PAUSES = (10, 30, 120, 300)
LOST = "The worker stopped while it asked."
# Messages of one sweep for one service: enough to start again, too few to fill a queue without workers.
SWEEP_MESSAGES = 16


class Queue(Protocol[Row]):
    """Rows that wait for a service. `holder` is the name that a claim is held under."""

    def claim(self, service: ServiceEntry, holder: str) -> Row | None:
        """Hold the next row for as long as a call may take; None when none waits."""

    def request(self, row: Row) -> tuple[LanguageModel, str]:
        """The model to ask, and the text to send."""

    def store(self, row: Row, holder: str, reply: chat.Reply) -> object:
        """Keep the reply, unless the lease was lost meanwhile."""

    def set_back(self, row: Row, holder: str, fault: faults.ServiceFault) -> object:
        """Let the row wait, or fail it with the reason, unless the lease was lost meanwhile."""


def serve_one(service_name: str, queue: Queue[Row]) -> Row | None:
    """Ask the service for the queue's next row, and store the reply; returns the row.

    None when there was nothing to do: no row waits, all calls in flight are taken, or the service is paused.
    """
    try:
        service = client.service(service_name)
        service.check()
    except faults.NotConfigured as fault:
        log.warning("service_not_configured", service=service_name, problem=fault.sentence)
        return None
    # The turn comes before the claim: a row is held only while the service is asked.
    with service.turn() as mine:
        holder = claim.new_holder("generation")
        row = queue.claim(service.entry, holder) if mine else None
        if row is not None:
            _ask(service, queue, row, holder)
    return row


def _ask(service: client.Service, queue: Queue[Row], row: Row, holder: str) -> None:
    model, text = queue.request(row)
    try:
        reply = service.ask(model.model_id, model.options, text)
    except faults.ServiceFault as fault:
        if isinstance(fault, faults.ServiceDown | faults.ServiceBusy):
            service.pause_for(fault.retry_after or client.OUTAGE_PAUSE)
        queue.set_back(row, holder, fault)
    else:
        queue.store(row, holder, reply)


def due(waiting: QuerySet[LeasedRow]) -> QuerySet[LeasedRow]:
    """Those of the waiting rows that may be asked now: their pause after a fault is over."""
    return waiting.filter(Q(not_before=None) | Q(not_before__lte=Now()))


def after_fault(
    fault: faults.ServiceFault, attempts: int, advice: str
) -> tuple[str, dict[str, Any]]:
    """The move of a row whose call number `attempts` failed, and the columns to store with it.

    The row waits and is asked again, or it fails with the reason; `advice` says how to ask again then.
    """
    if fault.retryable and attempts < MAX_ATTEMPTS:
        pause = in_seconds(pause_after(attempts, fault.retry_after))
        return "retry", {"error": fault.sentence, "not_before": pause}
    given_up = f" Asked {attempts} times. {advice}" if fault.retryable else ""
    return "fail", {"error": fault.sentence + given_up, "not_before": None}


def pause_after(attempts: int, requested: float | None) -> float:
    """Seconds before the next call: longer each time, and as long as the service requested, at most an hour."""
    usual = OUTAGE_PAUSES[min(attempts, len(OUTAGE_PAUSES)) - 1]
    return max(float(usual), min(requested or 0.0, client.LONGEST_PAUSE))


def sweep(running: QuerySet[LeasedRow], table: StateTable, advice: str) -> int:
    """Take back rows whose worker died: asked again, or failed where it was their last call; returns how many."""
    lost = f"{LOST} That happened at the last of {MAX_ATTEMPTS} calls. {advice}"
    failed = claim.sweep(running.filter(attempts__gte=MAX_ATTEMPTS), table, "fail", error=lost)
    return failed + claim.sweep(running, table, "expire", error=LOST)


def calls_wanted(waiting: dict[str, int], most: int | None = None) -> list[str]:
    """The names of services to send messages for, one for each message; `waiting` is the rows that wait by service.

    A service gets as many as it can have calls in flight, at most `most`, and none where it cannot be asked.
    """
    wanted = []
    for name, rows in waiting.items():
        if name in client.names() and not client.problem(name):
            in_flight = client.service(name).entry.in_flight
            wanted += [name] * min(rows, in_flight, most or in_flight)
    return wanted
