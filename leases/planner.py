"""Update PostgreSQL's planner statistics."""

from django.apps import apps
from django.db import connection


def learn_sizes() -> None:
    """Analyze the tables, after many rows were written in a transaction that goes on to read them.

    The server does this by itself within a minute of a commit. Until then it may plan for empty tables and join
    eight of them row by row: a report of 240 verdicts took half an hour. For the same reason a table without rows
    is left out, so that it is not planned as empty when it is filled next. SQLite plans by its indexes.
    """
    if connection.vendor != "postgresql":
        return
    models = apps.get_models(include_auto_created=True)
    filled = [model._meta.db_table for model in models if model._base_manager.exists()]
    if filled:
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(map(connection.ops.quote_name, filled))}")
