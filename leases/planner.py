"""What PostgreSQL's planner knows of tables that were just filled."""

from django.db import connection


def learn_sizes() -> None:
    """Count the tables anew for the planner, after many rows were written in one transaction that reads them.

    The server does this by itself within a minute of a commit. Until then it may take a table for empty, and join
    eight of them row by row: a report of 240 verdicts was seen to take half an hour. SQLite plans by its indexes.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
