"""Tasks of model calls. A message only starts the work of a service; the rows say what there is to do."""

from celery import shared_task

from generation.asking.dispatch import ask_service, wake
from generation.call_queues import queues

__all__ = ["ask_service", "sweep_calls"]


@shared_task
def sweep_calls() -> None:
    """Take back the rows of dead workers, and wake the services that have rows and nobody to ask them."""
    for queue in queues():
        queue.sweep()
    wake()
