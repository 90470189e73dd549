"""Results of pure functions, kept in this process by the whole of what went in. Pure.

A report is computed for its page and again for each of its files, and an article is shown to each of its annotators.
What they are made from is read from the database each time; only the work that depends on that and on nothing else is
looked up here. So a changed or removed row is another input, and nothing can be out of date.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from hashlib import sha256
from threading import Lock
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Memory:
    """Results by key, of so much weight in all (1 each, unless `weigh` says another); the least recently used goes."""

    def __init__(self, most: int, weigh: Callable[[Any], int] = lambda _: 1) -> None:
        self._most, self._weigh = most, weigh
        self._weight = 0
        self._kept: OrderedDict[bytes, tuple[Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> tuple[Any] | None:
        """The result in a tuple of its own, None where there is none."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: bytes, result: Any) -> None:
        with self._lock:
            self._forget(self._kept.pop(key, None))
            self._kept[key] = (result,)
            self._weight += self._weigh(result)
            while self._weight > self._most:
                self._forget(self._kept.popitem(last=False)[1])

    def _forget(self, kept: tuple[Any] | None) -> None:
        self._weight -= self._weigh(kept[0]) if kept else 0

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._weight = 0

    def remembers(self, function: Callable[P, R]) -> Callable[P, R]:
        """For a function whose result depends on its arguments alone; each caller gets a copy of its own.

        Arguments are plain data: numbers, texts, lists, dataclasses. An iterator, which says nothing of what it would
        give, is refused with TypeError.
        """
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def result_of(*args: P.args, **kwargs: P.kwargs) -> R:
            # Equal bytes are equal arguments. Unequal bytes may be too, which costs a computation and no more.
            key = sha256(pickle.dumps((name, args, kwargs))).digest()
            kept = self.get(key)
            if kept is None:
                kept = (function(*args, **kwargs),)
                self.put(key, kept[0])
            result: R = deepcopy(kept[0])
            return result

        return result_of


FIGURES = Memory(500)
# Up to 32 million characters of HTML. Most articles have a few ten thousand.
ARTICLES = Memory(32_000_000, lambda html: 1 + len(html or ""))
