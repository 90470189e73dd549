"""The broker of files: no message is read before it is complete, none is lost or delivered twice."""

import os
import shutil
import threading
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty

import pytest
from celery.beat import Scheduler
from celery.worker.heartbeat import Heart
from kombu import Connection, Consumer, Exchange, Producer, Queue
from kombu.exceptions import ChannelError

from config.celery import app, broker_options
from leases import broker
from leases.broker import Transport

URL = "filesystem://localhost"


@pytest.fixture
def channel_of(tmp_path):
    """`channel_of()`: a channel to the same queues, as of another program."""
    options = broker_options(URL, tmp_path)
    connections = []

    def open_channel():
        connection = Connection(URL, transport=Transport, transport_options=options)
        connections.append(connection)
        return connection.default_channel

    yield open_channel
    for connection in connections:
        connection.release()


def test_the_projects_broker_is_this_one(tmp_path):
    with Connection(URL, transport_options=broker_options(URL, tmp_path)) as connection:
        assert isinstance(connection.transport, Transport)


def test_messages_come_out_as_they_went_in_and_once(channel_of, tmp_path):
    channel = channel_of()
    channel._put("work", {"n": 1})
    channel._put("other", {"n": 2})
    assert channel._get("work") == {"n": 1}
    with pytest.raises(Empty):
        channel._get("work")
    assert channel._get("other") == {"n": 2}
    assert list(tmp_path.rglob("*.msg*")) == []


@pytest.mark.parametrize("content", [b"", b'{"n": ', b"\xff"])
def test_a_message_that_cannot_be_read_is_skipped(channel_of, tmp_path, content):
    channel = channel_of()
    (tmp_path / "broker/queue/0_broken.work.msg").write_bytes(content)
    channel._put("work", {"n": 1})
    assert channel._get("work") == {"n": 1}


def test_a_writer_that_is_stopped_half_way_shows_nothing(channel_of, tmp_path, monkeypatch):
    def stopped(path, _target):
        assert path.read_text() == '{"n": 1}'
        assert list(tmp_path.rglob("*.msg")) == []
        raise OSError(28, "No space left on device")

    channel = channel_of()
    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(ChannelError, match="No space left on device"):
        channel._put("work", {"n": 1})
    assert list((tmp_path / "broker/queue").iterdir()) == []


def test_readers_and_writers_at_once_lose_and_repeat_nothing(channel_of):
    received, sent = [], 4 * 25
    complete = threading.Event()

    def write(channel, writer):
        for n in range(25):
            channel._put("work", {"n": [writer, n]})

    def read(channel):
        while not complete.is_set():
            try:
                received.append(tuple(channel._get("work")["n"]))
            except Empty:
                continue
            if len(received) >= sent:
                complete.set()

    threads = [threading.Thread(target=write, args=(channel_of(), n)) for n in range(4)]
    threads += [threading.Thread(target=read, args=(channel_of(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert complete.wait(30)
    for thread in threads:
        thread.join()
    assert len(received) == len(set(received)) == sent


def test_programs_that_start_together_all_find_their_queues(channel_of):
    channels = [channel_of() for _ in range(8)]
    binds = [
        threading.Thread(target=channel._queue_bind, args=("shared", "", "", f"queue-{n}"))
        for n, channel in enumerate(channels)
    ]
    for thread in binds:
        thread.start()
    for thread in binds:
        thread.join()
    assert {row.queue for row in channels[0].get_table("shared")} == {
        f"queue-{n}" for n in range(8)
    }


def test_a_table_of_queues_that_was_cut_off_is_written_anew(channel_of, tmp_path):
    channel = channel_of()
    (tmp_path / "broker/control/shared.exchange").write_text("")
    channel._queue_bind("shared", "", "", "work")
    assert [row.queue for row in channel.get_table("shared")] == ["work"]


def test_folders_that_were_cleared_away_are_made_again(channel_of, tmp_path):
    writer, reader = channel_of(), channel_of()
    reader._queue_bind("work", "work", "", "work")
    shutil.rmtree(tmp_path / "broker")
    assert reader._size("work") == 0
    with pytest.raises(Empty):
        reader._get("work")
    assert [row.queue for row in writer.get_table("work")] == ["work"]
    writer._put("work", {"n": 1})
    with pytest.raises(Empty):
        reader._get("work")  # this call makes the folder that the message is moved to
    assert reader._get("work") == {"n": 1}


@pytest.mark.parametrize("name", ["queue", "done"])
def test_a_folder_that_is_replaced_after_messages_were_listed_ends_no_reader(
    channel_of, tmp_path, name
):
    channel, folder = channel_of(), tmp_path / "broker" / name
    for n in range(2):
        channel._put("work", {"n": n})
    first = channel._get("work")  # lists both
    folder.rename(tmp_path / "away")
    folder.write_text("in the way")
    with pytest.raises(Empty):
        channel._get("work")
    folder.unlink()
    (tmp_path / "away").rename(folder)
    assert channel._get("work")["n"] == 1 - first["n"]


def test_a_folder_that_cannot_be_written_to_raises_the_transports_own_error(channel_of, tmp_path):
    channel = channel_of()
    (tmp_path / "broker/queue").rmdir()
    (tmp_path / "broker/queue").write_text("in the way")
    with pytest.raises(ChannelError, match="Cannot write"):
        channel._put("work", {"n": 1})
    with pytest.raises(Empty):
        channel._get("work")


# ---------------------------------------------------------------- for a year


@pytest.fixture
def files(tmp_path):
    """`files()`: the names of all files of the broker, its tables of queues left out."""
    return lambda: [
        path.name
        for path in (tmp_path / "broker").rglob("*")
        if path.is_file() and path.parent.name != "control"
    ]


@pytest.fixture
def clock(monkeypatch):
    """`clock.pass_by(seconds)` moves the clock that the scheduler reads."""

    class Clock:
        now = datetime(2027, 1, 1, tzinfo=UTC)

        def pass_by(self, seconds):
            self.now += timedelta(seconds=seconds)

    made = Clock()
    monkeypatch.setattr(app, "now", lambda: made.now)
    return made


class Timer:
    """Calls what a worker wants to repeat whenever the test says so."""

    def call_repeatedly(self, seconds, function, arguments):
        self.repeat = lambda: function(*arguments)

    def cancel(self, entry):
        pass


@pytest.mark.long
def test_hours_of_a_scheduler_and_of_workers_leave_no_file(tmp_path, clock, files):
    """Even of workers that send the events and broadcasts that ours are started without."""
    options = broker_options(URL, tmp_path)
    with Connection(URL, transport=Transport, transport_options=options) as connection:
        scheduler = Scheduler(app, Producer=lambda *_, **__: Producer(connection), lazy=False)
        timer = Timer()
        with app.events.Dispatcher(connection, hostname="work@here") as events:
            Heart(timer, events).start()
            executed = 0
            for _ in range(3 * 3600 // 2):
                clock.pass_by(2)
                timer.repeat()
                scheduler.tick()
                executed += len(taken(connection.default_channel))
            app.control.broadcast("ping", connection=connection)
    assert executed > 3 * 3600 // 15
    assert files() == []


def taken(channel):
    """All messages of the queue "work"; they are off it."""
    messages = []
    try:
        while True:
            messages.append(channel._get("work"))
    except Empty:
        return messages


def test_what_is_old_is_removed_and_what_waits_stays(channel_of, tmp_path, files):
    folder = tmp_path / "broker/queue"
    channel_of()._put("work", {"n": 1})
    for name in ("1_old.work.msg", "1_old.work.msg.77.part"):
        (folder / name).touch()
        os.utime(folder / name, (0, 0))
    assert broker.remove_outdated(folder) == 2
    assert len(files()) == 1
    assert channel_of()._get("work") == {"n": 1}
    assert broker.remove_outdated(tmp_path / "gone") == 0


@pytest.mark.long
@pytest.mark.parametrize("left", ["celeryev", "work"])
def test_a_very_full_folder_is_read_and_removed_in_little_memory(
    channel_of, tmp_path, files, left, monkeypatch
):
    monkeypatch.setattr(broker, "LISTED_AT_ONCE", 50)
    folder, channel = tmp_path / "broker/queue", channel_of()
    for n in range(4_000):
        path = folder / f"{n:06}_x.{left}.msg"
        path.touch()
        os.utime(path, (0, 0))
    (folder / "000000_w.work.msg").write_text('{"n": 1}')
    tracemalloc.start()
    try:
        assert channel._get("work") == {"n": 1}
        assert broker.remove_outdated(folder) == 4_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert files() == []
    assert peak < 60_000  # bytes; the names alone take five times as much


def test_many_messages_come_in_their_order(channel_of, tmp_path, monkeypatch):
    monkeypatch.setattr(broker, "LISTED_AT_ONCE", 7)
    for n in reversed(range(60)):
        (tmp_path / f"broker/queue/{n:03}_x.work.msg").write_text(str(n))
    channel = channel_of()
    assert [channel._get("work") for _ in range(60)] == list(range(60))


# ---------------------------------------------------------------- how often readers look


class Reader:
    """A consumer of the queue "work" that counts how often it looks."""

    def __init__(self, folder, monkeypatch):
        options = broker_options(URL, folder)
        self.connection = Connection(URL, transport=Transport, transport_options=options)
        queue = Queue("work", Exchange("work"), routing_key="work")
        self.messages, self.looks = [], []
        self.consumer = Consumer(self.connection, [queue], on_message=self.messages.append)
        self.consumer.consume()
        monkeypatch.setattr(broker, "sleep", self.sleep)
        monkeypatch.setattr(broker, "monotonic", lambda: self.now)
        self.now = 1000.0

    def sleep(self, seconds):
        self.looks.append(seconds)
        self.now += seconds

    def read(self, timeout):
        self.looks.clear()
        self.connection.drain_events(timeout=timeout)


@pytest.fixture
def reader(tmp_path, monkeypatch):
    made = Reader(tmp_path, monkeypatch)
    yield made
    made.consumer.cancel()
    made.connection.release()


def test_a_reader_looks_less_often_the_longer_nothing_comes(reader):
    with pytest.raises(TimeoutError):
        reader.read(60)
    assert len(reader.looks) < 160
    assert max(reader.looks) < 0.5


def test_a_reader_looks_often_after_a_message_and_while_its_task_runs(reader, channel_of):
    queue = Producer(channel_of(), Exchange("work"), "work")
    with pytest.raises(TimeoutError):
        reader.read(60)
    queue.publish({"n": 1})
    reader.read(1)
    with pytest.raises(TimeoutError):
        reader.read(60)  # the task is not acknowledged: it runs
    assert max(reader.looks) <= 0.02
    reader.messages[0].ack()
    with pytest.raises(TimeoutError):
        reader.read(60)
    assert max(reader.looks) == 0.4


def test_a_reader_waits_no_longer_than_it_was_asked_to(reader):
    with pytest.raises(TimeoutError):
        reader.read(0.05)
    assert sum(reader.looks) == pytest.approx(0.05)
