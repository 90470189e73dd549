"""A place where the threads of one process wait for each other, first come, first served. Pure."""

from collections import deque
from threading import Event, Lock


class Turnstile:
    """Lets one through at a time, in the order in which they came."""

    def __init__(self) -> None:
        self.open()

    def open(self) -> None:
        """As if nobody had come: in a child process, where the threads that are in it do not go on."""
        self._guard = Lock()
        self._queue: deque[Event] = deque()
        self._taken = False

    def enter(self, seconds: float) -> bool:
        """Wait for one's turn; False when it has not come after so many seconds."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = Event()
            self._queue.append(mine)
        try:
            came = mine.wait(seconds)
        except BaseException:  # a time limit, Ctrl-C: whoever is gone must not be called
            if not self._withdraw(mine):
                self.leave()
            raise
        return came or not self._withdraw(mine)

    def _withdraw(self, mine: Event) -> bool:
        """Out of the queue; False where its turn has come in the moment of giving up."""
        with self._guard:
            if mine not in self._queue:
                return False
            self._queue.remove(mine)
            return True

    def leave(self) -> None:
        """Let the next one through. For those alone whose turn it is."""
        with self._guard:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._taken = False
