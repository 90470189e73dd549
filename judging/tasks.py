"""Work in the queue: judge models. A message only says that a service has something to do; the rows say what."""

from celery import shared_task

from generation import asking
from judging import judgemodel
from leases.nudge import nudge, send

# Messages of one sweep for one service, as for responses.
SWEEP_MESSAGES = 16


@shared_task
def judge_with_model(service: str) -> None:
    """Ask a service for one machine verdict, and pass the turn on while there are more (queue "generation")."""
    if judgemodel.judge_next(service):
        send(judge_with_model, service)


@shared_task
def sweep_machine_verdicts() -> None:
    """Bring back what was lost: verdicts of dead workers, and messages that never came."""
    judgemodel.sweep()
    wake(most=SWEEP_MESSAGES)


def wake(most: int | None = None) -> None:
    """Send as many messages as each service can have calls in flight, and has machine verdicts waiting."""
    for name in asking.calls_wanted(judgemodel.waiting_services(), most):
        nudge(judge_with_model, name)
