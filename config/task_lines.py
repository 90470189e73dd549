"""One log line for each task, with the id of the request that started it."""

import logging.config
import time
from contextvars import ContextVar
from typing import Any

import structlog
from celery import signals
from structlog.contextvars import bind_contextvars, get_contextvars, reset_contextvars

log = structlog.get_logger(__name__)

REQUEST_ID = "request_id"
_running: ContextVar[tuple[float, Any]] = ContextVar("running")


def connect() -> None:
    """Called once, by config.celery."""
    signals.before_task_publish.connect(sign)
    signals.task_prerun.connect(begin)
    signals.task_postrun.connect(end)
    signals.setup_logging.connect(set_up)


def set_up(**signal: Any) -> None:
    """Workers and scheduler log as the web server does; with this receiver Celery sets up no logging."""
    from django.conf import settings

    logging.config.dictConfig(settings.LOGGING)


def sign(headers: dict[str, Any] | None = None, **signal: Any) -> None:
    """Receiver of before_task_publish: put the request's id into the message."""
    identity = get_contextvars().get(REQUEST_ID)
    if headers is not None and identity:
        headers[REQUEST_ID] = identity


def begin(task: Any, task_id: str, **signal: Any) -> None:
    """Receiver of task_prerun."""
    bound = {"task": task.name, "task_id": task_id}
    if identity := task.request.get(REQUEST_ID):
        bound[REQUEST_ID] = identity
    _running.set((time.perf_counter(), bind_contextvars(**bound)))


def end(state: str | None = None, **signal: Any) -> None:
    """Receiver of task_postrun."""
    start, tokens = _running.get()
    log.info("task", state=state, ms=round((time.perf_counter() - start) * 1000))
    reset_contextvars(**tokens)
