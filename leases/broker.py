"""A message broker in files, for one machine without a server: kombu's filesystem transport without its faults.

- A reader may open a message before its writer has written it, which ends the worker (kombu issue 1551), and two
  programs may write a table of queues at once (dvc-task issue 73). Here both files appear under their names only when
  they are complete, and a reader takes a message by one rename within a file system.
- An unreadable message ends the worker. Here it is logged and skipped: the sweeper sends for its row again.
- A folder that is deleted while the app runs ends the worker. Here it is made again.
- Files of events and broadcasts that nobody reads pile up (papermerge issue 230). Here none are written.
"""

import os
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import suppress
from heapq import nsmallest
from pathlib import Path
from queue import Empty
from time import monotonic, sleep, time
from typing import Any

import structlog
from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.transport.filesystem import LOCK_EX, exchange_queue_t, lock, unlock
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import dumps, loads

log = structlog.get_logger(__name__)

# Seconds between two looks for messages: while tasks run, and when nothing has come for a while.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.4
LISTED_AT_ONCE = 1000  # names of messages that a reader holds in memory
OUTDATED = 3600.0  # seconds; the sweeper has long sent again for the row of such a message


def write_atomically(path: Path, text: str) -> None:
    """The file appears with all of its text, or not at all. Raises ChannelError."""
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise ChannelError(f"Cannot write {path}: {error.strerror}") from error


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """The folder's entries one by one, however many they are; none if it is gone."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        yield from entries


def remove_outdated(folder: Path) -> int:
    """Remove the files in `folder` that are older than an hour; returns how many."""
    removed, limit = 0, time() - OUTDATED
    for entry in _entries(folder):
        with suppress(OSError):  # another program took or removed it
            if entry.stat().st_mtime < limit:
                os.unlink(entry)
                removed += 1
    return removed


class Channel(filesystem.Channel):
    """One program's end of the queues."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._listed: defaultdict[str, deque[str]] = defaultdict(deque)

    def works(self) -> bool:
        """Whether a message that was taken is not yet acknowledged: its task runs."""
        return len(self.qos._delivered) > len(self.qos._dirty)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        write_atomically(Path(self.data_folder_out) / name, dumps(payload))

    def _put_fanout(self, exchange: str, payload: Any, routing_key: str, **kwargs: Any) -> None:
        """A broadcast, which no worker reads."""

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message; of several readers one gets it. Raises Empty."""
        listed = self._listed[queue]
        if not listed:
            listed.extend(nsmallest(LISTED_AT_ONCE, self._waiting(queue)))
        while listed:
            name = listed.popleft()
            try:
                return loads(bytes_to_str(self._take(name)))
            except (FileNotFoundError, NotADirectoryError):
                # Another reader took it, or one of the folders is gone since the messages were listed.
                with suppress(OSError):
                    Path(self.processed_folder).mkdir(parents=True, exist_ok=True)
            except ValueError:
                log.warning("message_unreadable", queue=queue, name=name)
        raise Empty()

    def _take(self, name: str) -> bytes:
        """The text of the message, which nobody else gets from now on.

        Raises FileNotFoundError, or NotADirectoryError where something else is in a folder's place.
        """
        own = (Path(self.data_folder_in) / name).rename(Path(self.processed_folder) / name)
        text = own.read_bytes()
        own.unlink()
        return text

    def _waiting(self, queue: str) -> Iterator[str]:
        """The names of a queue's messages, in no order; none if its folder is gone."""
        entries = _entries(Path(self.data_folder_in))
        return (e.name for e in entries if e.name.partition(".")[2] == f"{queue}.msg")

    def _size(self, queue: str) -> int:
        return sum(1 for _ in self._waiting(queue))

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The queues bound to an exchange. If its table is gone, the one queue of the exchange's own name.

        None for an exchange of events, which is of another type than those of tasks.
        """
        if self.typeof(exchange).type != "direct":
            return []
        return self._table(exchange) or [exchange_queue_t(exchange, "", exchange)]

    def _table(self, exchange: str) -> list[exchange_queue_t]:
        """The stored table; empty if it was never written, or is gone or damaged."""
        try:
            text = self._exchange_file(exchange).read_text(encoding="utf-8")
            return [exchange_queue_t(*row) for row in loads(text)]
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        file = self._exchange_file(exchange)
        self.control_folder.mkdir(parents=True, exist_ok=True)
        bound = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with (self.control_folder / "tables.lock").open("a") as guard:
            lock(guard, LOCK_EX)
            table = self._table(exchange)
            if bound not in table:
                write_atomically(file, dumps([bound, *table]))
            unlock(guard)


class Transport(filesystem.Transport):
    """Looks for messages less often the longer none came, and at once while a task runs."""

    Channel = Channel
    _active_at = 0.0

    def drain_events(  # type: ignore[override]
        self, connection: Any, timeout: float | None = None
    ) -> None:
        """Deliver the next message. Raises TimeoutError after `timeout` seconds without one."""
        assert self.cycle  # kombu makes it with the transport
        end = monotonic() + timeout if timeout is not None else float("inf")
        while True:
            try:
                self.cycle.get(self._deliver, timeout=timeout)
            except Empty:
                if monotonic() >= end:
                    raise TimeoutError from None
                sleep(max(0.0, min(self._pause(), end - monotonic())))
            else:
                self._active_at = monotonic()
                return

    def _pause(self) -> float:
        """Seconds until the next look: a tenth of the time since the last message came or was worked on."""
        now = monotonic()
        if any(channel.works() for channel in self.channels):
            self._active_at = now
        return min(LONGEST_PAUSE, max(SHORTEST_PAUSE, (now - self._active_at) / 10))
