"""Whose password is hashed next. A hash takes some tenths of a second of a core, and strangers may ask for any number.

In a process two are computed at a time, one of them for unknown browsers. So strangers, however many, neither take all
cores nor make a known person wait. Few wait, and not long, since each holds a thread; the other threads answer pages.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from leases.refusal import TooMany

SECONDS = 2.0  # for which somebody waits


class Turns:
    """`at_once` at a time, and `waiting` wait; whoever comes then, or waits too long, is refused with TooMany."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._places = Semaphore(at_once)
        self._room = Semaphore(at_once + waiting)

    @contextmanager
    def taken(self) -> Iterator[None]:
        with _one_of(self._room, 0), _one_of(self._places, SECONDS):
            yield


@contextmanager
def _one_of(places: Semaphore, seconds: float) -> Iterator[None]:
    if not places.acquire(timeout=seconds):
        raise TooMany("Many people are signing in at this moment.", wait=SECONDS)
    try:
        yield
    finally:
        places.release()


HASHES = Turns(at_once=2, waiting=2)
# From unknown browsers, whether the name that they give is known or not. Each then takes one of HASHES.
STRANGERS = Turns(at_once=1, waiting=3)


class PasswordHasher(PBKDF2PasswordHasher):
    """Django's own; every door that hashes a password takes its turn here."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with HASHES.taken():
            return super().encode(password, salt, iterations)
