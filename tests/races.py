"""Run two actions at the same time, or one while the other is unfinished."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

from django.db import connection, transaction

from leases.refusal import Refusal

Act = Callable[[], object]


def at_once(*acts: Act) -> list[Refusal | None]:
    """Run the actions in threads that start together; returns each one's refusal, or None."""
    together = Barrier(len(acts))

    def run(act: Act) -> Refusal | None:
        try:
            together.wait(10)
            act()
        except Refusal as refusal:
            return refusal
        finally:
            connection.close()
        return None

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def overlapping(first: Act, second: Act) -> Refusal | None:
    """Run `first` and commit it only when `second` is done, or waits for it.

    The refusal that `second` met, or None. What only a rare moment shows is so shown every time.
    """
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            other = pool.submit(at_once, second)
            with suppress(TimeoutError):
                other.result(0.5)
        return other.result(30)[0]
