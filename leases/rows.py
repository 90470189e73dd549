"""The first row of a query, or a refusal."""

from typing import TypeVar

from django.db.models import Model, QuerySet

from leases.refusal import NotFoundHere

Row = TypeVar("Row", bound=Model)


def first_of(rows: QuerySet[Row], missing: str) -> Row:
    """The first of the rows; raises NotFoundHere with this sentence where there is none."""
    row = rows.first()
    if row is None:
        raise NotFoundHere(missing)
    return row
