"""Answers that must end: cut when late or long, whole otherwise, watched by one thread."""

import os
import threading

import pytest

from leases import cutoff
from leases.cutoff import TooLarge, TooSlow, read_whole


class Answer:
    """An answer whose parts come as `given` says; one that is None comes only when the answer is shut down."""

    def __init__(self, *given):
        self.given, self.shut = given, threading.Event()

    @property
    def raw(self):
        return self

    def shutdown(self):
        self.shut.set()

    def iter_content(self, chunk_size):
        for part in self.given:
            if part is None:
                assert self.shut.wait(60), "nobody cut it"
                return
            yield part


def test_an_answer_that_ends_is_whole():
    answer = Answer(b"one ", b"two")
    assert read_whole(answer, seconds=60, most=7) == b"one two"
    assert not answer.shut.is_set()


def test_one_byte_more_than_it_may_have():
    with pytest.raises(TooLarge):
        read_whole(Answer(b"one ", b"two"), seconds=60, most=6)


def test_a_late_one_is_cut_although_others_may_take_longer():
    """The sooner one comes last: whoever watches must hear of it."""
    slow = Answer(b"1", None)
    reading = threading.Thread(target=read_whole, args=(slow,), kwargs={"seconds": 300, "most": 9})
    reading.start()
    with pytest.raises(TooSlow):
        read_whole(Answer(b"1", None), seconds=0.05, most=9)
    assert reading.is_alive()
    slow.shutdown()
    reading.join()


def test_what_goes_wrong_in_reading_is_told_as_it_is():
    class Broken(Answer):
        def iter_content(self, chunk_size):
            raise ConnectionError("reset")

    with pytest.raises(ConnectionError, match="reset"):
        read_whole(Broken(), seconds=60, most=9)


def test_what_has_ended_is_never_cut_later():
    """Its connection has been given to another answer since."""
    answer = Answer(b"1")
    read_whole(answer, seconds=0.01, most=9)
    with pytest.raises(TooSlow):  # due later than the first
        read_whole(Answer(None), seconds=0.05, most=9)
    assert not answer.shut.is_set()


def test_many_answers_are_watched_by_one_thread():
    for _ in range(50):
        read_whole(Answer(b"1"), seconds=60, most=9)
    assert [one.name for one in threading.enumerate()].count("cutoff") == 1


def test_what_has_ended_is_not_kept():
    for _ in range(50):
        read_whole(Answer(b"1"), seconds=60, most=9)
    assert len(cutoff._WATCH._waiting) <= 2


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_watches_for_itself():
    read_whole(Answer(b"1"), seconds=60, most=9)
    child = os.fork()
    if child == 0:
        try:
            read_whole(Answer(None), seconds=0.05, most=9)
        except TooSlow:
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_cut_and_an_end_at_once_are_one_of_the_two():
    """Whoever was told that nothing was cut keeps a connection that nobody shuts down afterwards."""
    for _ in range(200):
        answer = Answer(b"1")
        watched = cutoff._WATCH.over(0, answer.shutdown)
        was_cut = watched.ended()
        assert answer.shut.is_set() == was_cut
