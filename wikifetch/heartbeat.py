"""Holding a fetch's lease while it waits or reads, and noticing that it was lost."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from leases.claim import renew
from wikifetch.manners import Clock
from wikifetch.models import FetchRun

LEASE_SECONDS = 120
BEAT_SECONDS = 20.0
# A look at the row holds for so long: as with a request that is under way, nothing is called back within it. At any
# usual pace there is a look before each request.
LOOK_SECONDS = 0.05

T = TypeVar("T")


class LeaseLost(Exception):
    """The run was cancelled, or swept and given to another worker."""


class Heartbeat:
    """Renews the lease of one run, at most every BEAT_SECONDS; raises LeaseLost when it is no longer held."""

    def __init__(
        self,
        run: FetchRun,
        holder: str,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        aside: Callable[[], Callable[[], None] | None] = lambda: None,
    ) -> None:
        self._run, self._holder = run, holder
        self._sleep, self._monotonic, self._aside = sleep, monotonic, aside
        self._last = monotonic()
        self._looked = -math.inf

    def beat(self) -> None:
        if self._monotonic() - self._last < BEAT_SECONDS:
            return
        if not renew(self._run, seconds=LEASE_SECONDS, holder=self._holder):
            raise LeaseLost
        self._last = self._monotonic()

    def check(self) -> None:
        """As beat, but it soon notices that the lease is lost: another worker may be asking now."""
        now = self._monotonic()
        if now - self._last >= BEAT_SECONDS:
            self.beat()
        elif now - self._looked >= LOOK_SECONDS:
            if not FetchRun.objects.filter(pk=self._run.pk, lease_holder=self._holder).exists():
                raise LeaseLost
            self._looked = now

    def along(self, items: Iterable[T]) -> Iterator[T]:
        """The items, with a beat before each."""
        for item in items:
            self.beat()
            yield item

    def clock(self) -> Clock:
        """A clock that beats in waiting and in work, and checks before each request.

        A wiki that is slower than the pace leaves no waiting.
        A run that is paused or cancelled asks for nothing more, and stops soon while the wiki is busy.
        """
        return Clock(sleep=self._sleep_in_parts, beat=self.check, work=self.beat, aside=self._aside)

    def _sleep_in_parts(self, seconds: float) -> None:
        while seconds > 0:
            part = min(seconds, BEAT_SECONDS)
            self._sleep(part)
            self.beat()
            seconds -= part
