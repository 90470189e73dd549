"""The pause that a server asks for. Pure."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(header: str | None, now: datetime, their_date: str | None = None) -> float | None:
    """Seconds that a Retry-After header asks for: an integer, a fraction or an HTTP date; None if neither.

    A date is counted from the Date of the same answer, where there is one: the clock here may be wrong.
    """
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text):
        return float(text)
    if (until := _http_date(text)) is None:
        return None
    return max(0.0, (until - (_http_date(their_date) or now)).total_seconds())


def _http_date(header: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(header or "")
    except (ValueError, OverflowError):  # the second for numbers that no date has
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
