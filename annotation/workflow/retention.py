"""Which old saves of a draft are deleted. Pure.

All saves of the last day are kept, and the newest. Of older ones those stay that are the last of an hour or the last
before a pause: they show the draft at about any time and at the end of each session.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

ALL_OF = timedelta(days=1)
PAUSE = timedelta(minutes=30)

Save = tuple[int, datetime]  # its key, and its time in UTC


def to_delete(saves: Sequence[Save], now: datetime) -> list[int]:
    """The keys of the saves to delete, of one draft's saves in the order of time."""
    return [
        key
        for (key, at), (_, next_at) in pairwise(saves)
        if now - at > ALL_OF and next_at - at <= PAUSE and hour_of(at) == hour_of(next_at)
    ]


def hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
