"""What a collection says of itself: who made it, under which licence, how its source is cited."""

import re
from dataclasses import asdict, dataclass
from typing import Any

from accounts.audit import AuditKind, record
from accounts.models import Person
from datasets.description import COLUMNS, MOST_CREATORS, doi_of
from datasets.models import Collection
from leases.refusal import Refusal

_ORCID = re.compile(r"(?:https://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\Z")


class BadCreator(ValueError):
    """A line that names no creator, with a sentence that says what to write."""


@dataclass(frozen=True)
class Creator:
    """A person or an institution. `orcid` as 0000-0000-0000-0000, or ""."""

    name: str
    orcid: str = ""
    affiliation: str = ""


def describe(collection: Collection, columns: dict[str, Any], *, by: Person) -> None:
    """Keep what the collection says of itself. Releases that are there keep theirs."""
    for name in COLUMNS:
        setattr(collection, name, columns[name])
    collection.save(update_fields=COLUMNS)
    record(AuditKind.DESCRIBE, by, f"description of {collection.name}")


def creators_in(text: str) -> list[dict[str, str]]:
    """A creator a line: “NAME | ORCID | AFFILIATION”, the last two optional and in any order. Raises BadCreator."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_CREATORS:
        raise BadCreator(f"There are {len(lines)} lines. Name at most {MOST_CREATORS}.")
    return [asdict(_creator(line, n)) for n, line in enumerate(lines, 1)]


def doi_in(text: str) -> str:
    """The DOI, or "" for none. Raises Refusal for what is none."""
    text = text.strip()
    doi = doi_of(text)
    if text and not doi:
        said = "Write a DOI, such as 10.5281/zenodo.1234567."
        raise Refusal(said, fields={"doi": [said]})
    return doi


def lines_of(creators: list[dict[str, str]]) -> str:
    """The creators as lines that `creators_in` reads."""
    return "\n".join(" | ".join(filter(None, creator.values())) for creator in creators)


def _creator(line: str, n: int) -> Creator:
    name, *others = (" ".join(part.split()) for part in line.split("|"))
    if not name:
        raise BadCreator(f"Line {n} begins without a name. Write NAME | ORCID | AFFILIATION.")
    orcid = affiliation = ""
    for part in filter(None, others):
        if found := _ORCID.match(part):
            orcid = _checked(found[1], n)
        elif affiliation:
            raise BadCreator(
                f"Line {n} has more than a name, an ORCID and an affiliation. An ORCID looks like 0000-0002-1825-0097."
            )
        else:
            affiliation = part
    return Creator(name, orcid, affiliation)


def _checked(orcid: str, n: int) -> str:
    """The ORCID, whose last character is a check of the others (ISO 7064, MOD 11-2)."""
    digits, last = orcid.replace("-", "")[:-1], orcid[-1]
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != last:
        raise BadCreator(
            f"Line {n}: {orcid} is no ORCID: its last character does not fit. Check it for a slip."
        )
    return orcid
