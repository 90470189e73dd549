"""Send tasks to the workers. A message may be lost: its row still waits, and the sweeper sends for it again."""

from typing import Any

import structlog
from celery import Task
from django.db import transaction

log = structlog.get_logger(__name__)


def send_on_commit(task: Task, *args: Any) -> None:
    """Send the task once the current transaction commits; a broker that is down is logged, never raised."""
    transaction.on_commit(lambda: send(task, *args))


def send(task: Task, *args: Any) -> bool:
    """Send the task now; False when the broker could not take it."""
    try:
        task.apply_async(args=args, ignore_result=True)
    except Exception as error:
        # Each transport has errors of its own; none may fail a person's request.
        log.warning("message_not_sent", task=task.name, args=args, error=str(error))
        return False
    return True
