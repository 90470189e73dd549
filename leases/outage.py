"""Database outages (no connection, locked for too long, disk full): the message, and that a retry helps."""

import shutil

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError

from leases.refusal import Refusal

log = structlog.get_logger(__name__)

NOT_NOW = "The database does not answer just now, so nothing was stored. Wait a minute, and send it again."
NO_ROOM = "The server's disk is full, so nothing was stored. Inform the operator, and send it again when there is room."

# SQLite raises OperationalError for a misspelt table too; only these codes are an outage.
_SQLITE = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_FULL")
_FULL = ("SQLITE_FULL", "53100")
# Bytes; with less, SQLite fails in other words too: it can neither make nor lengthen the files next to its database.
_LEAST_ROOM = 2**20


def outage(error: BaseException | None) -> Refusal | None:
    """The refusal for a request that failed because of an outage; None for any other error."""
    if not is_outage(error):
        return None
    code = _code(error)
    log.error("database_outage", error=str(error).strip(), code=code)
    if _is_full(code):
        return Refusal(NO_ROOM, status=507, retry=True)
    return Refusal(NOT_NOW, status=503, retry=True)


def outage_in_a_command(error: BaseException) -> str:
    """The last line of a command that failed because of an outage; "" for any other error."""
    if not is_outage(error):
        return ""
    what = "The disk is full" if _is_full(_code(error)) else "The database does not answer"
    reason = " ".join(str(error).split())
    return f"{what} ({reason}). Unfinished work was not stored. Fix the cause, then run the command again."


def is_outage(error: BaseException | None) -> bool:
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    code = _code(error)
    return not code.startswith("SQLITE_") or code.startswith(_SQLITE)


def has_room() -> bool:
    """Whether the disk of DATA_DIR takes anything more."""
    return shutil.disk_usage(settings.DATA_DIR).free >= _LEAST_ROOM


def _is_full(code: str) -> bool:
    return code in _FULL or (
        code.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")) and not has_room()
    )


def _code(error: BaseException | None) -> str:
    """SQLite's name of the error or PostgreSQL's SQLSTATE; "" when the connection gave neither."""
    cause = error.__cause__ if error else None
    return getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
