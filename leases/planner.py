"""The statistics by which a database plans: how many rows a table has, and how many of them share a key.

Without them it plans for tables of a guessed size. SQLite then read each assignment of a campaign once more for each of
them: a page of 70 ms took over 70 s. It has no statistics until somebody asks; PostgreSQL makes its own within a minute
of a commit.
"""

import logging

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model

logger = logging.getLogger(__name__)

# Rows that SQLite reads of each index. All tables then take milliseconds, however large they are.
READ = 400
# A plan stays right until a table has grown to several times its size.
TIMES, LEAST = 3, 500


def learn_sizes(*rooms: str, using: str = DEFAULT_DB_ALIAS) -> None:
    """Analyze the tables of these rooms, by default of all, after many rows were written.

    Also in a transaction that goes on to read them. A table without rows is left out, so that it is not planned as
    empty when it is filled next.
    """
    database = connections[using]
    models = [model for model in _models() if not rooms or model._meta.app_label in rooms]
    _analyze(database, [model for model in models if model._base_manager.using(using).exists()])


def learn_sizes_on_commit(*rooms: str) -> None:
    """The same once the current transaction commits; what it wrote is kept also where the database fails then."""

    def learn() -> None:
        try:
            learn_sizes(*rooms)
        except Error as error:
            logger.warning("The planner has not learned of the new rows: %s", error)

    transaction.on_commit(learn)


def learn_growth() -> list[str]:
    """Analyze the tables that have grown since SQLite last did; returns their names. PostgreSQL does this itself."""
    if connection.vendor != "sqlite":
        return []
    known = _known_sizes()
    grown = [model for model in _models() if _is_grown(model, known.get(model._meta.db_table, 0))]
    _analyze(connection, grown)
    return [model._meta.db_table for model in grown]


def _models() -> list[type[Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def _known_sizes() -> dict[str, int]:
    """By table the number of its rows that SQLite plans with, about."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'")
        if not cursor.fetchone():
            return {}
        cursor.execute("SELECT tbl, max(CAST(stat AS integer)) FROM sqlite_stat1 GROUP BY tbl")
        return dict(cursor.fetchall())


def _is_grown(model: type[Model], known: int) -> bool:
    """By its highest key, which takes no time; rows are counted only where that says so."""
    table, least = connection.ops.quote_name(model._meta.db_table), max(LEAST, TIMES * known)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT max(rowid) FROM {table}")  # noqa: S608 name of the model
        highest = cursor.fetchone()[0] or 0
    return highest >= least and model._base_manager.count() >= least


def _analyze(database: BaseDatabaseWrapper, models: list[type[Model]]) -> None:
    names = [database.ops.quote_name(model._meta.db_table) for model in models]
    if not names:
        return
    if database.vendor != "sqlite":
        with database.cursor() as cursor:
            # Without those that are being analyzed or vacuumed now, which others would wait for.
            cursor.execute(f"ANALYZE (SKIP_LOCKED) {', '.join(names)}")
        return
    with transaction.atomic(using=database.alias), database.cursor() as cursor:
        cursor.execute(f"PRAGMA analysis_limit = {READ}")
        for name in names:
            cursor.execute(f"ANALYZE {name}")
        # Other connections read the statistics with the schema, so only when its version changes.
        cursor.execute("PRAGMA schema_version")
        version = cursor.fetchone()[0]
        cursor.execute(f"PRAGMA schema_version = {version + 1}")
