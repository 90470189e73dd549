"""The pause that a server asks for. Pure."""

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(header: str | None, now: datetime, their_date: str | None = None) -> float | None:
    """Seconds that a Retry-After header asks for: an integer, a fraction or an HTTP date; None if neither.

    A date is counted from the Date of the same answer, where there is one: the clock here may be wrong.
    """
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        if (until := _http_date(header)) is None:
            return None
        seconds = (until - (_http_date(their_date) or now)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _http_date(header: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(header or "")
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
