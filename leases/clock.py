"""The database's clock. Leases use it because the clocks of web servers and workers may differ."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.db import connection
from django.db.models import DateTimeField, ExpressionWrapper, TextField
from django.db.models.functions import Cast, Now, Substr


@lru_cache
def in_seconds(seconds: float) -> ExpressionWrapper:
    """An expression for `seconds` from now by the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def day_of(moment: str) -> Substr:
    """An expression for the UTC day of a column, as ISO text. For TruncDate SQLite calls Python at each row."""
    return Substr(Cast(moment, TextField()), 1, 10)


def now() -> datetime:
    """The database's current time, timezone-aware, in UTC."""
    expression = (
        "STATEMENT_TIMESTAMP()"
        if connection.vendor == "postgresql"
        else "STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW')"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {expression}")
        (value,) = cursor.fetchone()
    if isinstance(value, str):
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    return value
