"""Read an HTTP response within a time limit and a size limit.

The timeout of requests limits the wait between two bytes, not the whole response: a server that sends a byte now
and then could keep a worker for ever, longer than any lease.
"""

import heapq
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from typing import Protocol

CHUNK = 64 * 1024


class CutOff(Exception):
    """Reading was cut off before the response ended."""


class TooSlow(CutOff):
    """The response took longer than the limit."""


class TooLarge(CutOff):
    """The response has more bytes than the limit."""


class _Raw(Protocol):
    def shutdown(self) -> None: ...


class Streamed(Protocol):
    """A response of requests, requested with stream=True."""

    @property
    def raw(self) -> _Raw: ...

    def iter_content(self, chunk_size: int) -> Iterator[bytes]: ...


def read_whole(response: Streamed, *, seconds: float, most: int) -> bytes:
    """The body, of at most `most` bytes and read within `seconds` from now. Raises CutOff.

    Errors of requests are raised unchanged.
    """

    def cut() -> None:
        with suppress(RuntimeError, ValueError, OSError):  # it has just ended
            response.raw.shutdown()

    watched = _WATCH.over(max(seconds, 0.0), cut)
    try:
        return _at_most(response, most)
    finally:
        # A response that is cut looks like one that ended or lost its connection.
        if watched.ended():
            raise TooSlow


def _at_most(response: Streamed, most: int) -> bytes:
    parts, size = [], 0
    for part in response.iter_content(CHUNK):
        size += len(part)
        if size > most:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)


class _Watched:
    """A response to cut at `due` (monotonic seconds) unless it has ended by then."""

    def __init__(self, due: float, cut: Callable[[], None]) -> None:
        self.due = due
        self._cut: Callable[[], None] | None = cut
        self._was_cut = False
        self._lock = threading.Lock()

    def __lt__(self, other: "_Watched") -> bool:
        return self.due < other.due

    @property
    def is_over(self) -> bool:
        return self._cut is None

    def ended(self) -> bool:
        """End the watch; True when the response was cut."""
        with self._lock:
            self._cut = None
            return self._was_cut

    def cut(self) -> None:
        with self._lock:
            if self._cut is not None:
                self._was_cut = True
                self._cut()


class _Watch:
    """One thread that cuts every late response; a threading.Timer would need a thread for each."""

    def __init__(self) -> None:
        self._reset()
        # A forked process has none of its parent's threads.
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._waiting: list[_Watched] = []
        self._wakes = inf  # when the thread wakes next, unless it is notified
        self._sooner = threading.Condition()
        self._thread: threading.Thread | None = None

    def over(self, seconds: float, cut: Callable[[], None]) -> _Watched:
        watched = _Watched(time.monotonic() + seconds, cut)
        with self._sooner:
            while self._waiting and self._waiting[0].is_over:
                heapq.heappop(self._waiting)
            heapq.heappush(self._waiting, watched)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="cutoff", daemon=True)
                self._thread.start()
            elif watched.due < self._wakes:
                self._sooner.notify()
        return watched

    def _first_due(self) -> float:
        return self._waiting[0].due if self._waiting else inf

    def _work(self) -> None:
        while True:
            with self._sooner:
                while (due := self._first_due()) > (now := time.monotonic()):
                    self._wakes = due
                    self._sooner.wait(None if due == inf else due - now)
                late = heapq.heappop(self._waiting)
            late.cut()


_WATCH = _Watch()
