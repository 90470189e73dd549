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
    if rows:
        keys = _inserted(type(rows[0]), [vars(row) for row in rows])
        for row, pk in zip(rows, keys, strict=True):
            row.pk, row._state.adding, row._state.db = pk, False, connection.alias


def insert_values(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """The same of rows that are not made as objects: their values by column; returns their keys.

    A column that a row lacks has the model's default, one for all. Raises TypeError for one that the model lacks.
    """
    if unknown := set().union(*rows) - {field.attname for field in model._meta.concrete_fields}:
        raise TypeError(f"{model.__name__} has no columns {sorted(unknown)}")
    return _inserted(model, rows) if rows else []


def _inserted(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> list[int]:
    meta = model._meta
    fields = [
        field
        for field in meta.concrete_fields
        if not field.primary_key and not _left_to_database(field, rows)
    ]
    columns = [(field.attname, _prepared(field), _default(field)) for field in fields]
    table, key = meta.db_table, meta.auto_field.column if meta.auto_field else ""
    named = ", ".join(f'"{field.column}"' for field in fields)
    marks = f"({', '.join(['%s'] * len(fields))})"
    step = MOST_VALUES // len(fields)
    keys: list[int] = []
    with connection.cursor() as cursor:
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            all_marks = ", ".join([marks] * len(part))
            cursor.execute(
                f'INSERT INTO "{table}" ({named}) VALUES {all_marks} RETURNING "{key}"',  # noqa: S608 names of the model
                [
                    prepare(row[name]) if name in row else default
                    for row in part
                    for name, prepare, default in columns
                ],
            )
            keys += [pk for (pk,) in cursor.fetchall()]
    # By their order alone is it known which key is whose.
    assert keys == sorted(keys), f"{table}: keys are not in the order of the rows"
    return keys


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


def _left_to_database(field: "Field[Any, Any]", rows: Sequence[Mapping[str, Any]]) -> bool:
    if field.db_default is NOT_PROVIDED:
        return False
    default = field.get_default()
    left = {isinstance(row.get(field.attname, default), DatabaseDefault) for row in rows}
    if len(left) > 1:
        raise ValueError(f"{field.name} is set in some rows only; insert the others on their own")
    return left.pop()


def _default(field: "Field[Any, Any]") -> Any:
    default = field.get_default()
    return default if isinstance(default, DatabaseDefault) else _prepared(field)(default)


def _prepared(field: "Field[Any, Any]") -> Callable[[Any], Any]:
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(target, (*PLAIN, models.AutoField)):
        return lambda value: value
    # Not the proxy, which looks for the thread's connection at each use.
    here = connections[DEFAULT_DB_ALIAS]
    return lambda value: target.get_db_prep_save(value, here)
