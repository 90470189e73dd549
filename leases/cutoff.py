"""Reading an answer that must end. A client's timeout counts the silence between two bytes, not the whole:
whoever sends a byte now and then could hold a worker for ever, and outlast every lease.
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
    """The answer had not ended when it was given up."""


class TooSlow(CutOff):
    """It would have taken longer than it may."""


class TooLarge(CutOff):
    """It has more bytes than it may."""


class _Raw(Protocol):
    def shutdown(self) -> None: ...


class Streamed(Protocol):
    """An answer of requests, asked for with stream=True."""

    @property
    def raw(self) -> _Raw: ...

    def iter_content(self, chunk_size: int) -> Iterator[bytes]: ...


def read_whole(answer: Streamed, *, seconds: float, most: int) -> bytes:
    """The body, of at most `most` bytes and read within so many seconds from now; raises CutOff.

    What goes wrong before that is raised as requests raises it.
    """

    def cut() -> None:
        with suppress(RuntimeError, ValueError, OSError):  # it ended in this very moment
            answer.raw.shutdown()

    watched = _WATCH.over(max(seconds, 0.0), cut)
    try:
        return _at_most(answer, most)
    finally:
        if watched.ended():  # reading then ends as if the other side had hung up, or was done
            raise TooSlow


def _at_most(answer: Streamed, most: int) -> bytes:
    parts, size = [], 0
    for part in answer.iter_content(CHUNK):
        size += len(part)
        if size > most:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)


class _Watched:
    """Something that is to be cut at `due` (monotonic seconds) unless it has ended by then."""

    def __init__(self, due: float, cut: Callable[[], None]) -> None:
        self.due = due
        self._cut: Callable[[], None] | None = cut
        self._was_cut = False
        self._one_at_a_time = threading.Lock()

    def __lt__(self, other: "_Watched") -> bool:
        return self.due < other.due

    @property
    def is_over(self) -> bool:
        return self._cut is None

    def ended(self) -> bool:
        """Nothing is to be cut any more; whether it was."""
        with self._one_at_a_time:
            self._cut = None
            return self._was_cut

    def cut(self) -> None:
        with self._one_at_a_time:
            if self._cut is not None:
                self._was_cut = True
                self._cut()


class _Watch:
    """One thread that cuts what is late. A timer for each answer would start a thread for each."""

    def __init__(self) -> None:
        self._forget()
        # A forked process has none of its parent's threads.
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._waiting: list[_Watched] = []
        self._wakes = inf  # when the thread looks again, unless it is told to look sooner
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
