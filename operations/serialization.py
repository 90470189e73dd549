"""All rows of all rooms as plain values, table by table: what a backup holds, and what a restore or a move writes.

A row is a list of values that JSON knows, in the order of its table's columns, the same from every database. Keys
between rows are checked when the transaction ends, so that tables may be written in any order and rows may point
at each other.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import islice
from typing import Any

from django.apps.registry import Apps
from django.core.exceptions import ValidationError
from django.db import DataError, InterfaceError, ProgrammingError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, ForeignKey, JSONField, Model, QuerySet

from leases.refusal import Refusal
from operations.checksums import Checksum

BATCH = 1_000
Row = list[Any]

# Tables, or apps with all of their tables, that no backup contains, and why.
LEFT_OUT = {
    "contenttypes": "written by migrate; no row of ours refers to one",
    "auth": "Django's own permissions and groups, written by migrate; ours are role grants",
    "sessions": "Django's own table of sessions; ours is in accounts",
}
# Only about this moment: moved with everything else, but in no backup.
PASSING = {
    "accounts.session": "a sign-out after the backup must hold after the restore: everyone signs in again",
    "accounts.apitoken": "a token that was revoked after the backup stays so: people make new ones",
    "accounts.keptanswer": "what was done in the last day",
    "accounts.allowance": "what was done too often in the last hour",
    "operations.heartbeat": "what runs now",
    "generation.servicestatus": "whose turn it is now, and which services are paused",
}

AS_THEY_ARE = {
    "AutoField", "BigAutoField", "BigIntegerField", "BooleanField", "CharField", "FloatField", "IntegerField",
    "JSONField", "PositiveBigIntegerField", "PositiveIntegerField", "PositiveSmallIntegerField", "SlugField",
    "SmallIntegerField", "TextField", "URLField",
}  # fmt: skip
WRITTEN_OUT: dict[str, Callable[[Any], str]] = {
    "BinaryField": lambda value: b64encode(value).decode("ascii"),
    "DateField": date.isoformat,
    "DateTimeField": datetime.isoformat,
    "UUIDField": str,
}


# What a value of another kind than its column's raises; and what the database raises for one that it does not take.
WRONG_KIND = (
    ArithmeticError,
    AttributeError,
    RecursionError,
    TypeError,
    ValueError,
    ValidationError,
)
NOT_TAKEN = (*WRONG_KIND, DataError, InterfaceError, ProgrammingError)


class RowsRefused(Refusal):
    """A database did not take the rows; nothing of them stays."""


def kind_of(field: Field) -> str:
    """The internal type of a column, of a key that of the row it points at. Raises TypeError for a new one."""
    kind = (
        kind_of(field.target_field) if isinstance(field, ForeignKey) else field.get_internal_type()
    )
    if kind not in AS_THEY_ARE and kind not in WRITTEN_OUT:
        raise TypeError(f"{field}: say in operations/serialization.py how a {kind} is written out.")
    return kind


@dataclass(frozen=True)
class SerializedTable:
    """One model's rows; `order` names its columns where they should not come as the model has them."""

    model: type[Model]
    order: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.model._meta.label_lower

    @cached_property
    def fields(self) -> list[Field]:
        fields = {field.attname: field for field in self.model._meta.concrete_fields}
        return [fields[name] for name in self.order or fields]

    @cached_property
    def columns(self) -> list[str]:
        return [field.attname for field in self.fields]

    @cached_property
    def _converted(self) -> list[tuple[int, Callable[[Any], str]]]:
        kinds = enumerate(map(kind_of, self.fields))
        return [(n, WRITTEN_OUT[kind]) for n, kind in kinds if kind in WRITTEN_OUT]

    @cached_property
    def has_json(self) -> bool:
        return any(isinstance(field, JSONField) for field in self.fields)

    @property
    def counts_keys(self) -> bool:
        """Whether the database numbers the rows."""
        return self.model._meta.pk.get_internal_type() in ("AutoField", "BigAutoField")

    def rows(self, using: str, some: QuerySet[Any] | None = None) -> Iterator[Row]:
        """Every row, or `some`, in the order of the keys, a batch in memory at a time."""
        rows = self.model._base_manager.using(using) if some is None else some
        for values in rows.order_by("pk").values_list(*self.columns).iterator(chunk_size=BATCH):
            row = list(values)
            for n, written in self._converted:
                if row[n] is not None:
                    row[n] = written(row[n])
            yield row

    def write(self, rows: Iterable[Row], using: str) -> None:
        """Insert the rows as they are. Raises RowsRefused naming the first that is not taken."""
        connection = connections[using]
        quote = connection.ops.quote_name
        columns = ", ".join(quote(str(field.column)) for field in self.fields)
        places = ", ".join(["%s"] * len(self.fields))
        # Names of tables and columns are the models' own.
        insert = f"INSERT INTO {quote(self.model._meta.db_table)} ({columns}) VALUES ({places})"  # noqa: S608
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH)):
            self._insert(insert, batch, connection)

    def _insert(self, insert: str, batch: list[Row], connection: BaseDatabaseWrapper) -> None:
        try:
            values = [
                [prepared(*pair, connection) for pair in zip(self.fields, row, strict=True)]
                for row in batch
            ]
            with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
                cursor.executemany(insert, values)
        except NOT_TAKEN as error:
            if len(batch) > 1:  # one of them: find it, so that a person can look at it
                for row in batch:
                    self._insert(insert, [row], connection)
            key = batch[0][self.columns.index(self.model._meta.pk.attname)]
            raise RowsRefused(
                f"{self.name} {key} is not taken by {connection.display_name}: {reason_of(error)}. "
                "Nothing was written. Correct that row where it comes from, and begin again."
            ) from error

    def summed(self, rows: Iterable[Row], total: Checksum) -> Iterator[Row]:
        """The rows as they pass, added to `total`."""
        for row in rows:
            total.add(row, nested=self.has_json)
            yield row


def prepared(field: Field, value: Any, connection: BaseDatabaseWrapper) -> Any:
    """A plain value as the parameter of an INSERT."""
    if isinstance(field, JSONField) and not field.null:
        # None is JSON's null, not the absence of it.
        return field.get_db_prep_value(value, connection)
    return field.get_db_prep_save(field.to_python(value), connection)


def reason_of(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return " ".join(error.messages).rstrip(".")
    return " ".join(str(error).split()).rstrip(".")


def tables(apps: Apps, *, passing: bool = False) -> list[SerializedTable]:
    """All tables, those of lower rooms first, with the tables of many-to-many relations.

    With `passing` also those that no backup contains.
    """
    left_out = set(LEFT_OUT) | (set() if passing else set(PASSING))
    models = apps.get_models(include_auto_created=True)
    return [
        SerializedTable(model)
        for model in models
        if not {model._meta.app_label, model._meta.label_lower} & left_out
    ]


def sums(using: str, of: Iterable[SerializedTable]) -> dict[str, Checksum]:
    checksums = {}
    for table in of:
        checksum = checksums[table.name] = Checksum()
        for _ in table.summed(table.rows(using), checksum):
            pass
    return checksums


def first_with_rows(using: str, of: Iterable[SerializedTable]) -> str:
    """The name of a table that has rows, "" where none has any."""
    return next((table.name for table in of if table.model._base_manager.using(using).exists()), "")


def last_key(using: str, table: SerializedTable) -> int:
    """The highest key ever used, even by a deleted row; 0 if the database does not number the rows."""
    if not table.counts_keys:
        return 0
    connection, name = connections[using], table.model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = [connection.ops.quote_name(name), table.model._meta.pk.column]
            cursor.execute(
                "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass)", sequence
            )
        else:
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [name])
        row = cursor.fetchone()
    return int(row[0] or 0) if row else 0


def set_last_key(using: str, table: SerializedTable, key: int) -> None:
    """Let new rows take keys above `key`."""
    if not table.counts_keys or not key:
        return
    connection, name = connections[using], table.model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            named = [connection.ops.quote_name(name), table.model._meta.pk.column, key]
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s)", named)
        else:  # SQLite notes a table here at its first row
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [name])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [name, key])


def as_line(row: Row) -> bytes:
    """A row as a line of JSON. In ASCII: a lone surrogate, which JSON text may hold, has no other form."""
    return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"
