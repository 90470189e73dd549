"""Reading the streams of dumps in several processes, and getting what was taken in the order of the files. Pure.

The processes are new ones (spawn): this one may have threads and connections. They end with it, however it ends.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from types import TracebackType

from wikifetch.source.dump_streams import PagesTaken, StreamPlace, read_stream
from wikifetch.source.dump_wanted import Wanted
from wikifetch.source.dumpreader import DumpError

_AHEAD = 4  # streams for each process that are read or wait for their turn
_wanted: Wanted  # in each of the processes


class StreamReaders:
    """Up to so many processes, begun as they are needed, that look for what is wanted; with one, none but this."""

    def __init__(self, wanted: Wanted, processes: int) -> None:
        self._wanted, self._processes = wanted, processes
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "StreamReaders":
        if self._processes > 1:
            self._pool = ProcessPoolExecutor(
                self._processes, get_context("spawn"), _begin, (self._wanted,)
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def in_order(self, places: Iterable[StreamPlace | PagesTaken]) -> Iterator[PagesTaken]:
        """What was taken of each stream; what was taken before as it is. Raises DumpError and NotAligned."""
        waiting: deque[Future[PagesTaken] | PagesTaken] = deque()
        for place in places:
            waiting.append(self._begun(place))
            if len(waiting) > _AHEAD * self._processes:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())

    def _begun(self, place: StreamPlace | PagesTaken) -> Future[PagesTaken] | PagesTaken:
        if isinstance(place, PagesTaken):
            return place
        if self._pool is None:
            return read_stream(place, self._wanted)
        return self._pool.submit(_read, place)


def _result(taken: Future[PagesTaken] | PagesTaken) -> PagesTaken:
    if isinstance(taken, PagesTaken):
        return taken
    try:
        return taken.result()
    except BrokenProcessPool as error:
        raise DumpError(
            "A process that read the dump was ended from outside, perhaps for want of memory. What was recorded is "
            "kept. Go on with --resume, and with fewer --processes if it happens again."
        ) from error


def _begin(wanted: Wanted) -> None:
    """In a new process: Ctrl-C is for the one that began it, and so is being killed."""
    global _wanted
    _wanted = wanted
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _read(place: StreamPlace) -> PagesTaken:
    return read_stream(place, _wanted)
