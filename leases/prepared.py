"""Statements that Django builds once, for pages that are asked for all day.

Building a query and writing its SQL takes Django ten times as long as the database takes to answer it. Here both
happen once in a process, for the connections of all its threads, and then only the values are sent.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from copy import copy
from functools import partial
from threading import local
from typing import Any, Generic, TypeAlias, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.expressions import DatabaseDefault
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import mark_for_rollback_on_error

Row = TypeVar("Row")
Saved = TypeVar("Saved", bound=Model)
Built = TypeVar("Built")
Kind: TypeAlias = "type[int] | type[str] | Field[Any, Any]"

# In place of the values while a query is built; no key is as high, and no text is the same.
NUMBER, TEXT = 8_000_000_000_000_000_000, "a value that is given later: "
# So many forms of one statement are kept.
MOST_FORMS = 100


class Given(Expression):
    """Is in place of a value of a field while a statement is built; of use in an expression of a PreparedUpdate too."""

    def __init__(self, name: str, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(self, *_: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (self,)


class _Statement:
    """SQL, and what sends its parameters."""

    def __init__(self, sql: str, params: Iterable[Any], given: Mapping[str, Any]) -> None:
        self.sql = sql
        names = {value: name for name, value in given.items() if not isinstance(value, Given)}
        # (name or None, the parameter as it is, or what makes one of a value)
        self._params = [
            (p.name, _prepared_by(p.output_field))
            if isinstance(p, Given)
            else (names[p], type(p))
            if p in names
            else (None, p)
            for p in params
        ]
        assert {name for name, _ in self._params} >= {*given}, "a value is not used"

    def params(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(what if name is None else what(values[name]) for name, what in self._params)


def _prepared_by(field: "Field[Any, Any]") -> Callable[[Any], Any]:
    def prepared(value: Any) -> Any:
        if hasattr(value, "prepare_database_save"):
            value = value.prepare_database_save(field)
        # Not the proxy, which looks for the thread's connection at each use.
        return field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])

    return prepared


class _OnceBuilt(Generic[Row]):
    """What is built of the queryset that `make` returns, for any values of its keywords.

    `kinds` says which keyword is a whole number (int), text (str) or a value of a field. `make` is called once
    in a process, so nothing but these values may decide what it returns; all of them must be in the queryset. For a
    number that no key has, being 2**63 or more, there are no rows.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, Row]], **kinds: Kind) -> None:
        self._make = make
        self._stand_ins: dict[str, Any] = {
            name: Given(name, kind)
            if isinstance(kind, Field)
            else NUMBER + at
            if kind is int
            else f"{TEXT}{name}"
            for at, (name, kind) in enumerate(kinds.items())
        }

    def _built(
        self, build: Callable[..., Built], values: Mapping[str, Any], *form: Hashable
    ) -> Built | None:
        """What `build` makes in this form; None for values that no row has."""
        if any(isinstance(value, int) and value >= 2**63 for value in values.values()):
            return None
        return _kept(
            self, form, lambda: build(self._make(**self._stand_ins), self._stand_ins, *form)
        )


# What was built for a kind of database, by what it was built of; in each form that was asked for.
BUILT: dict[tuple[str, Hashable], dict[Hashable, Any]] = {}


def _kept(what: Hashable, form: Hashable, build: Callable[[], Built]) -> Built:
    """What was built of this in this form; two threads that ask first at the same time each build it."""
    forms = BUILT.setdefault((connection.vendor, what), {})
    built: Built | None = forms.get(form)
    if built is None:
        if len(forms) >= MOST_FORMS:
            forms.clear()
        built = forms[form] = build()
    return built


class Prepared(_OnceBuilt[Row]):
    """The rows of a queryset; _OnceBuilt says of which."""

    def __call__(self, **values: Any) -> list[Row]:
        built = self._built(_Rows, values)
        return built.read(values) if built else []


class PreparedUpdate(_OnceBuilt[Any]):
    """An UPDATE of the rows of a queryset, of which _OnceBuilt says more; returns how many it changed.

    It is built once for each set of columns. An expression among their values is a part of what is built.
    """

    def __call__(self, columns: Mapping[str, Any], **values: Any) -> int:
        form = tuple(
            (name, value if _is_expression(value) else None) for name, value in columns.items()
        )
        built = self._built(_Update, values, form)
        return built.write(columns, values) if built else 0


def insert(row: Saved) -> Saved:
    """Store a new row as its save() does, without signals; the INSERT is built once for each model. Returns the row.

    The rows that it points at are stored already. An expression among its values is a part of what is built.
    """
    assert row.pk is None or row._meta.auto_field is None, "The database chooses the key."
    form = tuple(
        (name, DatabaseDefault if isinstance(value, DatabaseDefault) else value)
        for name, value in vars(row).items()
        if _is_expression(value)
    )
    _kept(type(row), form, lambda: _Insert(row)).write(row)
    return row


def _is_expression(value: Any) -> bool:
    return hasattr(value, "resolve_expression")


class _Rows:
    """A queryset with its SQL."""

    def __init__(self, rows: QuerySet[Any, Any], given: Mapping[str, Any]) -> None:
        self._rows, self._here = rows, local()
        compiler: SQLCompiler = rows.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        self._statement = _Statement(sql, params, given)
        columns = [column for column, *_ in compiler.select or ()]
        converters = compiler.get_converters(columns)
        self._converted = partial(compiler.apply_converters, converters=converters)
        # Django asks the query for its compiler, and lets that execute its SQL and give the rows that it found.
        rows.query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        compiler.execute_sql = lambda *_, **__: None  # type: ignore[method-assign,assignment]
        compiler.results_iter = self._results  # type: ignore[method-assign,assignment]

    def read(self, values: Mapping[str, Any]) -> list[Any]:
        locks = self._rows.query.select_for_update
        assert connection.in_atomic_block or not locks, "Rows are locked in a transaction."
        with connection.cursor() as cursor:
            cursor.execute(self._statement.sql, self._statement.params(values))
            self._here.found = cursor.fetchall()
        is_there = bool(self._here.found)
        return list(self._rows._iterable_class(self._rows)) if is_there else []  # type: ignore[call-overload]

    def _results(self, *_: Any, tuple_expected: bool = False, **__: Any) -> Iterable[Any]:
        found, self._here.found = self._here.found, []  # no texts are kept
        converted = self._converted(found)
        return map(tuple, converted) if tuple_expected else converted


class _Insert:
    """An INSERT of one row with its SQL; with the expressions of the `first` one."""

    def __init__(self, first: Model) -> None:
        columns = first._meta
        fields = [each for each in columns.local_concrete_fields if each is not columns.auto_field]
        given = [each for each in fields if not _is_expression(vars(first)[each.attname])]
        row = copy(first)
        stand_ins = {each.attname: Given(each.attname, each) for each in given}
        vars(row).update(stand_ins)
        query = InsertQuery(type(first))
        query.insert_values(fields, [row])
        compiler = query.get_compiler(connection=connection)
        self._returned = compiler.returning_fields = columns.db_returning_fields
        [(sql, params)] = compiler.as_sql()
        self._statement = _Statement(sql, params, stand_ins)
        read = [each.get_col(columns.db_table) for each in self._returned]
        self._converted = partial(
            compiler.apply_converters, converters=compiler.get_converters(read)
        )
        self._params = compiler.returning_params

    def write(self, row: Model) -> None:
        with mark_for_rollback_on_error(DEFAULT_DB_ALIAS), connection.cursor() as cursor:
            cursor.execute(self._statement.sql, self._statement.params(vars(row)))
            ops: Any = connection.ops
            returned = ops.fetch_returned_insert_columns(cursor, self._params)
            [values] = self._converted([returned])
        for field, value in zip(self._returned, values, strict=True):
            setattr(row, field.attname, value)
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


class _Update:
    """An UPDATE with its SQL; `form` has the expression of each column, None for a value."""

    def __init__(
        self,
        rows: QuerySet[Any, Any],
        given: Mapping[str, Any],
        form: tuple[tuple[str, Any], ...],
    ) -> None:
        field = rows.model._meta.get_field
        set_to = {
            name: Given(self._of_column(name), field(name)) if expression is None else expression
            for name, expression in form
        }
        query: Any = rows.query.chain(UpdateQuery)
        query.add_update_values(set_to)
        query.clear_ordering(force=True)
        sql, params = query.get_compiler(connection=connection).as_sql()
        self._statement = _Statement(sql, params, given)

    def write(self, columns: Mapping[str, Any], values: Mapping[str, Any]) -> int:
        new = {self._of_column(name): value for name, value in columns.items()}
        with mark_for_rollback_on_error(DEFAULT_DB_ALIAS), connection.cursor() as cursor:
            cursor.execute(self._statement.sql, self._statement.params({**values, **new}))
            return cursor.rowcount

    @staticmethod
    def _of_column(name: str) -> str:
        """No keyword has a blank."""
        return f"new {name}"
