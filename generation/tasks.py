"""Work in the queue. A message only says that a service has something to do; the rows say what."""

from celery import shared_task

from generation import asking, responses, runs
from leases.nudge import nudge, send

# Messages of one sweep for one service: enough to start anew, too few to fill a queue that nobody empties.
SWEEP_MESSAGES = 16


@shared_task
def generate_response(service: str) -> None:
    """Ask a service for one response, and pass the turn on while there are more (queue "generation")."""
    if runs.answer_next(service):
        send(generate_response, service)


@shared_task
def sweep_responses() -> None:
    """Bring back what was lost: responses of dead workers, and messages that never came."""
    runs.sweep()
    wake(most=SWEEP_MESSAGES)


def wake(most: int | None = None) -> None:
    """Send as many messages as each service can have calls in flight, and has responses waiting."""
    for name in asking.calls_wanted(responses.waiting_services(), most):
        nudge(generate_response, name)
