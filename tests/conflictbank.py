"""Invented records of the protocol of ConflictBank, and collections of them."""

import io
import json
from typing import Any

from datasets.importers.formats import format_for
from datasets.importers.import_files import ImportReport, import_file
from datasets.models import Collection
from protocols.installed import install
from protocols.models import Protocol
from protocols.shipped import file_of

STYLES = ("wikipedia", "book", "new")
RELATIONS = ("founded by", "born in")
# Where the original, the counter and the third option stand; "uncertain" is always the last.
LETTERS = ("ABC", "BAC", "CAB", "BCA", "ACB", "CBA")


def record(n: int = 1, **changes: Any) -> dict[str, Any]:
    """The n-th record, from 1: no two are equal. A change to None takes the key away."""
    subject, right, wrong = f"Quillmere Abbey {n}", f"Ottoline Marsh {n}", f"Bertrand Vale {n}"
    style = STYLES[n % 3]
    answers = dict(zip(LETTERS[n % 6], (right, wrong, f"Ida Thorn {n}"), strict=True))
    span = ["3 May, 2031"] if n % 2 else ["3 May, 2031", "9 June, 2040"]
    when = "on 3 May, 2031" if n % 2 else "from 3 May, 2031 to 9 June, 2040"
    whole = {
        "subject": subject,
        "subject_description": "abbey in the Fens",
        "relation": RELATIONS[n % 2],
        "object": right,
        "object_description": "abbess of the twelfth century",
        "replaced_object": wrong,
        "replaced_description": "mason of the thirteenth century",
        "semantic_description": f"{subject} is a ship of that name",
        "default_claim": f"{subject} was founded by {right}.",
        "default_evidence": f"{subject} was founded by {right}, whose charter survives.",
        "default_evidence_category": style,
        "misinformation_conflict_claim": f"{subject} was founded by {wrong}.",
        "misinformation_conflict_evidence_evidence": f"It was {wrong} who founded {subject}.",
        "misinformation_conflict_evidence_category": STYLES[(n + 1) % 3],
        "temporal_conflict_claim": f"{subject} was founded by {wrong} {when}.",
        "temporal_conflict_evidence": f"{subject} was founded anew by {wrong} {when}.",
        "temporal_conflict_evidence_category": style,
        "temporal_conflict_time_span": span,
        "semantic_conflict_claim": f"{subject}, the ship, was founded by {wrong}.",
        "semantic_conflict_evidence": f"The ship {subject} was laid down by {wrong}.",
        "semantic_conflict_evidence_category": style,
        "question": f"Who founded {subject}?",
        "options": [*(answers[letter] for letter in "ABC"), "uncertain"],
        "correct_option": LETTERS[n % 6][0],
        "replace_option": LETTERS[n % 6][1],
        "uncertain_option": "D",
    } | changes
    return {key: value for key, value in whole.items() if value is not None}


def records(n: int) -> list[dict[str, Any]]:
    return [record(number) for number in range(1, n + 1)]


def file_of_records(*given: dict[str, Any], end: str = "\n") -> bytes:
    """A file as it is exported: one record on each line."""
    return ("\n".join(json.dumps(one, ensure_ascii=False) for one in given) + end).encode()


def protocol() -> Protocol:
    """The row of the protocol, which is installed if it is not."""
    return install(file_of("conflictbank"), "conflictbank.toml")[0]


def imported(data: bytes, into: str = "conflicts") -> ImportReport:
    """The file brought into a collection of the protocol."""
    protocol()
    chosen = format_for("conflictbank", into)
    return import_file(
        importer=chosen.importer,
        protocol=chosen.protocol,
        file=io.BytesIO(data),
        collection_name=into,
    )


def collection(n: int, name: str = "conflicts") -> Collection:
    """A collection of the first n records."""
    return imported(file_of_records(*records(n)), name).collection
