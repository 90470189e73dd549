"""Responses are cut when they are late or too large; one thread watches them all."""

import os
import threading

import pytest

from leases import cutoff
from leases.cutoff import TooLarge, TooSlow, read_whole


class Response:
    """A response that yields `parts`; at a part that is None it waits until it is shut down."""

    def __init__(self, *parts):
        self.parts, self.shut = parts, threading.Event()

    @property
    def raw(self):
        return self

    def shutdown(self):
        self.shut.set()

    def iter_content(self, chunk_size):
        for part in self.parts:
            if part is None:
                assert self.shut.wait(60), "nobody cut it"
                return
            yield part


def test_a_response_that_ends_is_returned_whole():
    response = Response(b"one ", b"two")
    assert read_whole(response, seconds=60, most=7) == b"one two"
    assert not response.shut.is_set()


def test_one_byte_more_than_the_limit_is_too_large():
    with pytest.raises(TooLarge):
        read_whole(Response(b"one ", b"two"), seconds=60, most=6)


def test_a_late_one_is_cut_although_others_may_take_longer():
    """The response with the earlier deadline comes last: the waiting thread must be notified."""
    slow = Response(b"1", None)
    reading = threading.Thread(target=read_whole, args=(slow,), kwargs={"seconds": 300, "most": 9})
    reading.start()
    with pytest.raises(TooSlow):
        read_whole(Response(b"1", None), seconds=0.05, most=9)
    assert reading.is_alive()
    slow.shutdown()
    reading.join()


def test_an_error_while_reading_is_raised_unchanged():
    class Broken(Response):
        def iter_content(self, chunk_size):
            raise ConnectionError("reset")

    with pytest.raises(ConnectionError, match="reset"):
        read_whole(Broken(), seconds=60, most=9)


def test_a_response_that_has_ended_is_never_cut_later():
    """Its connection may serve another response by then."""
    response = Response(b"1")
    read_whole(response, seconds=0.01, most=9)
    with pytest.raises(TooSlow):  # its deadline is later than the first one's
        read_whole(Response(None), seconds=0.05, most=9)
    assert not response.shut.is_set()


def test_many_responses_are_watched_by_one_thread():
    for _ in range(50):
        read_whole(Response(b"1"), seconds=60, most=9)
    assert [one.name for one in threading.enumerate()].count("cutoff") == 1


def test_responses_that_have_ended_are_not_kept():
    for _ in range(50):
        read_whole(Response(b"1"), seconds=60, most=9)
    assert len(cutoff._WATCH._waiting) <= 2


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_watches_for_itself():
    read_whole(Response(b"1"), seconds=60, most=9)
    child = os.fork()
    if child == 0:
        try:
            read_whole(Response(None), seconds=0.05, most=9)
        except TooSlow:
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_cut_and_an_end_at_the_same_time_agree_on_which_came_first():
    """If `ended()` returns False, the connection must not be shut down afterwards."""
    for _ in range(200):
        response = Response(b"1")
        watched = cutoff._WATCH.over(0, response.shutdown)
        was_cut = watched.ended()
        assert response.shut.is_set() == was_cut
