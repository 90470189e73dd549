"""A message broker in files, for one machine without a server: kombu's filesystem transport without its races.

With kombu's own, a reader may open a message or a table of queues before its writer has written it, which ends
the worker. Here both appear under their names only when they are complete, and a reader takes a message by one
rename within a file system. An unreadable message is logged and skipped: the sweeper sends for its row again.
Folders that are deleted while the app runs are made again.
"""

import os
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any

import structlog
from kombu.exceptions import ChannelError
from kombu.transport import filesystem
from kombu.transport.filesystem import LOCK_EX, exchange_queue_t, lock, unlock
from kombu.utils.encoding import bytes_to_str
from kombu.utils.json import dumps, loads

log = structlog.get_logger(__name__)


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


class Channel(filesystem.Channel):
    """One program's end of the queues."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        write_atomically(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message; of several readers one gets it. Raises Empty."""
        folder, taken = Path(self.data_folder_in), Path(self.processed_folder)
        for name in self._waiting(queue):
            try:
                own = (folder / name).rename(taken / name)
            except FileNotFoundError:  # another reader took it, or the folder to move it to is gone
                taken.mkdir(parents=True, exist_ok=True)
                continue
            text = own.read_bytes()
            own.unlink()
            try:
                return loads(bytes_to_str(text))
            except ValueError:
                log.warning("message_unreadable", queue=queue, name=name)
        raise Empty()

    def _waiting(self, queue: str) -> list[str]:
        """The names of a queue's messages, oldest first; none if its folder is gone."""
        try:
            names = os.listdir(self.data_folder_in)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for name in names if name.partition(".")[2] == f"{queue}.msg")

    def _size(self, queue: str) -> int:
        return len(self._waiting(queue))

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The queues bound to an exchange. If its table is gone, the one queue of the exchange's own name."""
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
    Channel = Channel
