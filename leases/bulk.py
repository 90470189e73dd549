"""Insert or change many rows in few statements.

Django's bulk_create and bulk_update prepare each value by itself, in a fifth to a tenth of this speed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, models
from django.db.models import NOT_PROVIDED, Field, Model
from django.db.models.expressions import DatabaseDefault

# Below what a statement may have on SQLite since 3.32, and on PostgreSQL.
MOST_VALUES = 30_000
# Their values go to either database as they are.
PLAIN = (models.TextField, models.CharField, models.IntegerField, models.BooleanField)


def insert(rows: Sequence[Model]) -> None:
    """Insert new rows of one model, whose keys the database numbers, and set them. For use in a transaction.

    Related rows are stored already. Raises ValueError if the database is to fill in a column of some rows only.
    """
    if not rows:
        return
    meta = type(rows[0])._meta
    _check_same_columns(rows)
    fields = [
        field
        for field in meta.concrete_fields
        if not field.primary_key
        and not isinstance(getattr(rows[0], field.attname), DatabaseDefault)
    ]
    columns = [(field.attname, _prepared(field)) for field in fields]
    table, key = meta.db_table, meta.auto_field.column if meta.auto_field else ""
    named = ", ".join(f'"{field.column}"' for field in fields)
    marks = f"({', '.join(['%s'] * len(fields))})"
    step = MOST_VALUES // len(fields)
    with connection.cursor() as cursor:
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            all_marks = ", ".join([marks] * len(part))
            cursor.execute(
                f'INSERT INTO "{table}" ({named}) VALUES {all_marks} RETURNING "{key}"',  # noqa: S608 names of the model
                [prepared(getattr(row, name)) for row in part for name, prepared in columns],
            )
            keys = [pk for (pk,) in cursor.fetchall()]
            # By their order alone is it known which key is whose.
            assert keys == sorted(keys), f"{table}: keys are not in the order of the rows"
            for row, pk in zip(part, keys, strict=True):
                row.pk, row._state.adding, row._state.db = pk, False, connection.alias


def update(
    model: type[Model], rows: Mapping[int, Mapping[str, Any]], where: Mapping[str, Sequence[Any]]
) -> set[int]:
    """Set each row's own values by its key, where its columns have one of the values in `where`; the keys of those.

    All rows name the same columns, and are few enough for one statement.
    """
    if not rows:
        return set()
    names = list(next(iter(rows.values())))
    fields = [model._meta.get_field(name) for name in names]
    prepared = [(name, _prepared(field)) for name, field in zip(names, fields, strict=True)]  # type: ignore[arg-type]
    sets = ", ".join(
        f'"{field.column}" = {_typed(field, place)}'  # type: ignore[union-attr]
        for place, field in enumerate(fields, start=2)
    )
    marks = ", ".join([f"({', '.join(['%s'] * (len(fields) + 1))})"] * len(rows))
    table, key = model._meta.db_table, model._meta.pk.column
    only = "".join(
        f' AND "{table}"."{column}" IN ({", ".join(["%s"] * len(values))})'
        for column, values in where.items()
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f'UPDATE "{table}" SET {sets} FROM (VALUES {marks}) AS given '  # noqa: S608 names of the model
            f'WHERE "{table}"."{key}" = given.column1{only} RETURNING "{table}"."{key}"',
            [
                value
                for pk, row in rows.items()
                for value in (pk, *(prepare(row[name]) for name, prepare in prepared))
            ]
            + [value for values in where.values() for value in values],
        )
        return {pk for (pk,) in cursor.fetchall()}


def _typed(field: Any, place: int) -> str:
    """A column of VALUES as the field's type: PostgreSQL takes NULLs and quoted values for text, SQLite keeps them."""
    if connection.vendor != "postgresql":
        return f"given.column{place}"
    return f"CAST(given.column{place} AS {field.db_type(connection)})"


def _check_same_columns(rows: Sequence[Model]) -> None:
    for field in rows[0]._meta.concrete_fields:
        if field.db_default is NOT_PROVIDED:
            continue
        if len({isinstance(getattr(row, field.attname), DatabaseDefault) for row in rows}) > 1:
            raise ValueError(
                f"{field.name} is set in some rows only; insert the others on their own"
            )


def _prepared(field: "Field[Any, Any]") -> Callable[[Any], Any]:
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(target, (*PLAIN, models.AutoField)):
        return lambda value: value
    # Not the proxy, which looks for the thread's connection at each use.
    here = connections[DEFAULT_DB_ALIAS]
    return lambda value: target.get_db_prep_save(value, here)
