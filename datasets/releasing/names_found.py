"""Names in comments, looked for before a freeze: of people here, addresses, and user pages of a wiki."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.excluding.exclusions import left_out_for
from datasets.models import Collection, Release
from datasets.records import current
from pages.name_words import ADDRESS, ExcerptPiece, NameWords, excerpt, words_of

COLUMNS = {
    "valid_comment": "comment on the tag",
    "contradict_comment": "comment on the types",
    "qa_comment": "comment on the questions",
}
ABOUT = ("title", "description", "funding", "source")
USER_PAGE = re.compile(r"\bUser(?:[ _]talk)?:\s*[^\s\]|]+", re.IGNORECASE)


@dataclass(frozen=True)
class NamePlace:
    """A comment of a record that may name somebody."""

    contradiction: int
    title: str
    column: str
    pieces: list[ExcerptPiece]


@dataclass(frozen=True)
class NamesFound:
    """The places that the person may see, how many others there are, and a digest of all of them."""

    places: list[NamePlace]
    hidden: int
    digest: str


def names_on_page(release: Release, by: Person) -> list[tuple[str, list[ExcerptPiece]]]:
    """Texts of the public page of a release, but for its creators and contact, that may name somebody.

    Without reasons for exclusions that are hidden from who asks.
    """
    words = _words_of_people()
    said = {name.replace("_", " "): release.about.get(name) for name in ABOUT}
    texts = [("notes", release.notes), *said.items()]
    texts += [("erratum", erratum.text) for erratum in release.errata.all()]
    texts += [
        ("reason for leaving a question out", row.reason)
        for row in left_out_for(by).filter(release=release)
    ]
    return [
        (where, excerpt(text, here))
        for where, text in texts
        if text and (here := _named(text, words))
    ]


def names_in(collection: Collection, by: Person) -> NamesFound:
    words = _words_of_people()
    found = list(_places(collection, words))
    rows = shown_to(by, current(collection).filter(pk__in={place.contradiction for place in found}))
    shown = set(rows.order_by().values_list("pk", flat=True))
    places = [place for place in found if place.contradiction in shown]
    return NamesFound(places, len(found) - len(places), _digest(found))


def _words_of_people() -> NameWords:
    """Whole names, usernames and addresses; not the parts of a name, which are words of many texts."""
    people = Person.objects.filter(is_demonstration=False).values_list("name", "username")
    words = [words_of(name, username) for name, username in people]
    certain = set(chain.from_iterable(each.certain for each in words))
    names = {username for _, username in people} | {name for name, _ in people}
    return NameWords(frozenset(certain), frozenset(name for name in names if len(name) > 2))


def _places(collection: Collection, words: NameWords) -> Iterator[NamePlace]:
    rows = current(collection).values_list("pk", "title", *COLUMNS)
    for key, title, *texts in rows.iterator():
        for column, text in zip(COLUMNS.values(), texts, strict=True):
            if text and (here := _named(text, words)):
                yield NamePlace(key, title, column, excerpt(text, here))


def _named(text: str, words: NameWords) -> NameWords | None:
    """What is named in the text, as the words of an excerpt; None where nothing is."""
    exact = {*words.pattern.findall(text), *ADDRESS.findall(text), *USER_PAGE.findall(text)}
    return NameWords(frozenset(exact), frozenset()) if exact else None


def _digest(found: list[NamePlace]) -> str:
    lines = (f"{place.contradiction} {place.column}" for place in found)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if found else ""
