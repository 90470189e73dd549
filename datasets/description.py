"""What a collection says of itself: the columns, and what each may hold. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from datasets.schema import Key, Problem, kind_of, text_problems

COLUMNS = (
    "title", "description", "creators", "licence", "language", "funding", "contact", "source", "source_citation",
)  # fmt: skip
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*\Z")
ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]\Z")
CREATOR = ("name", "orcid", "affiliation")
MOST_CREATORS = 500
# In characters.
_LONGEST = {"title": 200, "licence": 200, "language": 35, "contact": 200, "source": 300}


def in_order(about: Mapping[str, Any]) -> dict[str, Any]:
    """The columns in their order, which no database keeps."""
    creators = [
        {name: creator.get(name, "") for name in CREATOR} for creator in about.get("creators", [])
    ]
    return {
        name: creators if name == "creators" else about[name] for name in COLUMNS if name in about
    }


def description_problems(about: object) -> Iterator[Problem]:
    """Why a file's `about` is no description; it may lack any of the columns."""
    if not isinstance(about, dict):
        yield Problem("about", f"is {kind_of(about)}, not an object")
        return
    for name, value in about.items():
        if name == "creators":
            yield from _creators(value)
        elif name in COLUMNS:
            yield from text_problems(
                f"about.{name}", value, Key("", "", longest=_LONGEST.get(name))
            )
        else:
            yield Problem(f"about.{name}", "is no key of a description")
    language = about.get("language", "en")
    if isinstance(language, str) and not LANGUAGE.match(language):
        yield Problem("about.language", "is no language code, such as en, ar or pt-BR")


def _creators(value: object) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem("about.creators", f"is {kind_of(value)}, not a list")
        return
    if len(value) > MOST_CREATORS:
        yield Problem("about.creators", f"has {len(value)} entries, more than {MOST_CREATORS}")
        return
    for n, creator in enumerate(value, 1):
        place = f"about.creators.{n}"
        if not isinstance(creator, dict) or set(creator) != set(CREATOR):
            yield Problem(place, f"is no object with the keys {', '.join(CREATOR)}")
            continue
        problems = [p for name in CREATOR for p in text_problems(f"{place}.{name}", creator[name])]
        yield from problems
        if not problems and not creator["name"].strip():
            yield Problem(f"{place}.name", "is empty")
        if not problems and creator["orcid"] and not ORCID.match(creator["orcid"]):
            yield Problem(f"{place}.orcid", "is no ORCID, such as 0000-0002-1825-0097")
