"""Reading an answer that must end. A client's timeout counts the silence between two bytes, not the whole:
whoever sends a byte now and then could hold a worker for ever, and outlast every lease.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress
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
    is_late = threading.Event()

    def cut() -> None:
        is_late.set()
        with suppress(RuntimeError, ValueError, OSError):  # it ended in this very moment
            answer.raw.shutdown()

    timer = threading.Timer(max(seconds, 0.0), cut)
    timer.daemon = True
    timer.start()
    try:
        return _at_most(answer, most)
    finally:
        timer.cancel()
        if is_late.is_set():  # reading then ends as if the other side had hung up, or was done
            raise TooSlow


def _at_most(answer: Streamed, most: int) -> bytes:
    parts, size = [], 0
    for part in answer.iter_content(CHUNK):
        size += len(part)
        if size > most:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)
