"""Results of pure functions, kept in this process by the whole of what went in. Pure.

A report is computed for its page and again for each of its files. What it is computed from is counted in the database
each time; only the resampling, which depends on these counts and on nothing else, is looked up here. So a changed
count is another input, and nothing can be out of date.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable
from copy import deepcopy
from functools import wraps
from hashlib import sha256
from threading import Lock
from typing import Any, ParamSpec, TypeVar

MOST = 500
P = ParamSpec("P")
R = TypeVar("R")


class Memory:
    """Results by key, so many in all; what was asked for longest ago goes first."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
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
            self._kept[key] = (result,)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


memory = Memory()


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """For a function whose result depends on its arguments alone; each caller gets a copy of its own.

    Arguments are plain data: numbers, texts, lists, dataclasses. An iterator, which says nothing of what it would
    give, is refused with TypeError.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def result_of(*args: P.args, **kwargs: P.kwargs) -> R:
        # Equal bytes are equal arguments. Unequal bytes may be too, which costs a computation and no more.
        key = sha256(pickle.dumps((name, args, kwargs))).digest()
        kept = memory.get(key)
        if kept is None:
            kept = (function(*args, **kwargs),)
            memory.put(key, kept[0])
        result: R = deepcopy(kept[0])
        return result

    return result_of
