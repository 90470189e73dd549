"""Holding a fetch's lease while it waits or reads, and noticing that it was lost."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from django.db.models import F
from django.db.models.expressions import CombinedExpression

from leases.claim import renew
from wikifetch.models import FetchRun
from wikifetch.source.manners import WikiTraffic

LEASE_SECONDS = 120
BEAT_SECONDS = 20.0

T = TypeVar("T")


class FetchLeaseLost(Exception):
    """The run was cancelled, or swept and given to another worker."""


class FetchHeartbeat:
    """The lease of one run, for its holder."""

    def __init__(
        self, run: FetchRun, holder: str, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._run, self._holder, self._monotonic = run, holder, monotonic
        self._last = monotonic()
        self.traffic = WikiTraffic()

    def renew(self) -> None:
        """Renew it; raises FetchLeaseLost when it is no longer held: another worker may be asking now."""
        counts = self._counts()
        if not renew(self._run, seconds=LEASE_SECONDS, holder=self._holder, **counts):
            raise FetchLeaseLost
        self._last = self._monotonic()

    def end(self) -> None:
        """Store what was not counted yet, however the work has ended."""
        if counts := self._counts():
            FetchRun.objects.filter(pk=self._run.pk).update(**counts)

    def _counts(self) -> dict[str, CombinedExpression]:
        """The columns that the traffic since the last call adds to."""
        new, self.traffic.requests, self.traffic.received = replace(self.traffic), 0, 0
        counts = {"requests": new.requests, "received_bytes": new.received}
        return {name: F(name) + count for name, count in counts.items() if count}

    def along(self, items: Iterable[T]) -> Iterator[T]:
        """The items; before one, the lease is renewed where BEAT_SECONDS have passed."""
        for item in items:
            if self._monotonic() - self._last >= BEAT_SECONDS:
                self.renew()
            yield item
