"""The broker of files, for one machine where nothing is set up: kombu's, with its races closed.

As it comes, a reader may take a message or a table of queues that its writer has opened and not yet written,
which ends the worker. Here both appear under their names only when they are whole, a message is taken by one
rename inside one file system, and one that cannot be read is logged and left out: the row waits, the sweeper
finds it.
"""

import os
import uuid
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
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ChannelError(f"Cannot write {path}: {error.strerror}") from error


class Channel(filesystem.Channel):
    """One program's end of the queues."""

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        write_whole(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message; of several readers one gets it. Raises Empty."""
        folder, taken = Path(self.data_folder_in), Path(self.processed_folder)
        for name in sorted(os.listdir(folder)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            try:
                own = (folder / name).rename(taken / name)
            except FileNotFoundError:
                continue
            text = own.read_bytes()
            own.unlink()
            try:
                return loads(bytes_to_str(text))
            except ValueError:
                log.warning("message_unreadable", queue=queue, name=name)
        raise Empty()

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The queues bound to an exchange; none where its table was never written or is damaged."""
        try:
            text = self._exchange_file(exchange).read_text(encoding="utf-8")
            return [exchange_queue_t(*row) for row in loads(text)]
        except (FileNotFoundError, ValueError, TypeError):
            return []

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        file = self._exchange_file(exchange)
        self.control_folder.mkdir(exist_ok=True)
        bound = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with (self.control_folder / "tables.lock").open("a") as guard:
            lock(guard, LOCK_EX)
            table = self.get_table(exchange)
            if bound not in table:
                write_whole(file, dumps([bound, *table]))
            unlock(guard)


class Transport(filesystem.Transport):
    Channel = Channel
