"""A lock for the threads of one process that is given in the order of arrival. Pure."""

from collections import deque
from threading import Event, Lock


class FairQueue:
    """Lets one thread through at a time, first come, first served."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Empty the queue. For a forked child, in which the waiting threads do not exist."""
        self._guard = Lock()
        self._queue: deque[Event] = deque()
        self._taken = False

    def enter(self, seconds: float) -> bool:
        """Wait for the turn; False when it has not come after `seconds`."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            turn = Event()
            self._queue.append(turn)
        try:
            came = turn.wait(seconds)
        except BaseException:  # a time limit, Ctrl-C: a thread that is gone must not get the turn
            if not self._withdraw(turn):
                self.leave()
            raise
        return came or not self._withdraw(turn)

    def _withdraw(self, turn: Event) -> bool:
        """Leave the queue; False when the turn has just come."""
        with self._guard:
            if turn not in self._queue:
                return False
            self._queue.remove(turn)
            return True

    def leave(self) -> None:
        """Let the next thread through. Only for the thread that has the turn."""
        with self._guard:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._taken = False
