"""Which migrations a database has had, and whether this program knows them."""

import os
import sys
from functools import cache

from django.apps.registry import Apps
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.db.migrations import Migration
from django.db.migrations.exceptions import InvalidMigrationPlan, IrreversibleError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from leases.refusal import Refusal

Migrations = dict[str, list[str]]


class UnknownSchema(Refusal):
    """A newer version of this program has changed the tables."""

    status = 503


def applied(using: str) -> Migrations:
    """By app, the names of the migrations that the database has had, in their order."""
    migrations: Migrations = {}
    for app, name in sorted(MigrationRecorder(connections[using]).applied_migrations()):
        migrations.setdefault(app, []).append(name)
    return migrations


@cache
def migrations_here() -> dict[tuple[str, str], Migration]:
    """This program's migrations by app and name. Read once: each start asks several times."""
    return MigrationLoader(None).disk_migrations or {}


def unknown(migrations: Migrations) -> list[str]:
    """Those of a newer version, as APP.NAME."""
    return [
        f"{app}.{name}"
        for app, names in migrations.items()
        for name in names
        if (app, name) not in migrations_here()
    ]


def _pairs(migrations: Migrations) -> set[tuple[str, str]]:
    return {(app, name) for app, names in migrations.items() for name in names}


def check_known(using: str = "default") -> None:
    """Raise UnknownSchema where this program cannot use the tables. A database that cannot be asked says so itself."""
    try:
        had = applied(using)
    except DatabaseError:
        return
    if newer := unknown(had):
        raise UnknownSchema(
            f"This database was last used by another version of Sic et Non: this one does not know {shortened(newer)}. "
            "Nothing was changed. Start the newer version, or restore a backup that was made before the upgrade; bring "
            "a database from before 0.2.0 up to date with 0.2.0 first."
        )


def check_up_to_date() -> None:
    """Raise UnknownSchema, or Refusal where the database lacks a migration that this program has."""
    check_known()
    had = _pairs(applied("default"))
    graph = MigrationLoader(None).graph
    missing = [f"{app}.{name}" for app, name in graph.leaf_nodes() if (app, name) not in had]
    if missing:
        raise Refusal(
            f"The database has not been brought up to date: {shortened(missing)} is missing. Run python manage.py "
            "migrate first."
        )


def start_only_if_known(status: int = 1) -> None:
    """End this program, with a sentence and `status`, where check_known raises. For the start: it is not quick."""
    try:
        check_known()
    except UnknownSchema as unusable:
        os.write(2, f"{unusable}\n".encode())  # Celery's beat swallows what goes to sys.stderr
        sys.exit(status)
    finally:
        connections.close_all()  # a process that forks must not share one


def shortened(names: list[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0]


def bring_to(migrations: Migrations, using: str) -> Apps:
    """Make an empty database's tables those that `migrations` lead to; the models as they were then."""
    executor = MigrationExecutor(connections[using])
    wanted = _pairs(migrations)
    graph = executor.loader.graph
    last = [
        key
        for key in sorted(wanted & set(graph.nodes))
        if not any(
            child.key in wanted and child.key[0] == key[0] for child in graph.node_map[key].children
        )
    ]
    later = {app for app, _ in executor.loader.applied_migrations} - set(migrations)
    try:
        executor.migrate([*last, *((app, None) for app in sorted(later))])
    except (IrreversibleError, InvalidMigrationPlan) as error:
        raise Refusal(
            "The database's tables are newer than the backup and cannot be taken back. Give an empty database, "
            "without tables."
        ) from error
    return executor.loader.project_state(last).apps


def bring_up_to_date(using: str) -> None:
    call_command("migrate", database=using, interactive=False, verbosity=0)
