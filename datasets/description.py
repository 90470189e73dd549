"""What a collection says of itself: the columns, and what each may hold. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from datasets.schema import Key, Problem, kind_of, text_problems

COLUMNS = (
    "title", "description", "creators", "licence", "language", "keywords", "funding", "contact",
    "source", "source_title", "source_authors", "source_year", "source_citation", "source_paper", "source_data",
    "annotated_by", "how_made", "limits", "biases", "personal_data",
)  # fmt: skip
# Columns with a list of people or institutions.
PEOPLE = ("creators", "source_authors")
# Who annotated, by the words that the cards of Hugging Face have for it.
ANNOTATED_BY = [
    ("expert-generated", "People who know the field"),
    ("crowdsourced", "A crowd"),
    ("machine-generated", "Programs"),
    ("found", "Nobody for this data set: the annotations were found"),
]
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z")
YEAR = re.compile(r"[12]\d{3}\Z")
# Without braces and backslashes, which would end or change its field in BibTeX.
DOI = re.compile(r"10\.\d{4,9}/[^\s{}\\]{1,180}\Z")
_RESOLVER = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
LINK = re.compile(r"https?://[^\s{}\\<>\"]{3,290}\Z")
ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]\Z")
CREATOR = ("name", "orcid", "affiliation")
MOST_CREATORS = 500
# In characters.
_LONGEST = {
    "title": 200, "licence": 200, "language": 35, "keywords": 500, "contact": 200, "source": 300, "source_title": 300,
}  # fmt: skip
# What else than nothing a column may hold, and how that is said.
_FORMS = {
    "language": (LANGUAGE, "is no language code, such as en, ar or pt-BR"),
    "source_year": (YEAR, "is no year, such as 2024"),
    "source_paper": (LINK, "is no address that begins with https:// or http://"),
    "source_data": (LINK, "is no address that begins with https:// or http://"),
    "annotated_by": (
        re.compile(rf"({'|'.join(word for word, _ in ANNOTATED_BY)})\Z"),
        f"is none of {', '.join(word for word, _ in ANNOTATED_BY)}",
    ),
}


def doi_of(text: str) -> str:
    """The DOI that was given alone, by its address or after “doi:”; "" for any other text."""
    doi = _RESOLVER.sub("", text)
    return doi if DOI.match(doi) else ""


def in_order(about: Mapping[str, Any]) -> dict[str, Any]:
    """The columns in their order, which no database keeps."""
    return {name: _value(name, about[name]) for name in COLUMNS if name in about}


def _value(name: str, value: Any) -> Any:
    if name not in PEOPLE:
        return value
    return [{part: creator.get(part, "") for part in CREATOR} for creator in value]


def description_problems(about: object) -> Iterator[Problem]:
    """Why a file's `about` is no description; it may lack any of the columns."""
    if not isinstance(about, dict):
        yield Problem("about", f"is {kind_of(about)}, not an object")
        return
    for name, value in about.items():
        if name in PEOPLE:
            yield from _people(f"about.{name}", value)
        elif name in COLUMNS:
            yield from text_problems(
                f"about.{name}", value, Key("", "", longest=_LONGEST.get(name))
            )
        else:
            yield Problem(f"about.{name}", "is no key of a description")
    for name, (form, said) in _FORMS.items():
        value = about.get(name)
        # A collection has a language; the others may be empty.
        if isinstance(value, str) and (value or name == "language") and not form.match(value):
            yield Problem(f"about.{name}", said)


def _people(place: str, value: object) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(place, f"is {kind_of(value)}, not a list")
        return
    if len(value) > MOST_CREATORS:
        yield Problem(place, f"has {len(value)} entries, more than {MOST_CREATORS}")
        return
    for n, creator in enumerate(value, 1):
        yield from _creator(f"{place}.{n}", creator)


def _creator(place: str, creator: object) -> Iterator[Problem]:
    if not isinstance(creator, dict) or set(creator) != set(CREATOR):
        yield Problem(place, f"is no object with the keys {', '.join(CREATOR)}")
        return
    problems = [p for name in CREATOR for p in text_problems(f"{place}.{name}", creator[name])]
    yield from problems
    if not problems and not creator["name"].strip():
        yield Problem(f"{place}.name", "is empty")
    if not problems and creator["orcid"] and not ORCID.match(creator["orcid"]):
        yield Problem(f"{place}.orcid", "is no ORCID, such as 0000-0002-1825-0097")
