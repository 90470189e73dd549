"""Which database errors are an outage, and the message for each."""

import sqlite3

import psycopg
import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, connection

from leases.outage import outage, outage_in_a_command


def raised(kind, cause=None):
    error = kind("it went wrong")
    error.__cause__ = cause
    return error


def sqlite(name):
    cause = sqlite3.OperationalError("it went wrong")
    cause.sqlite_errorname = name
    return cause


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (raised(OperationalError, psycopg.OperationalError("connection refused")), 503),
        (raised(OperationalError, psycopg.errors.AdminShutdown("terminating")), 503),
        (raised(OperationalError, psycopg.errors.TooManyConnections("too many clients")), 503),
        (raised(OperationalError, psycopg.errors.DeadlockDetected("deadlock")), 503),
        (raised(OperationalError, psycopg.errors.DiskFull("No space left on device")), 507),
        (raised(InterfaceError, psycopg.InterfaceError("connection already closed")), 503),
        (raised(OperationalError, sqlite("SQLITE_BUSY")), 503),
        (raised(OperationalError, sqlite("SQLITE_BUSY_SNAPSHOT")), 503),
        (raised(OperationalError, sqlite("SQLITE_IOERR_WRITE")), 503),
        (raised(OperationalError, sqlite("SQLITE_CANTOPEN")), 503),
        (raised(OperationalError, sqlite("SQLITE_FULL")), 507),
    ],
)
def test_an_outage_says_to_try_again(error, status):
    refusal = outage(error)
    assert (refusal.status, refusal.retry) == (status, True)
    assert "nothing was stored" in refusal.message
    assert "send it again" in refusal.message


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError("not of the database"),
        raised(IntegrityError, psycopg.errors.UniqueViolation("twice")),
        raised(DataError, psycopg.errors.StringDataRightTruncation("too long")),
        raised(OperationalError, sqlite("SQLITE_ERROR")),
    ],
)
def test_an_error_in_the_request_or_the_program_is_no_outage(error):
    assert outage(error) is None


@pytest.mark.both
@pytest.mark.django_db
def test_a_table_that_is_not_there_is_a_defect_on_either_database():
    with pytest.raises(Exception, match="no_such_table") as caught, connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM no_such_table")
    assert outage(caught.value) is None


def test_a_command_ends_with_one_line_that_says_what_to_do():
    error = raised(OperationalError, psycopg.errors.AdminShutdown("terminating"))
    message = outage_in_a_command(error)
    assert message.startswith("The database does not answer (it went wrong).")
    assert message.endswith("Fix the cause, then run the command again.")
    assert "disk is full" in outage_in_a_command(raised(OperationalError, sqlite("SQLITE_FULL")))
    assert outage_in_a_command(raised(OperationalError, sqlite("SQLITE_ERROR"))) == ""
