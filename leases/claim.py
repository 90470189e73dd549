"""Claim, renew, settle and sweep leased rows.

Every step is one conditional UPDATE: of two claimants of a row, exactly one updates it.
"""

import uuid
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from leases.clock import in_seconds
from leases.models import Leased
from leases.states import StateTable

Row = TypeVar("Row", bound=Leased)

FREE: dict[str, Any] = {"lease_holder": "", "lease_until": None}


def new_holder(prefix: str) -> str:
    """A holder's name that no other claim has, e.g. 'worker:4f2a…'."""
    return f"{prefix}:{uuid.uuid4().hex[:20]}"


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
    lease = {
        "lease_holder": holder,
        "lease_until": in_seconds(seconds),
        "attempts": F("attempts") + 1,
    }
    return bool(table.move(row, verb, **lease, **fields))


def claim(
    rows: QuerySet[Row], table: StateTable, verb: str, *, seconds: float, holder: str, **fields: Any
) -> Row | None:
    """Claim the first row of `rows` (in their order) that may make the move; None when there is none.

    It is locked as it is read. Rows that others have locked are skipped, so nobody waits; the conditional UPDATE
    decides.
    """
    free = rows.filter(state__in=table.parsed()[verb].sources)
    with transaction.atomic(savepoint=False):
        # SQLite has no row locks; BEGIN has taken its write lock.
        chosen = free.select_for_update(skip_locked=True, of=("self",))[:1]
        for row in chosen:
            if take(row, table, verb, seconds=seconds, holder=holder, **fields):
                return row
    return None


def renew(row: Leased, *, seconds: float, holder: str, **fields: Any) -> bool:
    """Extend the lease if `holder` still has it; False when it was swept or claimed by another."""
    held = type(row)._default_manager.filter(pk=row.pk, lease_holder=holder)
    return bool(held.update(lease_until=in_seconds(seconds), **fields))


def settle(row: Leased, table: StateTable, verb: str, *, holder: str, **fields: Any) -> bool:
    """Make a move as the lease's holder and release the lease; False when the lease is no longer held."""
    held = type(row)._default_manager.filter(pk=row.pk, lease_holder=holder)
    moved = table.move(held, verb, **{**FREE, **fields})
    if moved:
        row.refresh_from_db()
    return bool(moved)


def sweep(rows: QuerySet[Any], table: StateTable, verb: str, **fields: Any) -> int:
    """Make the move on every row whose lease has expired; returns how many."""
    expired = rows.filter(lease_until__lt=Now())
    return table.move(expired, verb, **{**FREE, **fields})
