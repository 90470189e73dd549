"""Who is asked next: runs and judges take turns, whatever the number of their models and rows."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from math import ceil

from generation.call_queues import Call, CallQueue, QueueLine

# A claim of fewer rows costs as much.
LEAST = 8


class Rotation:
    def __init__(self, queues: Sequence[CallQueue], service: str) -> None:
        self._queues, self._service = queues, service
        self._groups: deque[deque[QueueLine]] = deque()

    @property
    def groups(self) -> set[tuple[CallQueue, object]]:
        """The groups that may have rows left."""
        return {(lines[0].queue, lines[0].group) for lines in self._groups}

    def look(self) -> None:
        """Take in lines that are new, or have rows again; their places in the rotation stay."""
        found: dict[tuple[CallQueue, object], list[QueueLine]] = {}
        for line in (line for queue in self._queues for line in queue.lines(self._service)):
            found.setdefault((line.queue, line.group), []).append(line)
        kept = [group for group in map(_name, self._groups) if group in found]
        new = [group for group in found if group not in kept]
        self._groups = deque(deque(found[group]) for group in (*kept, *new))

    def claim(
        self, holder: str, seconds: float, wanted: int, closed: Collection[QueueLine]
    ) -> Iterator[Call]:
        """Up to `wanted` rows, a part from each group."""
        while wanted > 0 and self._groups:
            lines = self._groups[0]
            line = lines[0]
            most = min(wanted, max(LEAST, ceil(wanted / len(self._groups))))
            calls = [] if line in closed else line.queue.claim(line, holder, seconds, most)
            if len(calls) < most:
                lines.popleft()
            lines.rotate(-1)
            self._groups.rotate(-1)
            if not lines:
                self._groups.remove(lines)
            wanted -= len(calls)
            yield from calls


def _name(lines: deque[QueueLine]) -> tuple[CallQueue, object]:
    return lines[0].queue, lines[0].group
