"""Queries that Django builds once, for pages that are asked for all day.

Building a query and writing its SQL takes Django ten times as long as the database takes to answer it. Here both
happen once for each connection, and then only the values are sent.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet
from django.db.models.sql.compiler import SQLCompiler

Row = TypeVar("Row")

# Stand for the values while a query is built; no key is as high, and no text is the same.
NUMBER, TEXT = 8_000_000_000_000_000_000, "a value that is given later: "


class Prepared(Generic[Row]):
    """The rows of the queryset that `make` returns, for any values of its keywords.

    `kinds` says which keyword is a whole number (int) or text (str). `make` is called once for each connection, so
    nothing but these values may decide what it returns; all of them must be in the queryset. For a number that no key
    has, being 2**63 or more, there are no rows.
    """

    def __init__(
        self, make: Callable[..., QuerySet[Any, Row]], **kinds: type[int] | type[str]
    ) -> None:
        self._make = make
        self._kinds = kinds

    def __call__(self, **values: int | str) -> list[Row]:
        if any(isinstance(value, int) and value >= 2**63 for value in values.values()):
            return []
        connection = connections[DEFAULT_DB_ALIAS]
        kept: dict[Prepared[Any], _Compiled] = vars(connection).setdefault("prepared", {})
        compiled = kept.get(self)
        if compiled is None:
            compiled = kept[self] = self._compiled(connection)
        return compiled.rows(values)

    def _compiled(self, connection: BaseDatabaseWrapper) -> "_Compiled":
        stand_ins: dict[str, Any] = {
            name: NUMBER + at if kind is int else f"{TEXT}{name}"
            for at, (name, kind) in enumerate(self._kinds.items())
        }
        names = {value: name for name, value in stand_ins.items()}
        return _Compiled(self._make(**stand_ins), names, connection)


class _Compiled:
    """A queryset with its SQL, for one connection."""

    def __init__(
        self, rows: QuerySet[Any, Any], names: dict[Any, str], connection: BaseDatabaseWrapper
    ) -> None:
        self._rows = rows
        self._compiler: SQLCompiler = rows.query.get_compiler(connection=connection)
        self._sql, params = self._compiler.as_sql()
        # (keyword or None, the parameter as it is, or its type)
        self._params = [(names[p], type(p)) if p in names else (None, p) for p in params]
        assert {name for name, _ in self._params} >= {*names.values()}, "a value is not used"
        columns = [column for column, *_ in self._compiler.select or ()]
        converters = self._compiler.get_converters(columns)
        self._compiler.get_converters = lambda _: converters
        # Django asks the query for its compiler, and that for its SQL.
        rows.query.get_compiler = lambda *_, **__: self._compiler  # type: ignore[method-assign]

    def rows(self, values: dict[str, Any]) -> list[Any]:
        params = tuple(what if name is None else what(values[name]) for name, what in self._params)
        self._compiler.as_sql = lambda *_, **__: (self._sql, params)  # type: ignore[method-assign,assignment]
        return list(self._rows._iterable_class(self._rows))  # type: ignore[call-overload]
