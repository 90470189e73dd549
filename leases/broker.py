"""The broker of files, for one machine where nothing is set up: kombu's, with its races closed.

As it comes, a reader may take a message or a table of queues that its writer has opened and not yet written,
which ends the worker. Here both appear under their names only when they are whole, a message is taken by one
rename inside one file system, and one that cannot be read is logged and left out: the row waits, the sweeper
finds it. Folders that somebody clears away while it runs are made again.
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


def write_whole(path: Path, text: str) -> None:
    """The file appears with all of its text, or not at all; raises ChannelError."""
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
        write_whole(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message; of several readers one gets it. Raises Empty."""
        folder, taken = Path(self.data_folder_in), Path(self.processed_folder)
        for name in self._waiting(queue):
            try:
                own = (folder / name).rename(taken / name)
            except FileNotFoundError:  # another reader's, or there is no folder to take it to
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
        """The names of a queue's messages, oldest first; none where its folder is gone."""
        try:
            names = os.listdir(self.data_folder_in)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for name in names if name.partition(".")[2] == f"{queue}.msg")

    def _size(self, queue: str) -> int:
        return len(self._waiting(queue))

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The queues bound to an exchange. Where its table is gone, the one that Celery names as the exchange."""
        return self._table(exchange) or [exchange_queue_t(exchange, "", exchange)]

    def _table(self, exchange: str) -> list[exchange_queue_t]:
        """The table as it is kept; empty where it was never written, or is gone or damaged."""
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
                write_whole(file, dumps([bound, *table]))
            unlock(guard)


class Transport(filesystem.Transport):
    Channel = Channel
