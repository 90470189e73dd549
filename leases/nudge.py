"""Telling workers that there is something to do. A nudge may be lost: the row waits, the sweeper finds it."""

from typing import Any

import structlog
from celery import Task
from django.db import transaction

log = structlog.get_logger(__name__)


def nudge(task: Task, *args: Any) -> None:
    """Send the task once the present transaction commits; a broker that is down is logged, never raised."""
    transaction.on_commit(lambda: send(task, *args))


def send(task: Task, *args: Any) -> bool:
    """Send the task now; False when the broker could not take it."""
    try:
        task.apply_async(args=args, ignore_result=True)
    except (
        Exception
    ) as error:  # kombu raises each transport's own errors; none may reach a person's request
        log.warning("nudge_lost", task=task.name, args=args, error=str(error))
        return False
    return True
