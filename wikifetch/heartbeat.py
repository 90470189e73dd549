"""Holding a fetch's lease while it waits or reads, and noticing that it was lost."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from leases.claim import renew
from wikifetch.models import FetchRun

LEASE_SECONDS = 120
BEAT_SECONDS = 20.0

T = TypeVar("T")


class LeaseLost(Exception):
    """The run was cancelled, or swept and given to another worker."""


class Heartbeat:
    """The lease of one run, for its holder."""

    def __init__(
        self, run: FetchRun, holder: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._run, self._holder, self._monotonic = run, holder, monotonic
        self._last = monotonic()

    def renew(self) -> None:
        """Renew it; raises LeaseLost when it is no longer held: another worker may be asking now."""
        if not renew(self._run, seconds=LEASE_SECONDS, holder=self._holder):
            raise LeaseLost
        self._last = self._monotonic()

    def along(self, items: Iterable[T]) -> Iterator[T]:
        """The items; before one, the lease is renewed where BEAT_SECONDS have passed."""
        for item in items:
            if self._monotonic() - self._last >= BEAT_SECONDS:
                self.renew()
            yield item
