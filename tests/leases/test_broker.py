"""The broker of files: no message is read before it is complete, none is lost or delivered twice."""

import shutil
import threading
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection
from kombu.exceptions import ChannelError

from config.celery import broker_options
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


def test_a_folder_that_cannot_be_written_to_raises_the_transports_own_error(channel_of, tmp_path):
    channel = channel_of()
    (tmp_path / "broker/queue").rmdir()
    (tmp_path / "broker/queue").write_text("in the way")
    with pytest.raises(ChannelError, match="Cannot write"):
        channel._put("work", {"n": 1})
    with pytest.raises(Empty):
        channel._get("work")
