"""Reads of many columns or conditions that an annotator's page or save asks for: Django writes their SQL once.

Writing that SQL takes Django several times as long as the database takes to answer it (decision 0029).
"""

from collections.abc import Callable
from functools import cached_property
from threading import local
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import QuerySet

Row = TypeVar("Row")
# In place of the keys while the SQL is written; no key is as high.
STAND_IN = 8_000_000_000_000_000_000


class Prepared(Generic[Row]):
    """The rows of the queryset that `make` returns for keys of these names, read anew by each call.

    `make` is called once in a process, so nothing but the keys may decide what it returns; all must be in the query.
    For a number that no key has, being 2**63 or more, there are no rows.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Row]], *names: str) -> None:
        self._make, self._names = make, names
        self._asked = local()  # the keys of this thread's call

    def __call__(self, **keys: int) -> list[Row]:
        if max(keys.values()) >= 2**63:
            return []
        rows = self._rows
        locks = rows.query.select_for_update
        assert connection.in_atomic_block or not locks, "Rows are locked in a transaction."
        self._asked.keys = keys
        return list(rows.all())

    @cached_property
    def _rows(self) -> QuerySet[Any, Row]:
        """The queryset, with a compiler that only sends the SQL and the keys."""
        names = {STAND_IN + at: name for at, name in enumerate(self._names)}
        rows = self._make(**{name: key for key, name in names.items()})
        compiler = rows.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        assert {*names} <= {*params}, "A key is not used."

        def found(*_: Any, **__: Any) -> list[list[tuple[Any, ...]]]:
            keys = self._asked.keys
            with connection.cursor() as cursor:
                cursor.execute(sql, [keys[names[p]] if p in names else p for p in params])
                return [cursor.fetchall()]

        compiler.execute_sql = found
        rows.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        return rows
