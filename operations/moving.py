"""Move to another database: copy all rows, sessions too, in one transaction, and compare them."""

from collections.abc import Callable
from dataclasses import dataclass

from django.apps import apps
from django.db import DatabaseError, IntegrityError, connections, transaction

from leases.planner import learn_sizes
from leases.refusal import Conflict, Refusal
from operations.checksums import Checksum
from operations.databases import DEFAULT, database_at, same_place, snapshot
from operations.exclusive import exclusive_access
from operations.schema_version import (
    applied,
    bring_up_to_date,
    check_up_to_date,
    shortened,
    unknown,
)
from operations.serialization import (
    SerializedTable,
    first_with_rows,
    last_key,
    set_last_key,
    tables,
)


@dataclass(frozen=True)
class Moved:
    """The checksums of a table as it was read and as it was written."""

    table: str
    read: Checksum
    written: Checksum


def move(url: str, report: Callable[[Moved], None]) -> list[Moved]:
    """Copy everything from the current database into the empty one at `url`; calls `report` for each table.

    Raises Refusal; the other database then has no rows. The current one is never written to.
    """
    check_up_to_date()
    with exclusive_access(DEFAULT), database_at(url) as target:
        check_target(target)
        bring_up_to_date(target)
        with transaction.atomic(using=target):
            check_empty(target)
            with snapshot() as source:
                moved = [moved_table(table, source, target, report) for table in of_all()]
            try:
                connections[target].check_constraints()
            except IntegrityError as error:
                raise Refusal(
                    f"Rows here do not fit together ({error}). Nothing was moved."
                ) from error
        for table in of_all():
            set_last_key(target, table, last_key(DEFAULT, table))
        learn_sizes(using=target)
    return moved


def of_all() -> list[SerializedTable]:
    return tables(apps, passing=True)


def moved_table(
    table: SerializedTable, source: str, target: str, report: Callable[[Moved], None]
) -> Moved:
    """Copy one table and read it back. Raises Refusal if it differs."""
    read, written = Checksum(), Checksum()
    try:
        table.write(table.summed(table.rows(source), read), target)
        for _ in table.summed(table.rows(target), written):
            pass
    except DatabaseError as error:
        raise Refusal(
            f"The database there failed at {table.name}: {str(error).strip()}. It holds no row of what was begun; "
            "begin again when it is well."
        ) from error
    if read != written:
        raise Refusal(
            f"{table.name} does not read there as it does here. Nothing was moved. Please report this."
        )
    moved = Moved(table.name, read, written)
    report(moved)
    return moved


def check_target(target: str) -> None:
    if same_place(DEFAULT, target):
        raise Conflict("That is the present database. Name the one to move to.")
    if newer := unknown(applied(target)):
        raise Conflict(
            f"The database there was used by a newer version of Sic et Non, which has {shortened(newer)}. "
            "Name an empty one."
        )
    others = set(connections[target].introspection.table_names())
    ours = {table.model._meta.db_table for table in of_all()} & others
    if others and "django_migrations" not in others:
        raise Conflict("The database there belongs to another program. Name an empty one.")
    if ours:
        check_empty(target, ours)


def check_empty(target: str, existing: set[str] | None = None) -> None:
    of = [t for t in of_all() if existing is None or t.model._meta.db_table in existing]
    if filled := first_with_rows(target, of):
        raise Conflict(
            f"The database there holds rows already (in {filled}). Nothing was moved: name an empty one."
        )
