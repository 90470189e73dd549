"""Names in comments, looked for before a freeze: of people here, addresses, and user pages of a wiki.

And names of people who were forgotten, which a frozen release may still hold: looked for before it is published.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.db.models import QuerySet

from accounts.models import Person
from datasets.blinding import shown_to
from datasets.description import COLUMNS as ABOUT_COLUMNS
from datasets.description import PEOPLE
from datasets.exclusions import left_out_for
from datasets.models import Collection, Contradiction, Instance, Release
from datasets.records import current
from datasets.releasing.forgotten_names import ForgottenNames
from datasets.releasing.freezing import released
from pages.name_words import ADDRESS, ExcerptPiece, NameWords, as_text, excerpt, words_of

COLUMNS = {
    "valid_comment": "comment on the tag",
    "contradict_comment": "comment on the types",
    "qa_comment": "comment on the questions",
}
ABOUT = ("title", "description", "funding", "source")
# Texts of records that people wrote, beside comments; passages as copied are a wiki's.
WRITTEN = {
    **COLUMNS,
    "statement_1": "claim of passage 1",
    "statement_2": "claim of passage 2",
    "passage_1_standalone": "stand-alone passage 1",
    "passage_2_standalone": "stand-alone passage 2",
    "fields": "record",
}
OF_QUESTIONS = {"question": "question", "answer_1": "answer 1", "answer_2": "answer 2"}
USER_PAGE = re.compile(r"\bUser(?:[ _]talk)?:\s*[^\s\]|]+", re.IGNORECASE)


@dataclass(frozen=True)
class NamePlace:
    """A text of a record that may name somebody."""

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


# The names in a text, as the words of an excerpt; None where there are none.
Find = Callable[[str], NameWords | None]


def names_on_page(release: Release, by: Person) -> list[tuple[str, list[ExcerptPiece]]]:
    """Texts of the public page of a release, but for its creators and contact, that may name somebody.

    Without reasons for exclusions that are hidden from who asks.
    """
    said = {name: release.about.get(name) or "" for name in ABOUT}
    return _in_texts(_texts_of_page(release, by, said), _finder())


def forgotten_on_page(release: Release, by: Person) -> list[tuple[str, list[ExcerptPiece]]]:
    """All texts of its page, creators and contact too, that name somebody who was forgotten."""
    said = {
        name: _names_of(value) if name in PEOPLE else value
        for name, value in release.about.items()
        if name in ABOUT_COLUMNS
    }
    return forgotten_in_texts(_texts_of_page(release, by, said))


def forgotten_in_texts(
    texts: Iterable[tuple[str, str]],
) -> list[tuple[str, list[ExcerptPiece]]]:
    """Of texts by where they are, those that name somebody who was forgotten."""
    names = ForgottenNames()
    return _in_texts(texts, names.found) if names else []


def forgotten_in(release: Release, by: Person) -> NamesFound:
    """Texts of its records and questions that name somebody who was forgotten."""
    names, rows = ForgottenNames(), released(release)
    if not names:
        return NamesFound([], 0, "")
    found = list(_places(rows, names.found, WRITTEN))
    questions = Instance.objects.filter(contradiction__in=rows.order_by())
    texts = questions.values_list("contradiction", "contradiction__title", *OF_QUESTIONS)
    for key, title, *said in texts.iterator():
        found += _in_row(key, title, zip(OF_QUESTIONS.values(), said, strict=True), names.found)
    return _shown_of(found, by)


def names_in(collection: Collection, by: Person) -> NamesFound:
    here, forgotten = _finder(), ForgottenNames()

    def find(text: str) -> NameWords | None:
        both = [found.certain for found in (here(text), forgotten.found(text)) if found]
        return NameWords(frozenset[str]().union(*both), frozenset()) if both else None

    return _shown_of(list(_places(current(collection), find, COLUMNS)), by)


def _texts_of_page(
    release: Release, by: Person, said: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """(where, text) of each text; `said` are those of the description by their columns."""
    yield from ((name.replace("_", " "), text) for name, text in said.items())
    yield "notes", release.notes
    yield from (("erratum", erratum.text) for erratum in release.errata.all())
    for row in left_out_for(by).filter(release=release):
        yield "reason for leaving a question out", row.reason


def _in_texts(texts: Iterable[tuple[str, str]], find: Find) -> list[tuple[str, list[ExcerptPiece]]]:
    return [(where, excerpt(text, here)) for where, text in texts if text and (here := find(text))]


def _names_of(people: Iterable[Mapping[str, str]]) -> str:
    return "; ".join(f"{each['name']}, {each.get('affiliation', '')}" for each in people)


def _shown_of(found: list[NamePlace], by: Person) -> NamesFound:
    keys = {place.contradiction for place in found}
    rows = shown_to(by, Contradiction.objects.filter(pk__in=keys))
    shown = set(rows.order_by().values_list("pk", flat=True))
    places = [place for place in found if place.contradiction in shown]
    return NamesFound(places, len(found) - len(places), _digest(found))


def _finder() -> Find:
    """Finds people here, addresses and user pages.

    Whole names, usernames and addresses; not the parts of a name, which are words of many texts.
    """
    people = Person.objects.filter(is_demonstration=False).values_list("name", "username")
    words = [words_of(name, username) for name, username in people]
    certain = set(chain.from_iterable(each.certain for each in words))
    names = {username for _, username in people} | {name for name, _ in people}
    pattern = NameWords(
        frozenset(certain), frozenset(name for name in names if len(name) > 2)
    ).pattern

    def find(text: str) -> NameWords | None:
        exact = {*pattern.findall(text), *ADDRESS.findall(text), *USER_PAGE.findall(text)}
        return NameWords(frozenset(exact), frozenset()) if exact else None

    return find


def _places(
    rows: QuerySet[Contradiction], find: Find, columns: Mapping[str, str]
) -> Iterator[NamePlace]:
    for key, title, *texts in rows.values_list("pk", "title", *columns).iterator():
        yield from _in_row(key, title, zip(columns.values(), texts, strict=True), find)


def _in_row(
    key: int, title: str, texts: Iterable[tuple[str, Any]], find: Find
) -> Iterator[NamePlace]:
    for column, value in texts:
        text = as_text(value) if value else ""
        if text and (here := find(text)):
            yield NamePlace(key, title, column, excerpt(text, here))


def _digest(found: list[NamePlace]) -> str:
    lines = (f"{place.contradiction} {place.column} {place.pieces}" for place in found)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest() if found else ""
