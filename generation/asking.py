"""One call to a service for one row of some queue: responses of runs, or verdicts of judge models.

The queue claims, stores and sets back its own rows; here stands only when a service may be asked.
"""

from typing import Protocol, TypeVar

import structlog

from generation import chat, client, faults
from generation.client import ServiceEntry
from generation.models import LanguageModel
from leases.claim import new_holder

log = structlog.get_logger(__name__)

Row = TypeVar("Row")


class Queue(Protocol[Row]):
    """Rows that wait for a service. `holder` is the name that a claim is held under."""

    def claim(self, service: ServiceEntry, holder: str) -> Row | None:
        """Hold the next row for as long as a call may take; None when none waits."""

    def request(self, row: Row) -> tuple[LanguageModel, str]:
        """Whom to ask, and the text to send."""

    def store(self, row: Row, holder: str, reply: chat.Reply) -> object:
        """Keep the reply, unless the lease was lost meanwhile."""

    def set_back(self, row: Row, holder: str, fault: faults.ServiceFault) -> object:
        """Let the row wait, or fail it with the reason, unless the lease was lost meanwhile."""


def serve_one(service_name: str, queue: Queue[Row]) -> Row | None:
    """Ask the service for the queue's next row and hand over what came; returns the row.

    None when there was nothing to do: nothing waits, all calls in flight are taken, or the service rests.
    """
    try:
        service = client.service(service_name)
        service.check()
    except faults.NotConfigured as fault:
        log.warning("service_not_configured", service=service_name, problem=fault.sentence)
        return None
    # Before the claim: a row is held only while the service is really asked.
    with service.turn() as mine:
        holder = new_holder("generation")
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
            service.rest(fault.retry_after or client.REST)
        queue.set_back(row, holder, fault)
    else:
        queue.store(row, holder, reply)


def calls_wanted(waiting: dict[str, int], most: int | None = None) -> list[str]:
    """A service's name for each message worth sending, from how many rows wait for which service.

    As many as it can have calls in flight, `most` at the most, and none for one that cannot be asked.
    """
    wanted = []
    for name, rows in waiting.items():
        if name in client.names() and not client.problem(name):
            in_flight = client.service(name).entry.in_flight
            wanted += [name] * min(rows, in_flight, most or in_flight)
    return wanted
