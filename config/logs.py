"""Logging: one line an event on standard error, readable or JSON (LOG_FORMAT). No passages, no secrets.

In JSON each request and each task has its line; in text, which one reads over somebody's shoulder, only those
that went wrong, unless LOG_LEVEL is DEBUG.
"""

import logging
import re
from typing import Any

import structlog

from config.masking import is_watched, masked_path

# Loggers of what happens all the time.
BUSY = ("config.request_lines", "config.task_lines")
# What PostgreSQL quotes of the rows that it refuses: texts that people entered.
DETAIL = re.compile(r"DETAIL:.*?(?=\n(?:Traceback|The above|During handling)|\Z)", re.DOTALL)


def logging_config(log_format: str, level: str) -> dict[str, Any]:
    """A logging.dictConfig for Django's and our own loggers; `log_format` is 'text' or 'json'."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: Any = structlog.dev.ConsoleRenderer(colors=False)
    if log_format == "json":
        last = structlog.processors.JSONRenderer(ensure_ascii=False)
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            without_details,
            last,
        ],
    }
    busy = level if log_format == "json" or level == "DEBUG" else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "filters": {"requests": {"()": AboutRequests}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["requests"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "propagate": True, "level": level},
            # A request by a wrong name is no fault of ours; the request's own line has its status.
            "django.security.DisallowedHost": {"handlers": [], "level": "CRITICAL"},
            **{name: {"level": busy} for name in BUSY},
            # Its "received" and "succeeded" say less than our own line for each task.
            "celery": {"level": "WARNING"},
        },
    }


class AboutRequests(logging.Filter):
    """Of Django's own lines about requests: takes the tokens out of their paths, and leaves out those who watch."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is None or not hasattr(request, "path"):
            return True
        if isinstance(record.args, tuple):
            whole, masked = request.path, masked_path(request)
            record.args = tuple(masked if word == whole else word for word in record.args)
        # Not ready, asked for every few seconds: the answer says why.
        return bool(record.exc_info) or not is_watched(request)


def without_details(logger: object, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Cut what a database quotes of a row out of an event's words."""
    for key in ("exception", "error", "event"):
        if "DETAIL:" in str(event.get(key, "")):
            event[key] = DETAIL.sub("DETAIL: (left out)", str(event[key]))
    return event
