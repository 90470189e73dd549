"""The database's clock. Leases keep to it, whatever the clocks of web servers and workers say."""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.functions import Now


def in_seconds(seconds: float) -> ExpressionWrapper:
    """An expression for `seconds` from now by the database's clock."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def now() -> datetime:
    """The database's present time, aware, in UTC."""
    expression = (
        "STATEMENT_TIMESTAMP()"
        if connection.vendor == "postgresql"
        else "STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW')"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {expression}")
        (value,) = cursor.fetchone()
    if isinstance(value, str):
        from datetime import UTC

        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    return value
