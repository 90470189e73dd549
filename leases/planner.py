"""Update PostgreSQL's planner statistics."""

from django.db import connection


def learn_sizes() -> None:
    """Analyze the tables, after many rows were written in a transaction that goes on to read them.

    The server does this by itself within a minute of a commit. Until then it may plan for empty tables and join
    eight of them row by row: a report of 240 verdicts took half an hour. SQLite plans by its indexes.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
