"""The formats of a report's data: which there are, its bytes, and its hash. Pure.

A frozen report is never rewritten. A change that an old report lacks gets a new number here, and what reads
reports copes with all earlier ones (tests/evaluation/frozen/ holds one of each).
"""

import hashlib
import json
from typing import Any

from leases.refusal import Refusal

FORMAT = 4
HASH = "body_sha256"


def readable(body: dict[str, Any]) -> dict[str, Any]:
    """The body, if this version knows its format; raises Refusal for one that a later version froze."""
    number = body.get("format")
    if not isinstance(number, int) or not 1 <= number <= FORMAT:
        raise Refusal(
            f"This report has the format {number}, and this version of the program reads 1 to {FORMAT}. Its JSON "
            "is as it was; update the program to see the page."
        )
    return body


def body_hash(body: dict[str, Any]) -> str:
    """sha256 (hex) over the report as canonical JSON, without the hash that it holds of itself."""
    made_of = {name: value for name, value in body["snapshot"].items() if name != HASH}
    canonical = json.dumps(
        {**body, "snapshot": made_of}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """The report with the hash of itself."""
    return {**body, "snapshot": {**body["snapshot"], HASH: body_hash(body)}}


def text_of(body: dict[str, Any]) -> str:
    """The report as it is served and kept: readable JSON."""
    return json.dumps(body, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
