"""Tasks of judge models. A message only starts the work of a service; the rows say what there is to do."""

from celery import shared_task

from generation import dispatch
from judging.machine import calls
from leases.enqueue import send, send_on_commit


@shared_task
def judge_with_model(service: str) -> None:
    """Ask a service for one machine verdict, and send the next message while there are more (queue "generation")."""
    if calls.judge_next(service):
        send(judge_with_model, service)


@shared_task
def sweep_machine_verdicts() -> None:
    """Take back the verdicts of dead workers, and send again the messages that were lost."""
    calls.sweep()
    wake(most=dispatch.SWEEP_MESSAGES)


def wake(most: int | None = None) -> None:
    """Send as many messages as each service can have calls in flight, and has machine verdicts waiting."""
    for name in dispatch.calls_wanted(calls.waiting_services(), most):
        send_on_commit(judge_with_model, name)
