"""Claim, renew, settle and sweep leased rows.

Every step is one conditional UPDATE: of two claimants of a row, exactly one updates it.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from leases import bulk
from leases.clock import in_seconds
from leases.models import Leased
from leases.states import StateTable

Row = TypeVar("Row", bound=Leased)

FREE: dict[str, Any] = {"lease_holder": "", "lease_until": None}
ONE_MORE = F("attempts") + 1


def take(
    row: Row | QuerySet[Row],
    table: StateTable,
    verb: str,
    *,
    seconds: float,
    holder: str,
    **fields: Any,
) -> bool:
    """Claim this row; False when another holder was faster or its state does not allow it.

    A queryset is that of one row, with further conditions on it.
    """
    lease = {"lease_holder": holder, "lease_until": in_seconds(seconds), "attempts": ONE_MORE}
    return bool(table.move(row, verb, **lease, **fields))


def claim(
    rows: QuerySet[Row], table: StateTable, verb: str, *, seconds: float, holder: str, **fields: Any
) -> Row | None:
    """Claim the first row of `rows` (in their order) that may make the move; None when there is none.

    It is locked as it is found. Rows that others have locked are skipped, so nobody waits; the conditional UPDATE
    decides. What `rows` joins is read for this row alone: SQLite would join all of them before it sorts.
    """
    free = rows.filter(state__in=table.parsed[verb].sources)
    with transaction.atomic(savepoint=False):
        # SQLite has no row locks; BEGIN has taken its write lock.
        found = free.select_for_update(skip_locked=True, of=("self",)).values("pk")[:1]
        for row in rows.order_by().filter(pk=found):
            if take(row, table, verb, seconds=seconds, holder=holder, **fields):
                return row
    return None


def claim_many(
    rows: QuerySet[Row],
    table: StateTable,
    verb: str,
    *,
    most: int,
    seconds: float,
    holder: str,
    columns: tuple[str, ...],
    **fields: Any,
) -> list[tuple[Any, ...]]:
    """Claim the first `most` of `rows` that may make the move; the columns of each as they were, its key first.

    `fields` are set in the same UPDATE.
    """
    free = rows.filter(state__in=table.parsed[verb].sources)
    with transaction.atomic(savepoint=False):
        chosen = free.select_for_update(skip_locked=True).values_list("pk", *columns)
        taken = list(chosen[:most])
        claimed = rows.model._default_manager.filter(pk__in=[pk for pk, *_ in taken])
        lease = {"lease_holder": holder, "lease_until": in_seconds(seconds)}
        if taken:
            table.move(claimed, verb, **lease, attempts=ONE_MORE, **fields)
    return taken


def renew(row: Leased, *, seconds: float, holder: str, **fields: Any) -> bool:
    """Extend the lease if `holder` still has it; False when it was swept or claimed by another."""
    return bool(_held(row, holder).update(lease_until=in_seconds(seconds), **fields))


def settle(row: Leased, table: StateTable, verb: str, *, holder: str, **fields: Any) -> bool:
    """Make a move as the lease's holder and release the lease; False when the lease is no longer held."""
    moved = table.move(_held(row, holder), verb, **{**FREE, **fields})
    if moved:
        row.refresh_from_db()
    return bool(moved)


def _held(row: Leased, holder: str) -> QuerySet[Any]:
    """The row, if this holder still has it."""
    return type(row)._default_manager.filter(pk=row.pk, lease_holder=holder)


def settle_each(
    model: type[Row],
    table: StateTable,
    verb: str,
    rows: Mapping[int, Mapping[str, Any]],
    *,
    holder: str,
) -> set[int]:
    """Make the move on rows by their keys, each with values of its own, and release their leases.

    Returns the keys of those that moved; the others' leases are no longer held.
    """
    move = table.parsed[verb]
    values = {pk: {"state": move.target, **FREE, **fields} for pk, fields in rows.items()}
    return bulk.update(model, values, {"state": move.sources, "lease_holder": [holder]})


def sweep(rows: QuerySet[Any], table: StateTable, verb: str, **fields: Any) -> int:
    """Make the move on every row whose lease has expired; returns how many."""
    expired = rows.filter(lease_until__lt=Now())
    return table.move(expired, verb, **{**FREE, **fields})
