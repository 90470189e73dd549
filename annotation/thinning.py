"""Which saves of an old draft need not be kept. Pure.

All saves of the last day stay. Of older ones stay the last of each hour and the last before each pause: what
somebody would look for is how the draft stood at about some time, and when they laid it down. The newest stays
whatever its age.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

ALL_OF = timedelta(days=1)
PAUSE = timedelta(minutes=30)

Save = tuple[int, datetime]  # its key, and when, in UTC


def superfluous(saves: Sequence[Save], now: datetime) -> list[int]:
    """Of one draft's saves, in the order of time, the keys of those that may go."""
    return [
        key
        for (key, at), (_, next_at) in pairwise(saves)
        if now - at > ALL_OF and next_at - at <= PAUSE and hour_of(at) == hour_of(next_at)
    ]


def hour_of(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)
