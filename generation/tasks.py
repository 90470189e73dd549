"""Tasks of runs. A message only starts the work of a service; the rows say what there is to do."""

from celery import shared_task

from generation import dispatch, responses, runs
from leases.enqueue import send, send_on_commit


@shared_task
def generate_response(service: str) -> None:
    """Ask a service for one response, and send the next message while there are more (queue "generation")."""
    if runs.answer_next(service):
        send(generate_response, service)


@shared_task
def sweep_responses() -> None:
    """Take back the responses of dead workers, and send again the messages that were lost."""
    runs.sweep()
    wake(most=dispatch.SWEEP_MESSAGES)


def wake(most: int | None = None) -> None:
    """Send as many messages as each service can have calls in flight, and has responses waiting."""
    for name in dispatch.calls_wanted(responses.waiting_services(), most):
        send_on_commit(generate_response, name)
