"""Logging: one line for each event on standard error, as text or JSON (LOG_FORMAT). No passages, no secrets.

In JSON each request and each task has a line. In text, which people read in a terminal, only those that failed
have one, unless LOG_LEVEL is DEBUG.
"""

import logging
import re
from typing import Any

import structlog

from config.masking import is_watched, masked_path

# Loggers with a line for every request or task.
BUSY = ("config.request_lines", "config.task_lines")
# PostgreSQL quotes the rows that it refuses, with texts that people entered.
DETAIL = re.compile(r"DETAIL:.*?(?=\n(?:Traceback|The above|During handling)|\Z)", re.DOTALL)


def logging_config(log_format: str, level: str) -> dict[str, Any]:
    """A logging.dictConfig for Django's and the project's loggers; `log_format` is 'text' or 'json'."""
    busy = level if log_format == "json" or level == "DEBUG" else "WARNING"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": _formatter(log_format)},
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
            # A request with a wrong host name is no server error; the request's own line has its status.
            "django.security.DisallowedHost": {"handlers": [], "level": "CRITICAL"},
            **{name: {"level": busy} for name in BUSY},
            # Its "received" and "succeeded" say less than the line of config.task_lines.
            "celery": {"level": "WARNING"},
        },
    }


def _formatter(log_format: str) -> dict[str, Any]:
    """Configures structlog; returns the formatter for its lines and for those of the logging module."""
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
    return {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": shared,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            without_details,
            last,
        ],
    }


class AboutRequests(logging.Filter):
    """Masks tokens in the paths of Django's own lines about requests, and drops the lines of monitoring."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if request is None or not hasattr(request, "path"):
            return True
        if isinstance(record.args, tuple):
            path, masked = request.path, masked_path(request)
            record.args = tuple(masked if word == path else word for word in record.args)
        # Monitoring asks every few seconds, and the response of /readyz itself gives the reason.
        return bool(record.exc_info) or not is_watched(request)


def without_details(logger: object, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Remove the rows that a database quotes from an event's texts."""
    for key in ("exception", "error", "event"):
        if "DETAIL:" in str(event.get(key, "")):
            event[key] = DETAIL.sub("DETAIL: (left out)", str(event[key]))
    return event
