"""Numbers with the noun that they count. Pure."""

from math import ceil


def how_many(n: int, one: str, many: str = "") -> str:
    """`1 response`, `2 responses`; `many` is the plural where it is not `one` and an s."""
    return f"{n} {one if n == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A time in words, rounded up: `40 seconds`, `12 minutes`, `31 hours`, `4 days`."""
    for size, most, unit in ((1, 120, "second"), (60, 120, "minute"), (3600, 72, "hour")):
        if seconds <= size * most:
            return how_many(max(1, ceil(seconds / size)), unit)
    return how_many(ceil(seconds / 86400), "day")


def counted_to(n: int, is_more: bool) -> str:
    """`200`, or `over 200` where there are more than were counted."""
    return f"over {n}" if is_more else str(n)
