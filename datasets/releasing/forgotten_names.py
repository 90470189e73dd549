"""Names of people who were forgotten, where a text still has them.

Nobody reads such a name from the database: a row keeps hashes of it, keyed with SECRET_KEY, which no backup has. With
another key, as after moving without it, these names are found no more.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from django.utils.crypto import salted_hmac

from accounts.models import Person
from pages.name_words import PART, NameWords

LEAST = 3  # letters of a name of one word


def hashes_of(names: Iterable[str]) -> list[str]:
    """What is kept of the names: each as “WORDS:FIRST:ALL”, its length and keyed hashes of its first and of all."""
    said = (_words(name) for name in names)
    return sorted(
        {
            f"{len(words)}:{_hash(words[:1])}:{_hash(words)}"
            for words in said
            if len("".join(words)) >= LEAST
        }
    )


def _words(text: str) -> list[str]:
    return [word.lower() for word in PART.findall(unicodedata.normalize("NFC", text))]


def _hash(words: list[str]) -> str:
    digest = salted_hmac("names of the forgotten", " ".join(words), algorithm="sha256").hexdigest()
    return digest[:32]


class ForgottenNames:
    """Looks for the names of all people who were forgotten."""

    def __init__(self) -> None:
        rows = Person.objects.exclude(forgotten_at=None).values_list("name_hashes", flat=True)
        # The hash of a first word -> numbers of words, with hashes of all.
        self._names: dict[str, set[tuple[int, str]]] = {}
        for one in {one for hashes in rows for one in hashes}:
            n, first, whole = one.split(":")
            self._names.setdefault(first, set()).add((int(n), whole))
        # Hashing is slow, and texts have the same words again.
        self._beginning = cache(lambda word: sorted(self._names.get(_hash([word]), ())))

    def __bool__(self) -> bool:
        return bool(self._names)

    def found(self, text: str) -> NameWords | None:
        """The names that the text has, as they are written there in NFC; None where it has none."""
        exact = frozenset(self._named(unicodedata.normalize("NFC", text))) if self else frozenset()
        return NameWords(exact, frozenset()) if exact else None

    def _named(self, text: str) -> Iterator[str]:
        words = list(PART.finditer(text))
        for at, first in enumerate(words):
            for n, whole in self._beginning(first.group().lower()):
                some = words[at : at + n]
                if _hash([word.group().lower() for word in some]) == whole:
                    yield text[some[0].start() : some[-1].end()]
